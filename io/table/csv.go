package table

import (
	"context"

	"skyjoin/io/catalog"
)

// csvEncoder writes a table as CSV (RFC 4180): a line of names, then a line
// per row. A null is an empty cell, an empty string is "".
type csvEncoder struct {
	out  *output
	buf  []byte
	cell []cellFunc
}

func newCSVEncoder(out *output, fields []catalog.Field, _ Options) (encoder, error) {
	e := &csvEncoder{out: out}
	for i, f := range fields {
		cell, err := cellOf(f, ',')
		if err != nil {
			return nil, err
		}
		e.cell = append(e.cell, cell)
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.buf = appendText(e.buf, f.Name, ',')
	}
	e.buf = append(e.buf, '\n')
	return e, nil
}

func (e *csvEncoder) rows(ctx context.Context, cols []catalog.Column) error {
	n, _ := columnLen(&cols[0], cols[0].Field.Type)
	for row := range n {
		start := len(e.buf)
		for i := range cols {
			if i > 0 {
				e.buf = append(e.buf, ',')
			}
			if cols[i].Null == nil || !cols[i].Null[row] {
				e.buf = e.cell[i](e.buf, &cols[i], row)
			}
		}
		if len(e.buf) == start { // an empty line would be no row
			e.buf = append(e.buf, `""`...)
		}
		e.buf = append(e.buf, '\n')
		if len(e.buf) >= 1<<16 {
			if err := e.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *csvEncoder) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := e.out.Write(e.buf)
	e.buf = e.buf[:0]
	return err
}

func (e *csvEncoder) close(ctx context.Context) error { return e.flush(ctx) }
