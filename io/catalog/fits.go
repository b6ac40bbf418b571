package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"skyjoin/internal/fits"
)

// A fitsSource is the first binary table of a FITS file.
type fitsSource struct {
	path  string
	size  int64 // of the file
	table *fits.Table
	field []Field
	meta  []KeyValue
}

// fitsExtensions are the names that FITS files end in.
var fitsExtensions = []string{".fits", ".fit", ".fts", ".fits.gz", ".fit.gz", ".fts.gz"}

func isFITS(path string, head []byte) bool {
	o := opener{extensions: fitsExtensions}
	return strings.HasPrefix(string(head), "SIMPLE  =") || o.hasExtension(path)
}

// fitsBlock is about how many bytes of rows are read at a time.
const fitsBlock = 1 << 20

// openFITS opens a FITS file. NaN is null, as the standard has it.
func openFITS(ctx context.Context, path string, _ Options) (source, error) {
	s := &fitsSource{path: path}
	r, err := s.open(0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	size := s.size
	if s.compressed() {
		size = -1
	}
	if s.table, err = fits.Read(r, size); err != nil {
		return nil, err
	}
	if s.compressed() { // how much there is, is known by reading it
		n, err := io.CopyN(io.Discard, contextReader{ctx, r}, s.table.End-s.table.Data)
		if err == io.EOF {
			return nil, fmt.Errorf("the header claims %d bytes of data, there are %d: it is truncated or damaged", s.table.End-s.table.Data, n)
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range s.table.Columns {
		s.field = append(s.field, fitsField(&s.table.Columns[i], i))
	}
	for _, kv := range fits.Metadata(s.table.Cards) {
		s.meta = append(s.meta, KeyValue(kv))
	}
	s.annotate()
	return s, nil
}

// The header that astropy writes in comments for what FITS has no keyword for.
const (
	astropyBegin = "--BEGIN-ASTROPY-SERIALIZED-COLUMNS--\n"
	astropyEnd   = "--END-ASTROPY-SERIALIZED-COLUMNS--"
)

// annotate takes the notes on columns that astropy has left in the comments.
func (s *fitsSource) annotate() {
	for i, kv := range s.meta {
		before, rest, ok := strings.Cut(kv.Value, astropyBegin)
		text, after, closed := strings.Cut(rest, astropyEnd)
		if kv.Key != "COMMENT" || !ok || !closed {
			continue
		}
		notes := yamlNotes(strings.ReplaceAll(text, "\\\n", "")) // long lines are broken
		for j := range s.field {
			s.field[j].add(notes[s.field[j].Name])
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

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

func (s *fitsSource) compressed() bool { return strings.HasSuffix(strings.ToLower(s.path), ".gz") }

// open opens the file at an offset of what it holds, decompressed.
func (s *fitsSource) open(at int64) (io.ReadCloser, error) {
	f, err := openRegular(s.path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		s.size = info.Size()
		if s.compressed() {
			t := &textFile{Reader: f, close: []io.Closer{f}}
			if err = t.gunzip(); err == nil {
				if _, err = io.CopyN(io.Discard, t, at); err == nil {
					return t, nil
				}
			}
		} else if _, err = f.Seek(at, io.SeekStart); err == nil {
			return f, nil
		}
	}
	f.Close()
	return nil, bare(err)
}

// fitsTypes are the types of values of each kind.
var fitsTypes = map[fits.Kind]Type{
	fits.Logical: Bool, fits.Bit: Bool, fits.Byte: Uint8, fits.Int16: Int16, fits.Int32: Int32, fits.Int64: Int64,
	fits.Character: String, fits.Float32: Float32, fits.Float64: Float64,
}

// fitsUnsigned are the types of unsigned integers.
var fitsUnsigned = map[fits.Kind]Type{fits.Byte: Uint8, fits.Int16: Uint16, fits.Int32: Uint32, fits.Int64: Uint64}

// fitsField describes a column of the table.
func fitsField(c *fits.Column, i int) Field {
	f := Field{
		Name: cmp.Or(c.Name, fmt.Sprintf("col%d", i+1)), Type: fitsTypes[c.Kind], Text: c.Form,
		Unit: c.Unit, UCD: c.UCD, Description: c.Comment,
	}
	switch {
	case c.Signed8:
		f.Type = Int8
	case c.Unsigned:
		f.Type = fitsUnsigned[c.Kind]
	case c.Scaled() && f.Type != Unsupported:
		f.Type = Float64
		f.Text += fmt.Sprintf(" × %g + %g", c.Scale, c.Zero)
	}
	f.Nullable = !c.IsInteger() || c.HasNull
	switch {
	case f.Type == Unsupported:
		f.Text += " (complex)"
	case c.Variable && f.Type == String:
	case c.Variable || c.Count != 1:
		e := f
		e.Nullable = true
		f = Field{Name: f.Name, Type: List, Text: f.Text, Unit: f.Unit, UCD: f.UCD, Description: f.Description, Elem: &e}
	}
	return f
}

func (s *fitsSource) format() string       { return "fits" }
func (s *fitsSource) fields() []Field      { return s.field }
func (s *fitsSource) rows() int64          { return s.table.Rows }
func (s *fitsSource) metadata() []KeyValue { return s.meta }

func (s *fitsSource) check(r ref) error {
	f, c := s.field[r.field], &s.table.Columns[r.field]
	if f.Type == Unsupported {
		return requestf("column %s is %s, which cannot be read", f.Name, f.Text)
	}
	if c.Variable && s.compressed() {
		return fmt.Errorf("column %s has arrays of variable length, which need a file that is not compressed: gunzip it", f.Name)
	}
	return nil
}

// read implements source.
func (s *fitsSource) read(ctx context.Context, j job) error {
	cells := make([]fitsCells, len(j.refs))
	for i, r := range j.refs {
		c := &s.table.Columns[r.field]
		cells[i] = fitsCells{table: s.table, col: c, elem: max(0, r.elem), put: fitsPutter(c, j.dst[i])}
	}
	return s.blocks(ctx, j.pool, func(f io.ReaderAt, block []byte, first, n int64) error {
		for i := range cells {
			if err := cells[i].read(f, block, j.dst[i], int(j.at+first), int(n)); err != nil {
				return fmt.Errorf("column %s: %w", s.field[j.refs[i].field].Name, err)
			}
		}
		j.add(n)
		return nil
	}, j.skip, j.add)
}

// blocks calls visit for the rows in blocks, of whole rows; several at once
// and in any order where the file can be read at any place, which it is then
// given as f.
func (s *fitsSource) blocks(ctx context.Context, p pool, visit func(f io.ReaderAt, block []byte, first, n int64) error, skip func(first, n int64) bool, skipped func(n int64)) error {
	t := s.table
	per := max(1, fitsBlock/max(1, t.RowBytes))
	count := int((t.Rows + per - 1) / per)
	size := s.size
	r, err := s.open(t.Data)
	if err != nil {
		return err
	}
	defer r.Close()
	if s.size != size {
		return errChanged
	}
	one := func(i int, read func(buf []byte) error, f io.ReaderAt) error {
		first := int64(i) * per
		n := min(per, t.Rows-first)
		unwanted := skip != nil && skip(first, n)
		if unwanted && f != nil {
			skipped(n)
			return nil
		}
		buf := make([]byte, n*t.RowBytes)
		if err := read(buf); err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				err = errChanged
			}
			return err
		}
		if unwanted {
			skipped(n)
			return nil
		}
		return visit(f, buf, first, n)
	}
	if f, ok := r.(io.ReaderAt); ok {
		return p.run(ctx, count, func(i int) error {
			return one(i, func(buf []byte) error {
				_, err := f.ReadAt(buf, t.Data+int64(i)*per*t.RowBytes)
				if err == io.EOF {
					err = errChanged
				}
				return err
			}, f)
		})
	}
	return p.run(ctx, 1, func(int) error {
		for i := range count {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := one(i, func(buf []byte) error { _, err := io.ReadFull(r, buf); return err }, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// fitsCells are the values of a column, or of one element of it.
type fitsCells struct {
	table *fits.Table
	col   *fits.Column
	elem  int
	put   func(b []byte, i int, dst *Column, row int, text *textArena) (null bool)
	taken int64 // bytes of the heap in the lists read
}

// read puts the values of rows, of which block has the bytes, into rows of dst
// from at on.
func (c *fitsCells) read(f io.ReaderAt, block []byte, dst *Column, at, n int) error {
	var text textArena
	stride := int(c.table.RowBytes)
	var array []byte
	for row := range n {
		b, count := block[row*stride+int(c.col.Offset):], c.col.Count
		if c.col.Variable {
			var err error
			if array, count, err = c.array(f, b, array, int64(c.elem)+1); err != nil {
				return err
			}
			b = array
		}
		if int64(c.elem) >= count || c.put(b, c.elem, dst, at+row, &text) {
			if dst.Null == nil {
				return errChanged
			}
			dst.setNull(at + row)
		}
	}
	if dst.String != nil {
		text.flush(dst.String)
	}
	return nil
}

// array reads the first values, most of them at most, of the variable-length
// array of the descriptor at b, into buf if it is large enough, and returns
// their number: one for a string, which is read whole.
func (c *fitsCells) array(f io.ReaderAt, b, buf []byte, most int64) ([]byte, int64, error) {
	if f == nil {
		return nil, 0, errors.New("arrays of variable length cannot be read from a compressed file")
	}
	n, at, err := c.table.Descriptor(c.col, b)
	if err != nil {
		return nil, 0, err
	}
	if c.col.Kind != fits.Character {
		n = min(n, most)
	}
	size := c.col.ValueBytes(n)
	if int64(cap(buf)) < size {
		buf = make([]byte, size)
	}
	buf = buf[:size]
	if _, err := f.ReadAt(buf, at); err != nil {
		return nil, 0, errChanged
	}
	if c.col.Kind == fits.Character {
		return buf, 1, nil
	}
	return buf, n, nil
}

// fitsPutter returns how a value is put into a row of dst; what is null is
// reported instead.
func fitsPutter(c *fits.Column, dst *Column) func(b []byte, i int, dst *Column, row int, text *textArena) (null bool) {
	switch dst.Field.Type.storage() {
	case inFloat32:
		return func(b []byte, i int, dst *Column, row int, _ *textArena) bool {
			v := c.Float32(b, i)
			dst.Float32[row] = v
			return v != v
		}
	case inFloat64:
		return func(b []byte, i int, dst *Column, row int, _ *textArena) bool {
			v, null := c.Float(b, i)
			dst.Float64[row] = v
			return null || math.IsNaN(v)
		}
	case inInt64:
		return func(b []byte, i int, dst *Column, row int, _ *textArena) (null bool) {
			dst.Int64[row], null = c.Int(b, i)
			return null
		}
	case inUint64:
		return func(b []byte, i int, dst *Column, row int, _ *textArena) bool {
			v, null := c.Int(b, i)
			dst.Uint64[row] = uint64(v)
			return null
		}
	case inBool:
		return func(b []byte, i int, dst *Column, row int, _ *textArena) (null bool) {
			dst.Bool[row], null = c.Bool(b, i)
			return null
		}
	}
	if c.Variable {
		return func(b []byte, _ int, _ *Column, row int, text *textArena) bool {
			whole := *c
			whole.Width = int64(len(b))
			v, null := whole.Text(b, 0)
			if !null {
				text.addText(v, row)
			}
			return null
		}
	}
	return func(b []byte, i int, _ *Column, row int, text *textArena) bool {
		v, null := c.Text(b, i)
		if !null {
			text.addText(v, row)
		}
		return null
	}
}
