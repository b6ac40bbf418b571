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
	"sync/atomic"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
	"skyjoin/internal/format/fits"
)

// A fitsSource is a binary table of a FITS file, the first unless another is
// named.
type fitsSource struct {
	path  string
	size  int64 // of the file
	table *fits.Table
	field []format.Field
	meta  []format.KeyValue
}

// fitsExtensions are the names that FITS files end in.
var fitsExtensions = []string{".fits", ".fit", ".fts", ".fits.gz", ".fit.gz", ".fts.gz"}

func isFITS(path string, head []byte) bool {
	return strings.HasPrefix(string(head), "SIMPLE  =") || format.HasExtension(path, fitsExtensions)
}

// fitsBlock is about how many bytes of rows are read at a time.
const fitsBlock = 1 << 20

// openFITS opens a FITS file. NaN is null, as the standard has it.
func openFITS(ctx context.Context, path string, opt format.Options) (format.Reader, error) {
	s := &fitsSource{path: path}
	r, size, err := s.open(0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s.size = size
	if s.compressed() {
		size = -1
	}
	if s.table, err = fits.Read(r, size, opt.Extension); err != nil {
		if asked := (*fits.ExtensionError)(nil); errors.As(err, &asked) {
			err = format.Requestf("%w", err)
		}
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
		s.meta = append(s.meta, format.KeyValue(kv))
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

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

func (s *fitsSource) compressed() bool { return strings.HasSuffix(strings.ToLower(s.path), ".gz") }

// open opens the file at an offset of what it holds, decompressed, and returns
// its size as it is.
func (s *fitsSource) open(at int64) (io.ReadCloser, int64, error) {
	f, err := format.OpenRegular(s.path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil {
		if s.compressed() {
			t := &textFile{Reader: f, close: []io.Closer{f}}
			if err = t.gunzip(); err == nil {
				if _, err = io.CopyN(io.Discard, t, at); err == nil {
					return t, info.Size(), nil
				}
			}
		} else if _, err = f.Seek(at, io.SeekStart); err == nil {
			return f, info.Size(), nil
		}
	}
	f.Close()
	return nil, 0, format.Bare(err)
}

// fitsTypes are the types of values of each kind.
var fitsTypes = map[fits.Kind]format.Type{
	fits.Logical: format.Bool, fits.Bit: format.Bool, fits.Byte: format.Uint8, fits.Int16: format.Int16, fits.Int32: format.Int32, fits.Int64: format.Int64,
	fits.Character: format.String, fits.Float32: format.Float32, fits.Float64: format.Float64,
}

// fitsUnsigned are the types of unsigned integers.
var fitsUnsigned = map[fits.Kind]format.Type{fits.Byte: format.Uint8, fits.Int16: format.Uint16, fits.Int32: format.Uint32, fits.Int64: format.Uint64}

// fitsField describes a column of the table.
func fitsField(c *fits.Column, i int) format.Field {
	f := format.Field{
		Name: cmp.Or(c.Name, fmt.Sprintf("col%d", i+1)), Type: fitsTypes[c.Kind], Text: c.Form,
		Unit: c.Unit, UCD: c.UCD, Description: c.Comment,
	}
	switch {
	case c.Signed8:
		f.Type = format.Int8
	case c.Unsigned:
		f.Type = fitsUnsigned[c.Kind]
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

func (s *fitsSource) Format() string              { return "fits" }
func (s *fitsSource) Fields() []format.Field      { return s.field }
func (s *fitsSource) Rows() int64                 { return s.table.Rows }
func (s *fitsSource) Metadata() []format.KeyValue { return s.meta }

func (s *fitsSource) Check(r format.Ref) error {
	f, c := s.field[r.Field], &s.table.Columns[r.Field]
	if f.Type == format.Unsupported {
		return format.Requestf("column %s is %s, which cannot be read", f.Name, f.Text)
	}
	if c.Variable && s.compressed() {
		return fmt.Errorf("column %s has arrays of variable length, which need a file that is not compressed: gunzip it", f.Name)
	}
	return nil
}

// read implements source.
func (s *fitsSource) Read(ctx context.Context, j format.Job) error {
	cells := make([]fitsCells, len(j.Refs))
	for i, r := range j.Refs {
		c := &s.table.Columns[r.Field]
		cells[i].table, cells[i].col, cells[i].elem, cells[i].put = s.table, c, max(0, r.Elem), fitsPutter(c, j.Dst[i].Field.Type)
	}
	in, err := s.openRows()
	if err != nil {
		return err
	}
	defer in.Close()
	one := func(i int) error {
		first, n := in.rows(i)
		unwanted := j.Skip != nil && j.Skip(first, n)
		if !unwanted || in.at == nil {
			block, err := in.read(i)
			if err != nil {
				return err
			}
			for k := range cells {
				if unwanted {
					break
				}
				if err := cells[k].read(in.at, block, j.Dst[k], int(j.At+first), int(n)); err != nil {
					return fmt.Errorf("column %s: %w", s.field[j.Refs[k].Field].Name, err)
				}
			}
		}
		j.Add(n)
		return nil
	}
	if in.at != nil {
		return j.Pool.Run(ctx, in.blocks, one)
	}
	return j.Pool.Run(ctx, 1, func(int) error {
		for i := range in.blocks {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := one(i); err != nil {
				return err
			}
		}
		return nil
	})
}

// fitsRows are the rows of an opened file, in blocks of whole rows.
type fitsRows struct {
	io.ReadCloser
	table  *fits.Table
	at     io.ReaderAt // nil where blocks can only be read one after the other
	per    int64       // rows of a block
	blocks int
}

// openRows opens the file, which must be what it was, at its first row.
func (s *fitsSource) openRows() (*fitsRows, error) {
	r, size, err := s.open(s.table.Data)
	if err != nil {
		return nil, err
	}
	if s.size != size {
		r.Close()
		return nil, format.ErrChanged
	}
	in := &fitsRows{ReadCloser: r, table: s.table, per: max(1, fitsBlock/max(1, s.table.RowBytes))}
	in.at, _ = r.(io.ReaderAt)
	in.blocks = int((s.table.Rows + in.per - 1) / in.per)
	return in, nil
}

// rows returns the rows of a block.
func (in *fitsRows) rows(block int) (first, n int64) {
	first = int64(block) * in.per
	return first, min(in.per, in.table.Rows-first)
}

// read returns the bytes of a block: the next one, where they can only be read
// one after the other.
func (in *fitsRows) read(block int) ([]byte, error) {
	first, n := in.rows(block)
	buf := make([]byte, n*in.table.RowBytes)
	var err error
	if in.at == nil {
		_, err = io.ReadFull(in, buf)
	} else if _, err = in.at.ReadAt(buf, in.table.Data+first*in.table.RowBytes); err == io.EOF {
		err = format.ErrChanged
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = format.ErrChanged
	}
	return buf, err
}

// fitsCells are the values of a column, or of one element of it.
type fitsCells struct {
	table *fits.Table
	col   *fits.Column
	elem  int
	put   func(b []byte, i int, dst *format.Column, row int, text *textArena) (null bool)
	taken atomic.Int64 // bytes of the heap in the lists read
}

// read puts the values of rows, of which block has the bytes, into rows of dst
// from at on.
func (c *fitsCells) read(f io.ReaderAt, block []byte, dst *format.Column, at, n int) error {
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
				return format.ErrChanged
			}
			dst.SetNull(at + row)
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
		return nil, 0, format.ErrChanged
	}
	if c.col.Kind == fits.Character {
		return buf, 1, nil
	}
	return buf, n, nil
}

// fitsPutter returns how a value is put into a row of dst; what is null is
// reported instead.
func fitsPutter(c *fits.Column, to format.Type) func(b []byte, i int, dst *format.Column, row int, text *textArena) (null bool) {
	switch to.Storage() {
	case format.InFloat32:
		return func(b []byte, i int, dst *format.Column, row int, _ *textArena) bool {
			v := c.Float32(b, i)
			dst.Float32[row] = v
			return v != v
		}
	case format.InFloat64:
		return func(b []byte, i int, dst *format.Column, row int, _ *textArena) bool {
			v, null := c.Float(b, i)
			dst.Float64[row] = v
			return null || math.IsNaN(v)
		}
	case format.InInt64:
		return func(b []byte, i int, dst *format.Column, row int, _ *textArena) (null bool) {
			dst.Int64[row], null = c.Int(b, i)
			return null
		}
	case format.InUint64:
		return func(b []byte, i int, dst *format.Column, row int, _ *textArena) bool {
			v, null := c.Int(b, i)
			dst.Uint64[row] = uint64(v)
			return null
		}
	case format.InBool:
		return func(b []byte, i int, dst *format.Column, row int, _ *textArena) (null bool) {
			dst.Bool[row], null = c.Bool(b, i)
			return null
		}
	}
	if c.Variable {
		return func(b []byte, _ int, _ *format.Column, row int, text *textArena) bool {
			whole := *c
			whole.Width = int64(len(b))
			v, null := whole.Text(b, 0)
			if !null {
				text.addText(v, row)
			}
			return null
		}
	}
	return func(b []byte, i int, _ *format.Column, row int, text *textArena) bool {
		v, null := c.Text(b, i)
		if !null {
			text.addText(v, row)
		}
		return null
	}
}
