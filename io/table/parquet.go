package table

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"skyjoin/io/catalog"
)

// parquetEncoder writes a table of its own as Parquet: row groups of a fixed
// size, encoded in memory.
type parquetEncoder struct {
	asm     *assembly
	fields  []catalog.Field
	opt     Options
	size    int              // rows of a row group
	pending []catalog.Column // rows of the next one
	rowsIn  int              // number of these
}

// rowGroupRows returns how many rows a row group gets: 64 MiB of numbers,
// but at least 2^14 and at most 2^20 rows.
func rowGroupRows(columns int) int {
	return min(max(64<<20/8/max(columns, 1), 1<<14), 1<<20)
}

func newParquetEncoder(out *output, fields []catalog.Field, opt Options) (encoder, error) {
	for _, f := range fields { // refuse what cannot be written before anything is
		if _, err := elements(f); err != nil {
			return nil, err
		}
	}
	asm, err := newAssembly(out)
	e := &parquetEncoder{asm: asm, fields: fields, opt: opt, size: rowGroupRows(len(fields)), pending: make([]catalog.Column, len(fields))}
	e.reset()
	return e, err
}

// reset empties the next row group, whose memory is kept.
func (e *parquetEncoder) reset() {
	for i, f := range e.fields {
		c := &e.pending[i]
		clear(c.String)
		*c = catalog.Column{Field: f, Float64: c.Float64[:0], Float32: c.Float32[:0], Int64: c.Int64[:0], Uint64: c.Uint64[:0], Bool: c.Bool[:0], String: c.String[:0]}
	}
	e.rowsIn = 0
}

func (e *parquetEncoder) rows(ctx context.Context, cols []catalog.Column) error {
	n := cols[0].Len()
	for lo := 0; lo < n; {
		hi := min(n, lo+e.size-e.rowsIn)
		if e.rowsIn == 0 && hi-lo == e.size { // a whole group: no need to collect it
			whole := make([]catalog.Column, len(cols))
			for i := range cols {
				whole[i] = rowsOf(&cols[i], lo, hi)
				whole[i].Field = e.fields[i]
			}
			if err := e.flush(ctx, whole, e.size); err != nil {
				return err
			}
		} else {
			for i := range cols {
				extend(&e.pending[i], rowsOf(&cols[i], lo, hi), e.rowsIn, hi-lo)
			}
			e.rowsIn += hi - lo
			if e.rowsIn == e.size {
				if err := e.flush(ctx, e.pending, e.rowsIn); err != nil {
					return err
				}
				e.reset()
			}
		}
		lo = hi
	}
	return nil
}

// flush writes a row group.
func (e *parquetEncoder) flush(ctx context.Context, cols []catalog.Column, rows int) error {
	sources := make([]columnSource, len(cols))
	for i := range cols {
		c := &cols[i]
		sources[i] = columnSource{c.Field, rows, func(lo, hi int) catalog.Column { return rowsOf(c, lo, hi) }}
	}
	enc, err := encodeColumns(ctx, sources, e.opt.Threads)
	if err != nil {
		return err
	}
	return e.asm.add(ctx, nil, &rowGroup{rows: int64(rows)}, nil, enc)
}

func (e *parquetEncoder) close(ctx context.Context) error {
	if e.rowsIn > 0 {
		if err := e.flush(ctx, e.pending, e.rowsIn); err != nil {
			return err
		}
	}
	root := record{}
	root.setText(elemName, "schema")
	root.setInteger(elemChildren, kindI32, 0)
	f := footer{version: 2}
	var columns [][]record
	var arrowFields []arrow.Field
	for _, field := range e.fields {
		el, err := elements(field)
		if err != nil {
			return err
		}
		columns = append(columns, el)
		arrowFields = append(arrowFields, arrowField(field))
		f.orders = append(f.orders, typeOrder())
	}
	var err error
	if f.schema, err = extendSchema([]record{root}, columns); err != nil {
		return err
	}
	s, err := encodeArrow(arrow.NewSchema(arrowFields, nil))
	if err != nil {
		return err
	}
	if f.keyValues, err = keyValues(nil, append([]catalog.KeyValue{{Key: arrowKey, Value: s}}, e.opt.Metadata...)); err != nil {
		return err
	}
	return e.asm.finish(f)
}

// rowsOf returns the rows [lo, hi) of a column, sharing its memory.
func rowsOf(c *catalog.Column, lo, hi int) catalog.Column {
	var lists *catalog.Lists
	if c.List != nil {
		lists = &catalog.Lists{Offset: c.List.Offset[lo : hi+1], Elem: c.List.Elem}
	}
	return catalog.Column{
		Field: c.Field, List: lists,
		Float64: cut(c.Float64, lo, hi), Float32: cut(c.Float32, lo, hi), Int64: cut(c.Int64, lo, hi),
		Uint64: cut(c.Uint64, lo, hi), Bool: cut(c.Bool, lo, hi), String: cut(c.String, lo, hi), Null: cut(c.Null, lo, hi),
	}
}

func cut[T any](s []T, lo, hi int) []T {
	if len(s) == 0 {
		return nil
	}
	return s[lo:hi]
}

// extend appends n rows to a column that has some.
func extend(dst *catalog.Column, src catalog.Column, have, n int) {
	if src.List != nil {
		extendLists(dst, src.List)
	}
	dst.Float64, dst.Float32 = append(dst.Float64, src.Float64...), append(dst.Float32, src.Float32...)
	dst.Int64, dst.Uint64 = append(dst.Int64, src.Int64...), append(dst.Uint64, src.Uint64...)
	dst.Bool, dst.String = append(dst.Bool, src.Bool...), append(dst.String, src.String...)
	switch {
	case dst.Null == nil && src.Null == nil:
	case dst.Null == nil:
		dst.Null = append(make([]bool, have, have+n), src.Null...)
	case src.Null == nil:
		dst.Null = append(dst.Null, make([]bool, n)...)
	default:
		dst.Null = append(dst.Null, src.Null...)
	}
}

// extendLists appends lists to a column that has some, or none yet.
func extendLists(dst *catalog.Column, src *catalog.Lists) {
	if dst.List == nil {
		dst.List = &catalog.Lists{Offset: []int64{0}, Elem: catalog.Column{Field: src.Elem.Field}}
	}
	l := dst.List
	have := l.Offset[len(l.Offset)-1]
	first, end := src.Offset[0], src.Offset[len(src.Offset)-1]
	extend(&l.Elem, rowsOf(&src.Elem, int(first), int(end)), int(have), int(end-first))
	for _, o := range src.Offset[1:] {
		l.Offset = append(l.Offset, have+o-first)
	}
}
