package text

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"skyjoin/internal/each"
	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
	"skyjoin/internal/format/ecsv"
)

// A copier copies rows of text as they are, with cells added at their ends.
type copier struct {
	encoder
	layout layout // of the first file, with a line end
	added  format.Added
	opt    format.WriteOptions

	row, told int64           // next row; those that progress knows of
	cols      []format.Column // of the added columns, for a block of rows
	at        int64           // first row of cols
}

// copyLines copies CSV files into one: the comments of the first, the names, the
// units if there are any, and the rows, in the first file's delimiter and line
// ends. Names of which some are numbers are in quotes where they must. What is between rows, comments and empty lines, is left out.
func copyLines(ctx context.Context, to format.Sink, from format.Table, added format.Added, opt format.WriteOptions) error {
	first := from.Files[0].Reader.(*reader)
	c := &copier{encoder: encoder{to: to}, layout: first.layout, added: added, opt: opt}
	c.delimiter(c.layout.delimiter)
	if c.layout.lineEnd == "" {
		c.layout.lineEnd = "\n"
	}
	var h *ecsv.Header
	if first.header != nil {
		h = first.ecsvCopy(added.Fields(), opt)
		c.layout.comments = h.Lines()
	}
	if err := c.head(first.Columns, added); err != nil {
		return err
	}
	if h != nil {
		c.ecsvCells(added.Fields(), h.Columns[len(first.Columns):])
	}
	rows := int64(0)
	for _, f := range from.Files {
		rows += f.Rows()
	}
	for _, f := range from.Files {
		for raw, err := range f.Reader.(*reader).rawRows(ctx) {
			if err != nil {
				return fmt.Errorf("%s: %w", f.Path, err)
			}
			if err := c.line(ctx, raw, rows); err != nil {
				return err
			}
		}
	}
	opt.Progress(c.row - c.told)
	return c.flush(ctx)
}

// line writes a row, with its cells added, of so many rows of all files.
func (c *copier) line(ctx context.Context, raw []byte, rows int64) error {
	const block = 1 << 16
	if c.cols == nil || c.row == c.at+block {
		end := min(c.row+block, rows)
		if err := c.added.Advance(ctx, c.row, end); err != nil {
			return err
		}
		c.cols, c.at = blocksOf(c.added, c.row, end), c.row
	}
	c.buf = append(c.buf, raw...)
	for i := range c.cols {
		c.buf = append(c.buf, c.layout.delimiter)
		c.buf = c.appendCell(c.buf, i, &c.cols[i], int(c.row-c.at))
	}
	c.buf = append(c.buf, c.layout.lineEnd...)
	if c.row++; len(c.buf) < 1<<16 {
		return nil
	}
	c.opt.Progress(c.row - c.told)
	c.told = c.row
	return c.flush(ctx)
}

// head writes the lines before the rows of a table.
func (c *copier) head(columns []format.Field, added format.Added) error {
	for _, line := range c.layout.comments {
		c.headLine(line)
	}
	// Names in a comment are recognised by the row of numbers below, which may
	// not be numbers only once cells are added.
	names, units := strings.TrimLeft(c.layout.header, "#!% "), c.layout.units
	if slices.ContainsFunc(columns, func(f format.Field) bool { return isNumber(f.Name) }) {
		quoted := each.Of(columns, func(f format.Field) string { return string(appendName(nil, f.Name, c.layout.delimiter)) })
		names = strings.Join(quoted, string(c.layout.delimiter))
	}
	for _, f := range added.Fields() {
		text, err := cell.Of(f, c.layout.delimiter)
		if err != nil {
			return err
		}
		c.cell = append(c.cell, text)
		names += string(c.layout.delimiter) + string(appendName(nil, f.Name, c.layout.delimiter))
		units += string(c.layout.delimiter) + f.Unit
	}
	c.headLine(names)
	for _, line := range c.layout.between {
		c.headLine(line)
	}
	if c.layout.units != "" {
		c.headLine(units)
	}
	return nil
}

func (c *copier) headLine(s string) {
	c.buf = append(append(c.buf, strings.TrimRight(s, "\r\n")...), c.layout.lineEnd...)
}
