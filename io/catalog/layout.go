package catalog

import (
	"context"
	"fmt"
	"iter"

	"skyjoin/internal/format/text"
)

// A TextLayout is how a text file looks around its data rows, for a writer
// that copies them with cells added. None of the lines has its line end.
type TextLayout struct {
	Delimiter byte     // between cells
	Comments  []string // comment lines before the names, and between them and the next row
	Header    string   // the line of names; a comment (#…) if the file has them in one
	Units     string   // the row of units, "" if there is none
	LineEnd   string   // of the header: "\n", "\r\n" or "\r"; "" if the file ends with it
}

// Text returns the layout of a file, by its number in Files, if its rows can be
// copied as text: it must be CSV.
func (c *Catalog) Text(file int) (TextLayout, bool) {
	r, ok := c.sources[file].(text.Raw)
	if !ok {
		return TextLayout{}, false
	}
	l, ok := r.Layout()
	return TextLayout(l), ok
}

// RawRows yields the bytes of each data row of a CSV file, by its number in
// Files, without the line end, in order. Comments and empty lines between rows
// are left out. The bytes are valid until the next step.
func (c *Catalog) RawRows(ctx context.Context, file int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		path := c.files[file].Path
		r, ok := c.sources[file].(text.Raw)
		if !ok {
			yield(nil, fmt.Errorf("%s: %s has no rows of text", path, c.files[file].Format))
			return
		}
		for row, err := range r.RawRows(ctx) {
			if err != nil {
				err = fmt.Errorf("%s: %w", path, err)
			}
			if !yield(row, err) {
				return
			}
		}
	}
}
