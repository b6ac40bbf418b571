package table

import (
	"context"

	"skyjoin/internal/par"
	"skyjoin/io/catalog"
)

// csvEncoder writes a table as CSV (RFC 4180): a line of names, then a line
// per row. A null is an empty cell, an empty string is "".
type csvEncoder struct {
	out   *output
	buf   []byte
	start int // of the line in buf
	cell  []cellFunc
	parts []csvEncoder // of some lines each, made side by side; without out
	block int          // lines of a part
}

// newCSVLines is an encoder that has no columns yet.
func newCSVLines(out *output, opt Options) *csvEncoder {
	return &csvEncoder{out: out, parts: make([]csvEncoder, par.Threads(opt.Threads)), block: 64}
}

func newCSVEncoder(out *output, fields []catalog.Field, opt Options) (encoder, error) {
	e := newCSVLines(out, opt)
	return e, e.columns(fields)
}

// name writes a cell of the line of names.
func (e *csvEncoder) name(name string) { e.buf = append(appendText(e.buf, name, ','), ',') }

// columns ends the line of names with those of columns that value writes.
func (e *csvEncoder) columns(fields []catalog.Field) error {
	for _, f := range fields {
		cell, err := cellOf(f, ',')
		if err != nil {
			return err
		}
		e.cell = append(e.cell, cell)
		e.name(f.Name)
	}
	return e.endRow(context.Background())
}

// value writes the cell of a row of the i-th column.
func (e *csvEncoder) value(i int, c *catalog.Column, row int) {
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

func (e *csvEncoder) rows(ctx context.Context, cols []catalog.Column) error {
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
func (e *csvEncoder) lines(cols []catalog.Column, lo, hi int) {
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

func (e *csvEncoder) close(ctx context.Context) error { return e.flush(ctx) }
