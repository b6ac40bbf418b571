package catalog

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"skyjoin/internal/format"
	"skyjoin/internal/format/votable"
)

// A votableSource is the first table of a VOTable document. Opening it reads
// it once, to count rows; every read goes through it again.
type votableSource struct {
	path   string
	field  []format.Field
	stored []votable.Field
	meta   []format.KeyValue
	n      int64
}

// votableExtensions are the names that VOTable documents end in.
var votableExtensions = []string{".vot", ".votable", ".xml", ".vot.gz", ".votable.gz", ".xml.gz"}

func isVOTable(path string, head []byte) bool {
	return format.HasExtension(path, votableExtensions) || strings.Contains(string(head), "<VOTABLE")
}

func openVOTable(ctx context.Context, path string, _ format.Options) (format.Reader, error) {
	s := &votableSource{path: path}
	err := s.each(ctx, func(t *votable.Reader) []bool {
		s.stored = t.Fields
		for i := range t.Fields {
			s.field = append(s.field, votableField(&t.Fields[i], i))
		}
		for _, n := range t.Notes {
			s.meta = append(s.meta, format.KeyValue(n))
		}
		return make([]bool, len(t.Fields))
	}, func(int64, []votable.Cell) error {
		s.n++
		return nil
	})
	return s, err
}

// each calls visit for each row, with the cells of the fields that want asks
// for.
func (s *votableSource) each(ctx context.Context, want func(*votable.Reader) []bool, visit func(row int64, cells []votable.Cell) error) error {
	r, err := openText(s.path, 0)
	if err != nil {
		return err
	}
	defer r.Close()
	t, err := votable.NewReader(r)
	if err != nil {
		return err
	}
	wanted := want(t)
	for row := int64(0); ; row++ {
		if row%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		cells, err := t.Next(wanted)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := visit(row, cells); err != nil {
			return err
		}
	}
}

// votableTypes are the types of elements.
var votableTypes = map[votable.Kind]format.Type{
	votable.Boolean: format.Bool, votable.Bit: format.Bool, votable.Byte: format.Uint8, votable.Int16: format.Int16, votable.Int32: format.Int32, votable.Int64: format.Int64,
	votable.Char: format.String, votable.Unicode: format.String, votable.Float32: format.Float32, votable.Float64: format.Float64,
}

// votableField describes a field. Any cell of a VOTable may be null.
func votableField(v *votable.Field, i int) format.Field {
	f := format.Field{
		Name: cmp.Or(v.Name, fmt.Sprintf("col%d", i+1)), Type: votableTypes[v.Kind], Text: v.Kind.String(), Nullable: true,
		Unit: v.Unit, UCD: v.UCD, Description: v.Description,
	}
	if v.Arraysize != "" {
		f.Text += "[" + v.Arraysize + "]"
	}
	if v.List && f.Type != format.Unsupported {
		e := f
		f.Type, f.Elem = format.List, &e
	}
	return f
}

func (s *votableSource) Format() string              { return "votable" }
func (s *votableSource) Fields() []format.Field      { return s.field }
func (s *votableSource) Rows() int64                 { return s.n }
func (s *votableSource) Metadata() []format.KeyValue { return s.meta }

func (s *votableSource) Check(r format.Ref) error {
	if f := s.field[r.Field]; f.Type == format.Unsupported {
		return format.Requestf("column %s is %s, which cannot be read", f.Name, f.Text)
	}
	return nil
}

// textRows is how many strings of a column are collected before they become
// one allocation.
const textRows = 1 << 14

// read implements source.
func (s *votableSource) Read(ctx context.Context, j format.Job) error {
	fields := make([]int, len(j.Refs))
	for i, r := range j.Refs {
		fields[i] = r.Field
	}
	texts := make([]textArena, len(j.Refs))
	flush := func() {
		for i := range texts {
			texts[i].flush(j.Dst[i].String)
			texts[i] = textArena{}
		}
	}
	return j.Pool.Run(ctx, 1, func(int) error {
		var told int64
		err := s.each(ctx, wanting(fields), func(row int64, cells []votable.Cell) error {
			if row == s.n {
				return format.ErrChanged
			}
			for i, r := range j.Refs {
				at := int(j.At + row)
				if !putCell(j.Dst[i], at, &s.stored[r.Field], &cells[r.Field], max(0, r.Elem), &texts[i]) {
					j.Dst[i].SetNull(at)
				}
			}
			if row-told == textRows {
				flush()
				j.Add(row - told)
				told = row
			}
			return nil
		})
		flush()
		j.Add(s.n - told)
		return err
	})
}

// wanting returns the choice of fields to read.
func wanting(fields []int) func(*votable.Reader) []bool {
	return func(t *votable.Reader) []bool {
		want := make([]bool, len(t.Fields))
		for _, f := range fields {
			if f < len(want) {
				want[f] = true
			}
		}
		return want
	}
}

// putCell puts an element of a cell into a row of dst; false if it is null or
// not there.
func putCell(dst *format.Column, row int, f *votable.Field, c *votable.Cell, elem int, text *textArena) bool {
	if c.Null {
		return false
	}
	if f.Kind.IsText() {
		v, ok := element(f, c.Text, elem)
		if ok {
			text.addText(v, row)
		}
		return ok
	}
	if elem >= len(c.Nulls) || c.Nulls[elem] {
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

// element returns a string of a list of strings of fixed width, without blanks
// at its end; the whole text if the field is no list.
func element(f *votable.Field, text []byte, elem int) ([]byte, bool) {
	if !f.List {
		return text, true
	}
	for range elem {
		text = text[characters(text, f.Width):]
	}
	if len(text) == 0 {
		return nil, false
	}
	v := text[:characters(text, f.Width)]
	for len(v) > 0 && v[len(v)-1] == ' ' {
		v = v[:len(v)-1]
	}
	return v, true
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

// flow implements source.
func (s *votableSource) Flow(ctx context.Context, w format.Flow) error {
	fields := make([]int, len(w.Refs))
	for i, r := range w.Refs {
		fields[i] = r.Field
	}
	b := votableBlock{s: s, w: &w}
	err := s.each(ctx, wanting(fields), func(row int64, cells []votable.Cell) error {
		if row == s.n {
			return format.ErrChanged
		}
		b.add(cells)
		if b.rows < textRows && b.elements < format.FlowElements {
			return nil
		}
		return b.flush()
	})
	if err == nil && b.first+b.rows != s.n {
		err = format.ErrChanged
	}
	if err == nil && b.rows > 0 {
		err = b.flush()
	}
	return err
}

// A votableBlock is rows on their way.
type votableBlock struct {
	s        *votableSource
	w        *format.Flow
	cols     []format.Column // with room for textRows rows
	texts    []textArena
	first    int64
	rows     int64
	elements int // of lists
}

func (b *votableBlock) add(cells []votable.Cell) {
	if b.cols == nil {
		b.cols, b.texts = b.w.Columns(min(textRows, b.s.n-b.first)), make([]textArena, len(b.w.Refs))
	}
	at := int(b.rows)
	b.rows++
	for i, r := range b.w.Refs {
		f, c, dst := &b.s.stored[r.Field], &cells[r.Field], &b.cols[i]
		if dst.List == nil {
			if !putCell(dst, at, f, c, max(0, r.Elem), &b.texts[i]) {
				dst.SetNull(at)
			}
			continue
		}
		n := len(c.Nulls)
		if f.Kind.IsText() {
			n = (utf8.RuneCount(c.Text) + f.Width - 1) / f.Width
		}
		if c.Null {
			n = 0
		}
		l := format.ListColumn{Column: dst}
		e, to := &dst.List.Elem, l.Grow(n)
		for k := range n {
			if !putCell(e, to+k, f, c, k, &b.texts[i]) {
				e.SetNull(to + k)
			}
		}
		l.End(c.Null)
		b.elements += n
	}
}

// flush passes the rows on.
func (b *votableBlock) flush() error {
	cols := b.cols
	for i := range cols {
		c := &cols[i]
		if c.List != nil {
			b.texts[i].flush(c.List.Elem.String)
			continue
		}
		b.texts[i].flush(c.String)
		*c = c.Slice(0, int(b.rows))
	}
	n := b.rows
	b.first, b.rows, b.elements, b.cols = b.first+n, 0, 0, nil
	return b.w.Visit(n, cols)
}
