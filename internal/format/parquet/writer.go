package parquet

import (
	"context"

	"skyjoin/internal/format"

	"github.com/apache/arrow/go/v15/arrow"
)

// Output writes Parquet files.
var Output = format.Output{Extension: ".parquet", Create: create, Copies: copies}

// writer writes a table of its own as Parquet: row groups of a fixed
// size, encoded in memory.
type writer struct {
	asm     *assembly
	fields  []format.Field
	opt     format.WriteOptions
	size    int             // rows of a row group
	pending []format.Column // rows of the next one
	rowsIn  int             // number of these
}

// rowGroupRows returns how many rows a row group gets: 64 MiB of numbers,
// but at least 2^14 and at most 2^20 rows.
func rowGroupRows(columns int) int {
	return min(max(64<<20/8/max(columns, 1), 1<<14), 1<<20)
}

// create starts a Parquet file.
func create(out format.Sink, fields []format.Field, opt format.WriteOptions) (format.Writer, error) {
	for _, f := range fields { // refuse what cannot be written before anything is
		if _, err := elements(f); err != nil {
			return nil, err
		}
	}
	asm, err := newAssembly(out)
	e := &writer{asm: asm, fields: fields, opt: opt, size: rowGroupRows(len(fields)), pending: make([]format.Column, len(fields))}
	e.reset()
	return e, err
}

// reset empties the next row group, whose memory is kept.
func (e *writer) reset() {
	for i, f := range e.fields {
		c := &e.pending[i]
		clear(c.String)
		*c = format.Column{Field: f, Float64: c.Float64[:0], Float32: c.Float32[:0], Int64: c.Int64[:0], Uint64: c.Uint64[:0], Bool: c.Bool[:0], String: c.String[:0]}
	}
	e.rowsIn = 0
}

func (e *writer) Rows(ctx context.Context, cols []format.Column) error {
	n := cols[0].Len()
	for lo := 0; lo < n; {
		hi := min(n, lo+e.size-e.rowsIn)
		if e.rowsIn == 0 && hi-lo == e.size { // a whole group: no need to collect it
			whole := make([]format.Column, len(cols))
			for i := range cols {
				whole[i] = cols[i].Slice(lo, hi)
				whole[i].Field = e.fields[i]
			}
			if err := e.flush(ctx, whole, e.size); err != nil {
				return err
			}
		} else {
			for i := range cols {
				part := cols[i].Slice(lo, hi)
				e.pending[i].Append(&part)
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
func (e *writer) flush(ctx context.Context, cols []format.Column, rows int) error {
	sources := make([]columnSource, len(cols))
	for i := range cols {
		c := &cols[i]
		sources[i] = columnSource{c.Field, rows, func(lo, hi int) format.Column { return c.Slice(lo, hi) }}
	}
	enc, err := encodeColumns(ctx, sources, e.opt.Threads)
	if err != nil {
		return err
	}
	return e.asm.add(ctx, nil, &rawGroup{rows: int64(rows)}, nil, enc)
}

func (e *writer) Close(ctx context.Context) error {
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
	if f.keyValues, err = keyValues(nil, append([]format.KeyValue{{Key: arrowKey, Value: s}}, e.opt.Metadata...)); err != nil {
		return err
	}
	return e.asm.finish(f)
}
