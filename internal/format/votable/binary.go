package votable

import (
	"bufio"
	"bytes"
	be "encoding/binary"
	"fmt"
	"io"
	"math"
	"unicode/utf16"
	"unicode/utf8"

	"skyjoin/internal/format"
)

// binary reads rows of big-endian values; in BINARY2 each has a mask of the
// fields that are null before it.
type binary struct {
	fields []Field
	cells  []Cell
	masked bool
	r      *bufio.Reader
	mask   []byte
	buf    []byte
}

func (b *binary) next(want []bool) error {
	if _, err := b.r.Peek(1); err == io.EOF {
		return io.EOF
	}
	if b.masked {
		var err error
		if b.mask, err = b.bytes(b.mask, (len(b.fields)+7)/8); err != nil {
			return err
		}
	}
	for i := range b.fields {
		f, c := &b.fields[i], &b.cells[i]
		if err := b.value(f, c, want == nil || want[i]); err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
		if b.masked && b.mask[i/8]>>(7-i%8)&1 == 1 {
			c.Null = true
		}
	}
	return nil
}

// bytes reads n bytes into buf, which grows only as bytes arrive.
func (b *binary) bytes(buf []byte, n int) ([]byte, error) {
	const most = 1 << 20
	buf = buf[:0]
	for len(buf) < n {
		at := len(buf)
		part := min(n-at, most)
		if cap(buf) < at+part {
			buf = append(make([]byte, 0, max(2*at, at+part)), buf...)
		}
		buf = buf[:at+part]
		if _, err := io.ReadFull(b.r, buf[at:]); err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				err = fmt.Errorf("the binary data end within a row: the document is truncated or damaged")
			}
			return buf[:0], err
		}
	}
	return buf, nil
}

// value reads a cell, or skips it if it is not wanted.
func (b *binary) value(f *Field, c *Cell, wanted bool) error {
	n := f.Count
	if f.Variable {
		var err error
		if b.buf, err = b.bytes(b.buf, 4); err != nil {
			return err
		}
		if n = int(be.BigEndian.Uint32(b.buf)); f.Complex {
			n *= 2
		}
	}
	size := n * kinds[f.Kind].bytes
	if f.Kind == Bit {
		size = (n + 7) / 8
	}
	if size > format.MostRow {
		return fmt.Errorf("a cell of %d bytes, at most %d are read", size, format.MostRow)
	}
	if !wanted {
		if _, err := io.CopyN(io.Discard, b.r, int64(size)); err != nil {
			return fmt.Errorf("the binary data end within a row: the document is truncated or damaged")
		}
		return nil
	}
	var err error
	if b.buf, err = b.bytes(b.buf, size); err != nil {
		return err
	}
	c.reset()
	f.decode(b.buf, n, c)
	// Without a mask NaN is the null of real numbers.
	if !b.masked {
		for i, v := range c.Floats {
			c.Nulls[i] = c.Nulls[i] || math.IsNaN(v)
		}
		c.Null = f.Kind.IsText() && len(c.Text) == 0
	}
	return nil
}

// decode reads n elements.
func (f *Field) decode(b []byte, n int, c *Cell) {
	switch f.Kind {
	case Char:
		if i := bytes.IndexByte(b, 0); i >= 0 && !f.List {
			b = b[:i]
		}
		c.Text = append(c.Text, b...)
	case Unicode:
		f.decodeUnicode(b, c)
	case Boolean:
		for i := range n {
			v, null, ok := truth(string(b[i : i+1]))
			c.addInt(v, null || !ok)
		}
	case Bit:
		if !f.List { // astropy sets another bit of the byte than the standard
			c.addInt(int64(min(b[0], 1)), false)
			return
		}
		for i := range n {
			c.addInt(int64(b[i/8]>>(7-i%8)&1), false)
		}
	case Float32:
		for i := range n {
			c.addFloat(f, float64(math.Float32frombits(be.BigEndian.Uint32(b[4*i:]))))
		}
	case Float64:
		for i := range n {
			c.addFloat(f, math.Float64frombits(be.BigEndian.Uint64(b[8*i:])))
		}
	case Byte, Int16, Int32, Int64:
		for i := range n {
			v := integer(f.Kind, b, i)
			c.addInt(v, f.hasNull && v == f.null)
		}
	}
}

func integer(k Kind, b []byte, i int) int64 {
	switch k {
	case Int16:
		return int64(int16(be.BigEndian.Uint16(b[2*i:])))
	case Int32:
		return int64(int32(be.BigEndian.Uint32(b[4*i:])))
	case Int64:
		return int64(be.BigEndian.Uint64(b[8*i:]))
	}
	return int64(b[i])
}

// decodeUnicode turns UCS-2 into UTF-8, up to the first NUL if it is one text.
func (f *Field) decodeUnicode(b []byte, c *Cell) {
	for i := 0; i+1 < len(b); i += 2 {
		r := rune(be.BigEndian.Uint16(b[i:]))
		if r == 0 && !f.List {
			return
		}
		if utf16.IsSurrogate(r) && i+3 < len(b) {
			if pair := utf16.DecodeRune(r, rune(be.BigEndian.Uint16(b[i+2:]))); pair != utf8.RuneError {
				r = pair
				i += 2
			}
		}
		c.Text = utf8.AppendRune(c.Text, r)
	}
}
