package text

import (
	"context"
	"fmt"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
)

// copies returns how files are written as CSV without their values being parsed:
// lines of CSV as they are, and what gives its values as text.
func copies(files []format.Reader) format.Copy {
	lines, texts := true, true
	for _, f := range files {
		_, ok := f.(format.Transcriber)
		texts = texts && ok
		r, ok := f.(*reader)
		lines = lines && ok && r.name == "csv"
		if lines {
			first := files[0].(*reader).layout
			lines = r.layout.header == first.header && r.layout.delimiter == first.delimiter
		}
	}
	switch {
	case lines:
		return copyLines
	case texts:
		return transcribe
	}
	return nil
}

// A layout is how a CSV file looks around its data rows. None of the lines has
// its line end.
type layout struct {
	delimiter byte     // between cells
	comments  []string // comment lines before the names, and between them and the next row
	header    string   // the line of names; a comment (#…) if the file has them in one
	units     string   // the row of units, "" if there is none
	lineEnd   string   // of the header: "\n", "\r\n" or "\r"; "" if the file ends with it
}

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
// ends. What is between rows, comments and empty lines, is left out.
func copyLines(ctx context.Context, to format.Sink, from format.Table, added format.Added, opt format.WriteOptions) error {
	c := &copier{encoder: encoder{to: to}, layout: from.Files[0].Reader.(*reader).layout, added: added, opt: opt}
	if c.layout.lineEnd == "" {
		c.layout.lineEnd = "\n"
	}
	if err := c.head(added); err != nil {
		return err
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
		if r := int(c.row - c.at); !c.cols[i].IsNull(r) {
			c.buf = c.cell[i](c.buf, &c.cols[i], r)
		}
	}
	c.buf = append(c.buf, c.layout.lineEnd...)
	if c.row++; len(c.buf) < 1<<16 {
		return nil
	}
	c.opt.Progress(c.row - c.told)
	c.told = c.row
	return c.flush(ctx)
}

// head writes what precedes the rows.
func (c *copier) head(added format.Added) error {
	for _, line := range c.layout.comments {
		c.headLine(line)
	}
	// Names in a comment are known by a row of numbers below, which the row
	// need not be with cells added.
	names, units := strings.TrimLeft(c.layout.header, "# "), c.layout.units
	for _, f := range added.Fields() {
		text, err := cell.Of(f, c.layout.delimiter)
		if err != nil {
			return err
		}
		c.cell = append(c.cell, text)
		names += string(c.layout.delimiter) + string(cell.AppendText(nil, f.Name, c.layout.delimiter))
		units += string(c.layout.delimiter) + f.Unit
	}
	c.headLine(names)
	if c.layout.units != "" {
		c.headLine(units)
	}
	return nil
}

func (c *copier) headLine(s string) {
	c.buf = append(append(c.buf, strings.TrimRight(s, "\r\n")...), c.layout.lineEnd...)
}

// blocksOf returns the values of rows [lo, hi) of all columns that are added.
func blocksOf(added format.Added, lo, hi int64) []format.Column {
	out := make([]format.Column, len(added.Fields()))
	for i := range out {
		out[i] = added.Block(i, lo, hi)
	}
	return out
}
