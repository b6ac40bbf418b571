package fits

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
)

// Input reads tables, the first of a file unless another is named. NaN is
// null, as the standard has it.
var Input = format.Input{
	Name:       "fits",
	Extensions: []string{".fits", ".fit", ".fts"},
	Tables:     true,
	Sniff:      func(start *format.Start) bool { return bytes.HasPrefix(start.Bytes, []byte("SIMPLE  =")) },
	Open:       open,
}

// A reader is a table of a file.
type reader struct {
	format.Head
	path  string
	size  int64 // of the file
	table *Table
}

// blockBytes is about how many bytes of rows are read at a time.
const blockBytes = 1 << 20

func open(ctx context.Context, path string, opt format.Options) (format.Reader, error) {
	s := &reader{Head: format.Head{Name: "fits"}, path: path}
	r, err := format.OpenAt(path, 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if s.size, err = fileSize(path); err != nil {
		return nil, err
	}
	size, compressed := s.size, format.IsCompressed(path)
	if compressed {
		size = -1
	}
	if s.table, err = Read(r, size, opt.Extension); err != nil {
		if asked := (*ExtensionError)(nil); errors.As(err, &asked) {
			err = format.Requestf("%w", err)
		}
		return nil, err
	}
	if compressed && (s.table.isScattered() || slices.ContainsFunc(s.table.Columns, func(c Column) bool { return c.Variable })) {
		return nil, format.ErrAnywhere
	}
	if compressed { // how much there is, is known by reading it
		n, err := io.CopyN(io.Discard, format.UntilDone{Ctx: ctx, Reader: r}, s.table.End-s.table.Data)
		if err == io.EOF {
			return nil, fmt.Errorf("the header claims %d bytes of data, there are %d: it is truncated or damaged", s.table.End-s.table.Data, n)
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range s.table.Columns {
		s.Columns = append(s.Columns, fieldOf(&s.table.Columns[i], i))
	}
	s.Count, s.Meta = s.table.Rows, Metadata(s.table.Cards)
	s.annotate()
	return s, nil
}

func fileSize(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, format.Bare(err)
	}
	return info.Size(), nil
}

// Marks around the YAML header that astropy writes in comments for properties
// that FITS has no keywords for.
const (
	astropyBegin = "--BEGIN-ASTROPY-SERIALIZED-COLUMNS--\n"
	astropyEnd   = "--END-ASTROPY-SERIALIZED-COLUMNS--"
)

// annotate applies the notes on columns that astropy writes in comments, and
// makes those comments metadata of their own.
func (s *reader) annotate() {
	for i, kv := range s.Meta {
		before, rest, ok := strings.Cut(kv.Value, astropyBegin)
		text, after, closed := strings.Cut(rest, astropyEnd)
		if kv.Key != "COMMENT" || !ok || !closed {
			continue
		}
		text = strings.ReplaceAll(text, "\\\n", "") // long lines are broken
		notes := ecsv.Notes(text)
		for j := range s.Columns {
			s.Columns[j].Annotate(notes[s.Columns[j].Name])
		}
		if s.Meta[i].Value = strings.Trim(before+after, "\n"); s.Meta[i].Value == "" {
			s.Meta = slices.Delete(s.Meta, i, i+1)
		}
		s.Meta = append(s.Meta, format.KeyValue{Key: ecsv.MetaKey, Value: text})
		return
	}
}

// types are those of the values of each kind.
var types = map[Kind]format.Type{
	Logical: format.Bool, Bit: format.Bool, Byte: format.Uint8, Int16: format.Int16, Int32: format.Int32, Int64: format.Int64,
	Character: format.String, Float32: format.Float32, Float64: format.Float64,
}

// unsigned are the types of unsigned integers.
var unsigned = map[Kind]format.Type{Byte: format.Uint8, Int16: format.Uint16, Int32: format.Uint32, Int64: format.Uint64}

// fieldOf describes a column of the table.
func fieldOf(c *Column, i int) format.Field {
	f := format.Field{
		Name: format.ColumnName(c.Name, i), Type: types[c.Kind], Text: c.Form,
		Unit: c.Unit, UCD: c.UCD, Description: c.Comment,
	}
	switch {
	case c.Signed8:
		f.Type = format.Int8
	case c.Unsigned:
		f.Type = unsigned[c.Kind]
	case c.Scaled() && f.Type != format.Unsupported:
		f.Type = format.Float64
		f.Text += fmt.Sprintf(" × %g + %g", c.Scale, c.Zero)
	}
	if c.Complex {
		f.Text += " (complex: real, imaginary)"
	}
	f.Nullable = !c.IsInteger() || c.HasNull || c.Text
	f.Layout = c.layout()
	switch {
	case f.Type == format.Unsupported:
		f.Text += " (complex)"
	case c.Variable && f.Type == format.String:
	case c.Variable || c.Count != 1:
		e := f
		e.Nullable = true
		f = format.Field{Name: f.Name, Type: format.List, Text: f.Text, Unit: f.Unit, UCD: f.UCD, Description: f.Description, Elem: &e, Layout: f.Layout}
	}
	return f
}

// layout returns how the values are arranged.
func (c *Column) layout() format.Layout {
	l := format.Layout{Complex: c.Complex, Bits: c.Kind == Bit}
	stored, count := c.Count, c.Count
	switch {
	case c.Complex:
		stored, count = c.Count/2, c.Count/2
	case c.Kind == Character:
		stored *= c.Width
	}
	if c.Variable || count == 1 && !c.Complex {
		return l
	}
	axes, ok := axesOf(c.Dim)
	if c.Kind == Character && (!ok || axes[0] != c.Width) {
		axes, ok = []int64{c.Width, c.Count}, true
	}
	if !ok || product(axes) != stored {
		axes = []int64{count}
	}
	l.Axes = format.AxesOf(axes...)
	return l
}

// Notes implements [format.Noter].
func (s *reader) Notes() []string {
	switch {
	case s.table.ASCII:
		return []string{"an ASCII table (XTENSION = TABLE)"}
	case s.table.byColumn:
		return []string{"one row of arrays, each a column (colfits)"}
	case s.table.tiles != nil:
		return []string{"a compressed table (ZTABLE)"}
	}
	return nil
}

// Read implements [format.Reader].
func (s *reader) Read(ctx context.Context, j format.Job) error {
	return s.withBlocks(j.Refs, func(b *format.Blocks[rowBlock]) error { return b.Read(ctx, j) })
}

// Flow implements [format.Reader].
func (s *reader) Flow(ctx context.Context, w format.Flow) error {
	return s.withBlocks(w.Refs, func(b *format.Blocks[rowBlock]) error { return b.Flow(ctx, w) })
}
