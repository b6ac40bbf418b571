package catalog

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"skyjoin/internal/format"
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
	s, ok := c.sources[file].(*textSource)
	if !ok || s.name != "csv" {
		return TextLayout{}, false
	}
	return s.layout, true
}

// RawRows yields the bytes of each data row of a CSV file, by its number in
// Files, without the line end, in order. Comments and empty lines between rows
// are left out. The bytes are valid until the next step.
func (c *Catalog) RawRows(ctx context.Context, file int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s, ok := c.sources[file].(*textSource)
		if !ok {
			yield(nil, fmt.Errorf("%s: %s has no rows of text", c.files[file].Path, c.files[file].Format))
			return
		}
		if err := s.rawRows(ctx, yield); err != nil {
			yield(nil, fmt.Errorf("%s: %w", s.path, err))
		}
	}
}

// rawRows yields rows until yield ends it. It returns an error that yield has
// not seen.
func (s *textSource) rawRows(ctx context.Context, yield func([]byte, error) bool) error {
	r, err := openText(s.path, s.dataAt)
	if err != nil {
		return err
	}
	defer r.Close()
	in := newBlockReader(r, s.dialect)
	var n int64
	enough := false
	err = in.each(ctx, func(block []byte, _ int) error {
		sc := rowScanner{dialect: s.dialect, buf: block}
		for ; !enough && sc.next() == rowData; n++ {
			enough = !yield(bytes.TrimRight(block[sc.lo:sc.pos], "\r\n"), nil)
		}
		if enough {
			in.stop()
		}
		return nil
	})
	if err == nil && !enough && n != s.n {
		err = format.ErrChanged
	}
	return err
}
