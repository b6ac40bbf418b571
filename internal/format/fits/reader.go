package fits

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
)

// extensions are the names that FITS files end in.
var extensions = []string{".fits", ".fit", ".fts", ".fits.gz", ".fit.gz", ".fts.gz"}

// Input reads binary tables, the first of a file unless another is named. NaN is
// null, as the standard has it.
var Input = format.Input{
	Name:       "fits",
	Extensions: extensions,
	Sniff: func(path string, head []byte) bool {
		return strings.HasPrefix(string(head), "SIMPLE  =") || format.HasExtension(path, extensions)
	},
	Open: open,
}

// A reader is a binary table of a file.
type reader struct {
	path  string
	size  int64 // of the file
	table *Table
	field []format.Field
	meta  []format.KeyValue
}

// blockBytes is about how many bytes of rows are read at a time.
const blockBytes = 1 << 20

func open(ctx context.Context, path string, opt format.Options) (format.Reader, error) {
	s := &reader{path: path}
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
	if compressed { // how much there is, is known by reading it
		n, err := io.CopyN(io.Discard, contextReader{ctx, r}, s.table.End-s.table.Data)
		if err == io.EOF {
			return nil, fmt.Errorf("the header claims %d bytes of data, there are %d: it is truncated or damaged", s.table.End-s.table.Data, n)
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range s.table.Columns {
		s.field = append(s.field, fieldOf(&s.table.Columns[i], i))
	}
	s.meta = Metadata(s.table.Cards)
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

// The header that astropy writes in comments for what FITS has no keyword for.
const (
	astropyBegin = "--BEGIN-ASTROPY-SERIALIZED-COLUMNS--\n"
	astropyEnd   = "--END-ASTROPY-SERIALIZED-COLUMNS--"
)

// annotate takes the notes on columns that astropy has left in the comments.
func (s *reader) annotate() {
	for i, kv := range s.meta {
		before, rest, ok := strings.Cut(kv.Value, astropyBegin)
		text, after, closed := strings.Cut(rest, astropyEnd)
		if kv.Key != "COMMENT" || !ok || !closed {
			continue
		}
		notes := ecsv.Notes(strings.ReplaceAll(text, "\\\n", "")) // long lines are broken
		for j := range s.field {
			s.field[j].Annotate(notes[s.field[j].Name])
		}
		if s.meta[i].Value = strings.Trim(before+after, "\n"); s.meta[i].Value == "" {
			s.meta = slices.Delete(s.meta, i, i+1)
		}
		return
	}
}

// contextReader ends with the error of a context that is done.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
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
		Name: cmp.Or(c.Name, fmt.Sprintf("col%d", i+1)), Type: types[c.Kind], Text: c.Form,
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
	f.Nullable = !c.IsInteger() || c.HasNull
	switch {
	case f.Type == format.Unsupported:
		f.Text += " (complex)"
	case c.Variable && f.Type == format.String:
	case c.Variable || c.Count != 1:
		e := f
		e.Nullable = true
		f = format.Field{Name: f.Name, Type: format.List, Text: f.Text, Unit: f.Unit, UCD: f.UCD, Description: f.Description, Elem: &e}
	}
	return f
}

// Format implements [format.Reader].
func (s *reader) Format() string { return "fits" }

// Fields implements [format.Reader].
func (s *reader) Fields() []format.Field { return s.field }

// Rows implements [format.Reader].
func (s *reader) Rows() int64 { return s.table.Rows }

// Metadata implements [format.Reader].
func (s *reader) Metadata() []format.KeyValue { return s.meta }

// Check implements [format.Reader].
func (s *reader) Check(r format.Ref) error {
	f, c := s.field[r.Field], &s.table.Columns[r.Field]
	if f.Type == format.Unsupported {
		return format.Requestf("column %s is %s, which cannot be read", f.Name, f.Text)
	}
	if c.Variable && format.IsCompressed(s.path) {
		return fmt.Errorf("column %s has arrays of variable length, which need a file that is not compressed: gunzip it", f.Name)
	}
	return nil
}

// Read implements [format.Reader].
func (s *reader) Read(ctx context.Context, j format.Job) error {
	return s.withBlocks(j.Refs, func(b *format.Blocks[block]) error { return b.Read(ctx, j) })
}

// Flow implements [format.Reader].
func (s *reader) Flow(ctx context.Context, w format.Flow) error {
	return s.withBlocks(w.Refs, func(b *format.Blocks[block]) error { return b.Flow(ctx, w) })
}

// A block is the bytes of consecutive rows. Where a file can be read at any
// position they are read by whoever decodes them.
type block struct {
	at    int64 // in the file
	bytes []byte
}

// withBlocks opens the file, which must be what it was, at its first row, and
// does something with its rows.
func (s *reader) withBlocks(refs []format.Ref, do func(*format.Blocks[block]) error) error {
	r, err := format.OpenAt(s.path, s.table.Data)
	if err != nil {
		return err
	}
	defer r.Close()
	if size, err := fileSize(s.path); err != nil || s.size != size {
		return cmp.Or(err, format.ErrChanged)
	}
	file, _ := r.(io.ReaderAt)
	cells := make([]cells, len(refs))
	for i, ref := range refs {
		cells[i] = s.cellsOf(ref, file)
	}
	per, row := max(1, blockBytes/max(1, s.table.RowBytes)), int64(0)
	return do(&format.Blocks[block]{
		Next: func(old block) (b block, n int64, err error) {
			if n = min(per, s.table.Rows-row); n == 0 {
				return b, 0, io.EOF
			}
			b = block{s.table.Data + row*s.table.RowBytes, resize(old.bytes, n*s.table.RowBytes)}
			row += n
			if file == nil {
				if _, err = io.ReadFull(r, b.bytes); err == io.EOF || err == io.ErrUnexpectedEOF {
					err = format.ErrChanged
				}
			}
			return b, n, err
		},
		Decode: func(b block, n int64, cols []format.Column) error {
			if file != nil {
				if _, err := file.ReadAt(b.bytes, b.at); err == io.EOF {
					return format.ErrChanged
				} else if err != nil {
					return err
				}
			}
			for i := range cells {
				if err := cells[i].decode(b.bytes, &cols[i], int(n)); err != nil {
					return fmt.Errorf("column %s: %w", s.field[refs[i].Field].Name, err)
				}
			}
			return nil
		},
	})
}

// resize returns n bytes, in buf if it is large enough.
func resize(buf []byte, n int64) []byte {
	if int64(cap(buf)) < n {
		return make([]byte, n)
	}
	return buf[:n]
}

// cells are the values of a column, or of one element of it.
type cells struct {
	table *Table
	col   *Column
	elem  int
	file  io.ReaderAt   // with the heap; nil of a compressed file
	taken *atomic.Int64 // bytes of the heap in the lists read
}

func (s *reader) cellsOf(r format.Ref, file io.ReaderAt) cells {
	return cells{s.table, &s.table.Columns[r.Field], max(0, r.Elem), file, new(atomic.Int64)}
}

// decode puts the values of n rows, of which block has the bytes, into a column.
func (c *cells) decode(block []byte, dst *format.Column, n int) error {
	var text format.Texts
	var array []byte
	var values []byte // from the first of the row on
	leaf := dst.Field.Leaf()
	store := c.putter(leaf.Storage(), &text)
	put := func(to *format.Column, row, i int) bool { return store(values, i, to, row) }
	stride := int(c.table.RowBytes)
	if dst.List == nil && !c.col.Variable && int64(c.elem) < c.col.Count {
		for row := range n {
			if !store(block[row*stride+int(c.col.Offset):], c.elem, dst, row) {
				if err := format.PutNull(dst, row); err != nil {
					return err
				}
			}
		}
		n = 0 // all are done
	}
	for row := range n {
		values = block[row*stride+int(c.col.Offset):]
		count := c.col.Count
		if c.col.Variable {
			most := int64(c.elem) + 1
			if dst.List != nil {
				most = math.MaxInt64
			}
			var err error
			if array, count, err = c.array(values, array, most); err != nil {
				return err
			}
			values = array
			// Arrays that share bytes could make a small file fill the memory.
			if dst.List != nil && c.taken.Add(int64(len(array))) > c.table.End-c.table.Heap {
				return errors.New("its arrays overlap in the heap")
			}
		}
		if err := format.PutCell(dst, row, c.elem, int(count), put); err != nil {
			return err
		}
	}
	if leaf == format.String {
		text.Flush(dst)
	}
	return nil
}

// array reads the first values, most of them at most, of the variable-length
// array of the descriptor at b, into buf if it is large enough, and returns
// their number: one for a string, which is read whole.
func (c *cells) array(b, buf []byte, most int64) ([]byte, int64, error) {
	if c.file == nil {
		return nil, 0, errors.New("arrays of variable length cannot be read from a compressed file")
	}
	n, at, err := c.table.Descriptor(c.col, b)
	if err != nil {
		return nil, 0, err
	}
	if c.col.Kind != Character {
		n = min(n, most)
	}
	buf = resize(buf, c.col.ValueBytes(n))
	if _, err := c.file.ReadAt(buf, at); err != nil {
		return nil, 0, format.ErrChanged
	}
	if c.col.Kind == Character {
		return buf, 1, nil
	}
	return buf, n, nil
}

// putter returns how a value is put into a row of a column; false is null.
func (c *cells) putter(to format.Storage, text *format.Texts) func(b []byte, i int, dst *format.Column, row int) bool {
	col := c.col
	switch to {
	case format.InFloat32:
		return func(b []byte, i int, dst *format.Column, row int) bool {
			v := col.Float32(b, i)
			dst.Float32[row] = v
			return v == v
		}
	case format.InFloat64:
		return func(b []byte, i int, dst *format.Column, row int) bool {
			v, null := col.Float(b, i)
			dst.Float64[row] = v
			return !null && v == v
		}
	case format.InInt64:
		return func(b []byte, i int, dst *format.Column, row int) bool {
			v, null := col.Int(b, i)
			dst.Int64[row] = v
			return !null
		}
	case format.InUint64:
		return func(b []byte, i int, dst *format.Column, row int) bool {
			v, null := col.Int(b, i)
			dst.Uint64[row] = uint64(v)
			return !null
		}
	case format.InBool:
		return func(b []byte, i int, dst *format.Column, row int) bool {
			v, null := col.Bool(b, i)
			dst.Bool[row] = v
			return !null
		}
	}
	return func(b []byte, i int, _ *format.Column, row int) bool {
		width := int(col.Width)
		if col.Variable { // b is one string
			width = len(b)
		}
		v, null := textOf(b[i*width : (i+1)*width])
		if !null {
			text.Add(v, row)
		}
		return !null
	}
}
