package text

import (
	"context"
	"strings"

	"skyjoin/internal/each"
	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
	"skyjoin/internal/par"
)

// An encoder writes a table as CSV (RFC 4180): a line of names, then a line per
// row. A null is an empty cell, an empty string is "".
type encoder struct {
	to    format.Sink
	comma byte   // between cells
	null  string // the cell of a null, where nulls has no other
	nulls map[int]string
	buf   []byte
	start int // of the line in buf
	cell  []cell.Func
	parts []encoder // of some lines each, made side by side; they have no to
	block int       // lines of a part
}

// newEncoder returns an encoder that has no columns yet.
func newEncoder(to format.Sink, opt format.WriteOptions) *encoder {
	return &encoder{to: to, comma: ',', parts: make([]encoder, par.Threads(opt.Threads)), block: 64}
}

// delimiter sets what is between cells. Between blanks no cell is empty.
func (e *encoder) delimiter(comma byte) {
	if e.comma = comma; comma == ' ' {
		e.null = `""`
	}
}

// name writes a cell of the line of names.
func (e *encoder) name(name string) { e.buf = append(appendName(e.buf, name, e.comma), e.comma) }

// appendName appends the name of a column. One that is a number is in quotes, as it
// could be taken for a value: see [header.findNumbers]. So is one with a character
// that could be taken for what is between cells.
func appendName(dst []byte, name string, comma byte) []byte {
	if isNumber(name) || strings.ContainsAny(name, csvDelims) {
		return cell.AppendQuoted(dst, name)
	}
	return cell.AppendText(dst, name, comma)
}

// columns ends the line of names with those of columns that value writes.
func (e *encoder) columns(fields []format.Field) error {
	for _, f := range fields {
		text, err := cell.Of(f, e.comma)
		if err != nil {
			return err
		}
		e.cell = append(e.cell, text)
		e.name(f.Name)
	}
	return e.endRow(context.Background())
}

// value writes the cell of a row of the i-th column.
func (e *encoder) value(i int, c *format.Column, row int) {
	e.buf = append(e.appendCell(e.buf, i, c, row), e.comma)
}

// appendCell appends the cell of a row of the i-th column.
func (e *encoder) appendCell(dst []byte, i int, c *format.Column, row int) []byte {
	if !c.IsNull(row) {
		return e.cell[i](dst, c, row)
	}
	if null, ok := e.nulls[i]; ok {
		return append(dst, null...)
	}
	return append(dst, e.null...)
}

// endRow ends a line of cells, each with a delimiter after it, and writes the lines
// so far if they are many.
func (e *encoder) endRow(ctx context.Context) error {
	if e.endLine(); e.start < 1<<16 {
		return nil
	}
	return e.flush(ctx)
}

func (e *encoder) endLine() {
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

// Rows implements [format.Writer].
func (e *encoder) Rows(ctx context.Context, cols []format.Column) error {
	if err := e.flush(ctx); err != nil {
		return err
	}
	n := cols[0].Len()
	for lo := 0; lo < n; {
		hi := min(n, lo+e.block*len(e.parts))
		par.Chunks(len(e.parts), hi-lo, func(part, from, to int) {
			p := &e.parts[part]
			p.buf, p.start, p.cell, p.comma, p.null, p.nulls = p.buf[:0], 0, e.cell, e.comma, e.null, e.nulls
			p.lines(cols, lo+from, lo+to)
		})
		most := 0
		for i := range e.parts {
			p := &e.parts[i]
			most = max(most, len(p.buf))
			if _, err := e.to.Write(p.buf); err != nil {
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
func (e *encoder) lines(cols []format.Column, lo, hi int) {
	for row := lo; row < hi; row++ {
		for i := range cols {
			e.value(i, &cols[i], row)
		}
		e.endLine()
	}
}

func (e *encoder) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := e.to.Write(e.buf)
	e.buf, e.start = e.buf[:0], 0
	return err
}

// Close implements [format.Writer].
func (e *encoder) Close(ctx context.Context) error { return e.flush(ctx) }

// blocksOf returns the values of rows [lo, hi) of all columns that are added.
func blocksOf(added format.Added, lo, hi int64) []format.Column {
	return each.To(len(added.Fields()), func(i int) format.Column { return added.Block(i, lo, hi) })
}
