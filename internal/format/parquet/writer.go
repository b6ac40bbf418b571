package parquet

import (
	"context"
	"math"

	"skyjoin/internal/each"
	"skyjoin/internal/format"

	"github.com/apache/arrow/go/v15/arrow"
)

// Output writes Parquet files.
var Output = format.Output{Extension: ".parquet", Create: createFile, Copies: copiesOf, Group: rowGroupRows}

// writer writes a table of its own as Parquet: row groups of a fixed
// size, encoded in memory.
type writer struct {
	asm     *assembly
	meta    fileMeta
	fields  []format.Field
	opt     format.WriteOptions
	size    int             // rows of a row group
	pending []format.Column // rows of the next one
	rowsIn  int             // number of these
	letters int64           // bytes of their texts
	full    bool            // which are as much as memory holds
}

// rowGroupRows returns how many rows a row group gets: 64 MiB of numbers, but at
// least 2^14 and at most 2^20 rows; where memory is less, as many as it holds with
// texts of some length, but at least 2^10.
func rowGroupRows(fields []format.Field, memory int64) int {
	const most, text = 64 << 20, 64
	if memory <= 0 || memory >= most {
		return min(max(most/8/max(len(fields), 1), 1<<14), 1<<20)
	}
	width := int64(1)
	for _, f := range fields {
		if width += 8; f.Type == format.String || f.Type == format.List {
			width += text - 8
		}
	}
	return int(min(max(memory/width, 1<<10), 1<<20))
}

// createFile starts a Parquet file.
func createFile(out format.Sink, fields []format.Field, opt format.WriteOptions) (format.Writer, error) {
	meta := fileMeta{Version: 2, Schema: []schemaElement{{Name: "schema", Children: ptr(int32(0))}}}
	for _, f := range fields { // refuse what cannot be written before anything is
		if err := meta.addColumn(f); err != nil {
			return nil, err
		}
		meta.Orders = append(meta.Orders, byType)
	}
	asm, err := newAssembly(out)
	e := &writer{asm: asm, meta: meta, fields: fields, opt: opt, size: rowGroupRows(fields, opt.Memory), pending: make([]format.Column, len(fields))}
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
	e.rowsIn, e.letters, e.full = 0, 0, false
}

func (e *writer) Rows(ctx context.Context, cols []format.Column) error {
	if err := e.checkTimes(cols); err != nil {
		return err
	}
	n := cols[0].Len()
	for lo := 0; lo < n; {
		hi := e.until(cols, lo, min(n, lo+e.size-e.rowsIn))
		if e.rowsIn == 0 && hi-lo == e.size { // a whole group: no need to collect it
			whole := make([]format.Column, len(cols))
			for i := range cols {
				whole[i] = cols[i].Slice(lo, hi)
				whole[i].Field = e.fields[i]
			}
			if err := e.flush(ctx, whole, e.size); err != nil {
				return err
			}
			e.letters, e.full = 0, false
		} else {
			for i := range cols {
				part := cols[i].Slice(lo, hi)
				e.pending[i].Append(&part)
			}
			e.rowsIn += hi - lo
			if e.rowsIn == e.size || e.full {
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

// until returns where the rows from lo up to hi end that the row group takes: earlier
// than at hi where their texts are longer than expected and memory is limited.
func (e *writer) until(cols []format.Column, lo, hi int) int {
	if e.opt.Memory <= 0 {
		return hi
	}
	for row := lo; row < hi; row++ {
		for i := range cols {
			if len(cols[i].String) > 0 {
				e.letters += int64(len(cols[i].String[row]))
			}
		}
		if e.full = e.letters > e.opt.Memory; e.full {
			return row + 1
		}
	}
	return hi
}

// checkTimes refuses times that microseconds do not hold, 292,000 years from 1970.
func (e *writer) checkTimes(cols []format.Column) error {
	for i := range cols {
		for row, s := range cols[i].Float64 {
			if e.fields[i].Type != format.Timestamp {
				break
			}
			if !(math.Abs(s) < math.MaxInt64/1e6) && !cols[i].IsNull(row) {
				return format.Requestf("column %q has the time %g s, which microseconds in 64 bits do not hold; --where leaves such rows out, CSV keeps them", e.fields[i].Name, s)
			}
		}
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
	return e.asm.add(ctx, nil, groupMeta{Rows: int64(rows)}, nil, enc)
}

func (e *writer) Close(ctx context.Context) error {
	if e.rowsIn > 0 {
		if err := e.flush(ctx, e.pending, e.rowsIn); err != nil {
			return err
		}
	}
	arrowFields := each.Of(e.fields, arrowField)
	s, err := encodeArrow(arrow.NewSchema(arrowFields, nil))
	if err != nil {
		return err
	}
	e.meta.KeyValues = withKeys(nil, append([]format.KeyValue{{Key: arrowKey, Value: s}}, e.opt.Metadata...))
	return e.asm.finish(e.meta)
}
