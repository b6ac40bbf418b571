package text

import (
	"io"
	"strings"

	"skyjoin/internal/format"
)

// A source is where a text is read from: a file, or what is made of it.
type source struct {
	path  string
	text  *string  // nil: the file
	units []string // of the columns, as far as the translation has found them
}

// open opens the text at an offset.
func (s source) open(at int64) (io.ReadCloser, error) {
	if s.text != nil {
		return io.NopCloser(strings.NewReader((*s.text)[min(at, int64(len(*s.text))):])), nil
	}
	return format.OpenAt(s.path, at)
}

// translated makes the source the translation of the file, all of which it reads.
func (s *source) translated(translate func(string) (string, []string, error)) error {
	r, err := format.OpenAt(s.path, 0)
	if err != nil {
		return err
	}
	defer r.Close()
	whole, err := io.ReadAll(io.LimitReader(r, maxRow+1))
	if err == nil && len(whole) > maxRow {
		err = errRowTooLong
	}
	if err != nil {
		return err
	}
	text, units, err := translate(string(whole))
	s.text, s.units = &text, units
	return err
}
