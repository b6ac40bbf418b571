package votable

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"skyjoin/internal/each"
	"skyjoin/internal/format"
)

// sniff looks for the root element, before which may be comments.
func sniff(start *format.Start) bool {
	return bytes.Contains(start.Bytes[:min(len(start.Bytes), 4096)], []byte("<VOTABLE"))
}

// Input reads tables, the first of a document unless another is named.
var Input = format.Input{
	Name:       "votable",
	Extensions: []string{".vot", ".votable", ".xml"},
	Tables:     true,
	Sniff:      sniff,
	Open:       open,
}

// A file is a document of which a table is read. Opening it reads it once,
// to count rows; every read parses it again.
type file struct {
	format.Head
	path   string
	folder string // in which files beside it are
	beside string // that of them which has the rows, if one has
	want   string // the name, ID or number of the table; "" the first
	more   bool   // another table follows
	stored []Field
}

// Beside returns the file that has the rows, "" if the document has them.
func (s *file) Beside() string { return s.beside }

// Notes implements [format.Noter].
func (s *file) Notes() []string {
	var notes []string
	if s.more && s.want == "" {
		notes = append(notes, "the first of several tables; --hdu 2 reads the second")
	}
	if s.beside != "" {
		notes = append(notes, "the rows are in "+s.beside)
	}
	return notes
}

func open(ctx context.Context, path string, opt format.Options) (format.Reader, error) {
	s := &file{Head: format.Head{Name: "votable"}, path: path, folder: opt.Folder, want: opt.Extension}
	return s, s.withReader(func(t *Reader) error {
		s.stored, s.Meta, s.beside = t.Fields, t.Notes, t.Beside
		for i := range t.Fields {
			s.Columns = append(s.Columns, fieldOf(&t.Fields[i], i))
		}
		if t.away != nil {
			return s.elsewhere(ctx, t)
		}
		none := make([]bool, len(t.Fields))
		for ; ; s.Count++ {
			if s.Count%1024 == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if _, err := t.Next(none); err == io.EOF {
				err = t.Trailer()
				s.Meta, s.more = t.Notes, t.more
				return err
			} else if err != nil {
				return err
			}
		}
	})
}

// withReader opens the document and calls do with its table.
func (s *file) withReader(do func(*Reader) error) error {
	r, err := format.OpenAt(s.path, 0)
	if err != nil {
		return err
	}
	defer r.Close()
	t, err := NewReader(r, s.want, s.folder)
	if err != nil {
		return err
	}
	defer t.Close()
	return do(t)
}

// elsewhere returns where the rows are, with what is behind the table in the document.
func (s *file) elsewhere(ctx context.Context, t *Reader) error {
	e := t.away
	if t.inline != nil {
		if _, err := io.Copy(io.Discard, format.UntilDone{Ctx: ctx, Reader: t.inline}); err != nil {
			return err
		}
		e.Content = s.inline
	}
	if err := t.Trailer(); err != nil {
		return err
	}
	s.Meta, s.more = t.Notes, t.more
	e.Fields, e.Meta, e.Notes = s.Columns, s.Meta, s.Notes()
	return e
}

// inline opens the file of another format that is in the document.
func (s *file) inline() (io.ReadCloser, error) {
	r, err := format.OpenAt(s.path, 0)
	if err != nil {
		return nil, err
	}
	t, err := NewReader(r, s.want, s.folder)
	if err != nil || t.inline == nil {
		r.Close()
		return nil, cmp.Or(err, format.ErrChanged)
	}
	return struct {
		io.Reader
		io.Closer
	}{t.inline, r}, nil
}

// types are those of elements.
var types = map[Kind]format.Type{
	Boolean: format.Bool, Bit: format.Bool, Byte: format.Uint8, Int16: format.Int16, Int32: format.Int32, Int64: format.Int64,
	Char: format.String, Unicode: format.String, Float32: format.Float32, Float64: format.Float64,
}

// fieldOf describes a field. Any cell of a VOTable may be null.
func fieldOf(v *Field, i int) format.Field {
	f := format.Field{
		Name: format.ColumnName(v.Name, i), Type: types[v.Kind], Text: v.Datatype, Nullable: true,
		Unit: v.Unit, UCD: v.UCD, Description: v.Description,
	}
	if v.Arraysize != "" {
		f.Text += "[" + v.Arraysize + "]"
	}
	if v.Complex {
		f.Text += " (complex: real, imaginary)"
	}
	f.Layout = format.Layout{Complex: v.Complex, Bits: v.Kind == Bit}
	if v.List && f.Type != format.Unsupported {
		e := f
		f.Type, f.Elem = format.List, &e
		if !v.Variable {
			f.Layout.Axes = strings.ReplaceAll(cmp.Or(v.Arraysize, "1"), " ", "")
		}
	}
	return f
}

// Read implements [format.Reader].
func (s *file) Read(ctx context.Context, j format.Job) error {
	fields := each.Of(j.Dst, func(c *format.Column) format.Field { return c.Field })
	return s.withBlocks(j.Refs, fields, func(b *format.Blocks[[]format.Column]) error { return b.Read(ctx, j) })
}

// Flow implements [format.Reader].
func (s *file) Flow(ctx context.Context, w format.Flow) error {
	return s.withBlocks(w.Refs, w.Fields, func(b *format.Blocks[[]format.Column]) error { return b.Flow(ctx, w) })
}

// blockRows is how many rows a block has, if they are not wide and their lists not
// long.
const blockRows = 1 << 14

// withBlocks opens the document and calls do with its rows. Blocks are decoded
// columns, because parsing is sequential and is nearly all of the work.
func (s *file) withBlocks(refs []format.Ref, fields []format.Field, do func(*format.Blocks[[]format.Column]) error) error {
	return s.withReader(func(t *Reader) error {
		want := make([]bool, len(t.Fields))
		for _, r := range refs {
			if r.Field < len(want) {
				want[r.Field] = true
			}
		}
		w, row, width := format.Flow{Fields: fields}, int64(0), int64(1)
		for _, f := range fields {
			width += f.Type.Bytes()
		}
		most := max(1, min(blockRows, format.FlowBytes/width))
		return do(&format.Blocks[[]format.Column]{
			Next: func([]format.Column) ([]format.Column, int64, error) {
				left := min(most, s.Count-row)
				cols := w.Columns(left)
				n, err := s.block(t, want, refs, cols, int(left))
				row += int64(n)
				for i := range cols {
					if cols[i].List == nil {
						cols[i] = cols[i].Slice(0, n)
					}
				}
				return cols, int64(n), err
			},
			Columns: func(block []format.Column) []format.Column { return block },
		})
	})
}

// block reads the given number of rows, or fewer if their lists are long, into
// columns and returns the number read, 0 and io.EOF after the last row.
func (s *file) block(t *Reader, want []bool, refs []format.Ref, cols []format.Column, rows int) (int, error) {
	if rows == 0 {
		_, err := t.Next(want)
		if err == nil {
			err = format.ErrChanged
		}
		return 0, err
	}
	texts := make([]format.Texts, len(refs))
	row := 0
	for elements := 0; row < rows && elements < format.FlowElements; row++ {
		cells, err := t.Next(want)
		if err == io.EOF {
			err = format.ErrChanged
		}
		if err != nil {
			return 0, err
		}
		for i, r := range refs {
			f, c := &s.stored[r.Field], &cells[r.Field]
			if c.Null {
				err = format.PutNull(&cols[i], row)
			} else if !f.List {
				elements++
				if !put(&cols[i], row, f, c, 0, &texts[i]) {
					err = format.PutNull(&cols[i], row)
				}
			} else {
				n := f.values(c)
				elements += n
				err = format.PutCell(&cols[i], row, max(0, r.Elem), n, func(to *format.Column, row, k int) bool { return put(to, row, f, c, k, &texts[i]) })
			}
			if err != nil {
				return 0, err
			}
		}
	}
	for i := range cols {
		if s.stored[refs[i].Field].Kind.IsText() {
			texts[i].Flush(&cols[i])
		}
	}
	return row, nil
}

// values returns the number of values of a cell; a text is one, a list of strings
// of fixed width as many as begin in it.
func (f *Field) values(c *Cell) int {
	switch {
	case !f.Kind.IsText():
		return len(c.Nulls)
	case !f.List:
		return 1
	}
	return (utf8.RuneCount(c.Text) + f.Width - 1) / f.Width
}

// put puts an element of a cell into a row of a column; false if it is null.
func put(dst *format.Column, row int, f *Field, c *Cell, elem int, text *format.Texts) bool {
	if f.Kind.IsText() {
		text.Add(f.element(c.Text, elem), row)
		return true
	}
	if c.Nulls[elem] {
		return false
	}
	switch {
	case dst.Float64 != nil:
		dst.Float64[row] = c.Floats[elem]
	case dst.Float32 != nil:
		dst.Float32[row] = float32(c.Floats[elem])
	case dst.Int64 != nil:
		dst.Int64[row] = c.Ints[elem]
	case dst.Uint64 != nil:
		dst.Uint64[row] = uint64(c.Ints[elem])
	case dst.Bool != nil:
		dst.Bool[row] = c.Ints[elem] != 0
	}
	return true
}

// element returns a string of a list of strings of fixed width, without what
// fills its place; the whole text if the field is no list.
func (f *Field) element(text []byte, elem int) []byte {
	if !f.List {
		return text
	}
	for range elem {
		text = text[characters(text, f.Width):]
	}
	text, _, _ = bytes.Cut(text[:characters(text, f.Width)], []byte{0})
	return bytes.TrimRight(text, " ")
}

// characters returns the bytes of the first n characters.
func characters(text []byte, n int) int {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at
}
