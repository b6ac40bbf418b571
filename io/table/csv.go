package table

import (
	"context"

	"skyjoin/io/catalog"
)

// csvEncoder writes a table as CSV (RFC 4180): a line of names, then a line
// per row. A null is an empty cell, an empty string is "".
type csvEncoder struct {
	out   *output
	buf   []byte
	start int // of the line in buf
	cell  []cellFunc
}

func newCSVEncoder(out *output, fields []catalog.Field, _ Options) (encoder, error) {
	e := &csvEncoder{out: out}
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

// endRow ends a line of cells, each with a comma after it.
func (e *csvEncoder) endRow(ctx context.Context) error {
	if len(e.buf) == e.start+1 { // an empty line would be no row
		e.buf = append(e.buf[:e.start], `"",`...)
	}
	if len(e.buf) > e.start {
		e.buf[len(e.buf)-1] = '\n'
	}
	if e.start = len(e.buf); e.start < 1<<16 {
		return nil
	}
	return e.flush(ctx)
}

func (e *csvEncoder) rows(ctx context.Context, cols []catalog.Column) error {
	for row := range cols[0].Len() {
		for i := range cols {
			e.value(i, &cols[i], row)
		}
		if err := e.endRow(ctx); err != nil {
			return err
		}
	}
	return nil
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
