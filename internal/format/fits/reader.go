package fits

import (
	"bytes"
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

	"skyjoin/internal/each"
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

// Notes implements [format.Noter].
func (s *reader) Notes() []string {
	if s.table.ASCII {
		return []string{"an ASCII table (XTENSION = TABLE)"}
	}
	return nil
}

// Check implements [format.Reader].
func (s *reader) Check(r format.Ref) error {
	err := s.Head.Check(r)
	if err == nil && s.table.Columns[r.Field].Variable && format.IsCompressed(s.path) {
		err = fmt.Errorf("column %s has arrays of variable length, which need a file that is not compressed: gunzip it", s.Columns[r.Field].Name)
	}
	return err
}

// Read implements [format.Reader].
func (s *reader) Read(ctx context.Context, j format.Job) error {
	return s.withBlocks(j.Refs, func(b *format.Blocks[rowBlock]) error { return b.Read(ctx, j) })
}

// Flow implements [format.Reader].
func (s *reader) Flow(ctx context.Context, w format.Flow) error {
	return s.withBlocks(w.Refs, func(b *format.Blocks[rowBlock]) error { return b.Flow(ctx, w) })
}

// A rowBlock is the bytes of consecutive rows. If the file can be read at any
// position, the goroutine that decodes a block also reads it.
type rowBlock struct {
	at    int64 // in the file
	bytes []byte
}

// withBlocks opens the file, whose size must not have changed, and calls do with
// its rows.
func (s *reader) withBlocks(refs []format.Ref, do func(*format.Blocks[rowBlock]) error) error {
	r, err := format.OpenAt(s.path, s.table.Data)
	if err != nil {
		return err
	}
	defer r.Close()
	if size, err := fileSize(s.path); err != nil || s.size != size {
		return cmp.Or(err, format.ErrChanged)
	}
	file, _ := r.(io.ReaderAt)
	cells := each.Of(refs, func(ref format.Ref) cells { return s.cellsOf(ref, file) })
	per, row := max(1, blockBytes/max(1, s.table.RowBytes)), int64(0)
	return do(&format.Blocks[rowBlock]{
		Next: func(old rowBlock) (b rowBlock, n int64, err error) {
			if n = min(per, s.table.Rows-row); n == 0 {
				return b, 0, io.EOF
			}
			b = rowBlock{s.table.Data + row*s.table.RowBytes, resize(old.bytes, n*s.table.RowBytes)}
			row += n
			if file == nil {
				if _, err = io.ReadFull(r, b.bytes); err == io.EOF || err == io.ErrUnexpectedEOF {
					err = format.ErrChanged
				}
			}
			return b, n, err
		},
		Decode: func(b rowBlock, n int64, cols []format.Column) error {
			if file != nil {
				if _, err := file.ReadAt(b.bytes, b.at); err == io.EOF {
					return format.ErrChanged
				} else if err != nil {
					return err
				}
			}
			for i := range cells {
				decode := cells[i].decode
				if cells[i].col.Text {
					decode = cells[i].decodeText
				}
				if err := decode(b.bytes, &cols[i], int(n)); err != nil {
					return fmt.Errorf("column %s: %w", s.Columns[refs[i].Field].Name, err)
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
	put := func(to *format.Column, row, i int) bool { return c.col.put(to, row, values, i, &text) }
	stride := int(c.table.RowBytes)
	if dst.List == nil && !c.col.Variable && int64(c.elem) < c.col.Count {
		for row := range n {
			if !c.col.put(dst, row, block[row*stride+int(c.col.Offset):], c.elem, &text) {
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
