package table

import (
	"context"
	"fmt"

	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
	"skyjoin/internal/par"
)

// csvEncoder writes a table as CSV (RFC 4180): a line of names, then a line
// per row. A null is an empty cell, an empty string is "".
type csvEncoder struct {
	out   format.Sink
	buf   []byte
	start int // of the line in buf
	cell  []cell.Func
	parts []csvEncoder // of some lines each, made side by side; without out
	block int          // lines of a part
}

// newCSVLines is an encoder that has no columns yet.
func newCSVLines(out format.Sink, opt format.WriteOptions) *csvEncoder {
	return &csvEncoder{out: out, parts: make([]csvEncoder, par.Threads(opt.Threads)), block: 64}
}

func newCSVEncoder(out format.Sink, fields []format.Field, opt format.WriteOptions) (format.Writer, error) {
	e := newCSVLines(out, opt)
	return e, e.columns(fields)
}

// name writes a cell of the line of names.
func (e *csvEncoder) name(name string) { e.buf = append(cell.AppendText(e.buf, name, ','), ',') }

// columns ends the line of names with those of columns that value writes.
func (e *csvEncoder) columns(fields []format.Field) error {
	for _, f := range fields {
		text, err := cell.Of(f, ',')
		if err != nil {
			return err
		}
		e.cell = append(e.cell, text)
		e.name(f.Name)
	}
	return e.endRow(context.Background())
}

// value writes the cell of a row of the i-th column.
func (e *csvEncoder) value(i int, c *format.Column, row int) {
	if !c.IsNull(row) {
		e.buf = e.cell[i](e.buf, c, row)
	}
	e.buf = append(e.buf, ',')
}

// endRow ends a line of cells, each with a comma after it, and writes the lines
// so far if they are many.
func (e *csvEncoder) endRow(ctx context.Context) error {
	if e.endLine(); e.start < 1<<16 {
		return nil
	}
	return e.flush(ctx)
}

func (e *csvEncoder) endLine() {
	if len(e.buf) == e.start+1 { // an empty line would be no row
		e.buf = append(e.buf[:e.start], `"",`...)
	}
	if len(e.buf) > e.start {
		e.buf[len(e.buf)-1] = '\n'
	}
	e.start = len(e.buf)
}

// partBytes is about how many bytes a part gets.
const partBytes = 1 << 20

func (e *csvEncoder) Rows(ctx context.Context, cols []format.Column) error {
	if err := e.flush(ctx); err != nil {
		return err
	}
	n := cols[0].Len()
	for lo := 0; lo < n; {
		hi := min(n, lo+e.block*len(e.parts))
		par.Chunks(len(e.parts), hi-lo, func(part, from, to int) {
			p := &e.parts[part]
			p.buf, p.start, p.cell = p.buf[:0], 0, e.cell
			p.lines(cols, lo+from, lo+to)
		})
		most := 0
		for i := range e.parts {
			p := &e.parts[i]
			most = max(most, len(p.buf))
			if _, err := e.out.Write(p.buf); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if hi-lo == e.block*len(e.parts) { // lines are about as long as those before
			e.block = min(2*e.block, max(1, e.block*partBytes/most))
		}
		lo = hi
	}
	return nil
}

// lines appends the lines of the rows [lo, hi).
func (e *csvEncoder) lines(cols []format.Column, lo, hi int) {
	for row := lo; row < hi; row++ {
		for i := range cols {
			e.value(i, &cols[i], row)
		}
		e.endLine()
	}
}

func (e *csvEncoder) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := e.out.Write(e.buf)
	e.buf, e.start = e.buf[:0], 0
	return err
}

func (e *csvEncoder) Close(ctx context.Context) error { return e.flush(ctx) }

// transcribes returns how files are written as CSV whose formats give their
// values as exact text.
func transcribes(files []format.Reader) format.Copy {
	for _, f := range files {
		if _, ok := f.(format.Transcriber); !ok {
			return nil
		}
	}
	return transcribe
}

func transcribe(ctx context.Context, out format.Sink, from format.Table, added format.Added, opt format.WriteOptions) error {
	e := newCSVLines(out, opt)
	for _, f := range from.Fields {
		e.name(f.Name)
	}
	if err := e.columns(added.Fields()); err != nil {
		return err
	}
	row := int64(0)
	for _, f := range from.Files {
		end := row + f.Rows()
		var visiting error // names the file, if it is of the file
		visit := func(rows int64, cell func([]byte, int) ([]byte, error)) error {
			if rows > end-row {
				return changed(f)
			}
			const block = 1 << 16
			for last := row + rows; row < last; {
				hi := min(row+block, last)
				if err := added.Advance(ctx, row, hi); err != nil {
					return err
				}
				if err := e.transcribed(ctx, f.Path, len(from.Fields), int(hi-row), cell, blocksOf(added, row, hi)); err != nil {
					return err
				}
				row = hi
			}
			opt.Progress(rows)
			return nil
		}
		err := f.Reader.(format.Transcriber).Transcribe(ctx, fieldsIn(f, from.Fields), ',', func(rows int64, cell func([]byte, int) ([]byte, error)) error {
			visiting = visit(rows, cell)
			return visiting
		})
		if err != nil && visiting == nil {
			err = fmt.Errorf("%s: %w", f.Path, err)
		}
		if err == nil && row != end {
			err = changed(f)
		}
		if err != nil {
			return err
		}
	}
	return e.Close(ctx)
}

func changed(f format.File) error {
	return fmt.Errorf("%s: it no longer has the %d rows it had when it was opened", f.Path, f.Rows())
}

// fieldsIn says which field of a file each of a table is, -1 for none.
func fieldsIn(f format.Reader, fields []format.Field) []int {
	at := map[string]int{}
	for i, own := range f.Fields() {
		at[own.Name] = i
	}
	out := make([]int, len(fields))
	for i, want := range fields {
		out[i] = -1
		if k, ok := at[want.Name]; ok {
			out[i] = k
		}
	}
	return out
}

// transcribed writes rows of cells that are text already, and of columns.
func (e *csvEncoder) transcribed(ctx context.Context, path string, texts, rows int, cell func([]byte, int) ([]byte, error), added []format.Column) (err error) {
	for r := range rows {
		for i := range texts {
			if e.buf, err = cell(e.buf, i); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			e.buf = append(e.buf, ',')
		}
		for i := range added {
			e.value(i, &added[i], r)
		}
		if err := e.endRow(ctx); err != nil {
			return err
		}
	}
	return nil
}
