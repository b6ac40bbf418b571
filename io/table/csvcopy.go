package table

import (
	"context"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
	"skyjoin/io/catalog"
)

// textLayout returns the common layout of the files of a catalog whose rows
// can be copied as they are: all CSV, with the same line of names and the same
// delimiter.
func textLayout(cat *catalog.Catalog) (catalog.TextLayout, bool) {
	var first catalog.TextLayout
	for i := range cat.Files() {
		l, ok := cat.Text(i)
		if !ok || i > 0 && (l.Header != first.Header || l.Delimiter != first.Delimiter) {
			return first, false
		}
		if i == 0 {
			first = l
		}
	}
	return first, len(cat.Files()) > 0
}

// csvCopy copies rows of text as they are, with cells added at their ends.
type csvCopy struct {
	csvEncoder
	layout catalog.TextLayout
}

// copyCSV copies CSV files into one: the comments of the first, the names, the
// units if there are any, and the rows, in the first file's delimiter and line
// ends. What is between rows, comments and empty lines, is left out.
func copyCSV(ctx context.Context, out format.Sink, cat *catalog.Catalog, added format.Added, opt format.WriteOptions) error {
	layout, _ := textLayout(cat)
	if layout.LineEnd == "" {
		layout.LineEnd = "\n"
	}
	c := &csvCopy{csvEncoder{out: out}, layout}
	if err := c.head(added); err != nil {
		return err
	}
	row, told := int64(0), int64(0)
	const block = 1 << 16
	for i := range cat.Files() {
		var cols []format.Column // of the rows [at, at+block)
		at := row
		for raw, err := range cat.RawRows(ctx, i) {
			if err != nil {
				return err
			}
			if cols == nil || row == at+block {
				end := min(row+block, cat.Rows())
				if err := added.Advance(ctx, row, end); err != nil {
					return err
				}
				cols, at = blocksOf(added, row, end), row
			}
			c.buf = append(c.buf, raw...)
			for j := range cols {
				c.buf = append(c.buf, layout.Delimiter)
				if r := int(row - at); !cols[j].IsNull(r) {
					c.buf = c.cell[j](c.buf, &cols[j], r)
				}
			}
			c.buf = append(c.buf, layout.LineEnd...)
			if row++; len(c.buf) >= 1<<16 {
				opt.Progress(row - told)
				told = row
				if err := c.flush(ctx); err != nil {
					return err
				}
			}
		}
	}
	opt.Progress(row - told)
	return c.flush(ctx)
}

// head writes what precedes the rows.
func (c *csvCopy) head(added format.Added) error {
	for _, line := range c.layout.Comments {
		c.line(line)
	}
	// Names in a comment are known by a row of numbers below, which the row
	// need not be with cells added.
	names, units := strings.TrimLeft(c.layout.Header, "# "), c.layout.Units
	for _, f := range added.Fields() {
		text, err := cell.Of(f, c.layout.Delimiter)
		if err != nil {
			return err
		}
		c.cell = append(c.cell, text)
		names += string(c.layout.Delimiter) + string(cell.AppendText(nil, f.Name, c.layout.Delimiter))
		units += string(c.layout.Delimiter) + f.Unit
	}
	c.line(names)
	if c.layout.Units != "" {
		c.line(units)
	}
	return nil
}

func (c *csvCopy) line(s string) {
	c.buf = append(append(c.buf, strings.TrimRight(s, "\r\n")...), c.layout.LineEnd...)
}

// blocksOf returns the values of rows [lo, hi) of all columns that are added.
func blocksOf(added format.Added, lo, hi int64) []format.Column {
	out := make([]format.Column, len(added.Fields()))
	for i := range out {
		out[i] = added.Block(i, lo, hi)
	}
	return out
}
