package fits

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"skyjoin/internal/format"
)

// The methods below decode element i of the values that start at b: the bytes of a
// row from Offset on, or of an array in the heap.

// Stored returns the integer that is stored.
func (c *Column) Stored(b []byte, i int) int64 {
	switch c.Kind {
	case Int16:
		return int64(int16(binary.BigEndian.Uint16(b[2*i:])))
	case Int32:
		return int64(int32(binary.BigEndian.Uint32(b[4*i:])))
	case Int64:
		return int64(binary.BigEndian.Uint64(b[8*i:]))
	}
	return int64(b[i])
}

// Int returns an integer: the one stored, or the one it stands for. Unsigned
// 64-bit integers are returned as the int64 of the same bits.
func (c *Column) Int(b []byte, i int) (v int64, null bool) {
	v = c.Stored(b, i)
	null = c.HasNull && v == c.Null
	switch {
	case c.Signed8:
		v -= 128
	case c.Unsigned && c.Kind == Int64:
		v ^= math.MinInt64
	case c.Unsigned:
		v += int64(unsignedZero[c.Kind])
	case c.Shift != 0:
		stored := v
		v += c.Shift
		null = null || v > stored != (c.Shift > 0) // beyond 64 bits
	}
	return v, null
}

// Float returns a number, scaled if the column is; NaN is no null here.
func (c *Column) Float(b []byte, i int) (v float64, null bool) {
	switch c.Kind {
	case Float32:
		v = float64(c.Float32(b, i))
	case Float64:
		v = math.Float64frombits(binary.BigEndian.Uint64(b[8*i:]))
	default:
		s := c.Stored(b, i)
		v, null = float64(s), c.HasNull && s == c.Null
	}
	return c.scaled(v), null
}

// scaled returns the number that a stored one stands for.
func (c *Column) scaled(v float64) float64 {
	if c.Scale != 1 {
		v = float64(v * c.Scale)
	}
	if c.Zero != 0 {
		v += c.Zero
	}
	return v
}

// Float32 returns a number as it is stored, of a column that is not scaled.
func (c *Column) Float32(b []byte, i int) float32 {
	return math.Float32frombits(binary.BigEndian.Uint32(b[4*i:]))
}

// Bool returns a logical value or a bit. What is neither T nor F is null.
func (c *Column) Bool(b []byte, i int) (v, null bool) {
	if c.Kind == Bit {
		return b[i/8]>>(7-i%8)&1 == 1, false
	}
	return b[i] == 'T', b[i] != 'T' && b[i] != 'F'
}

// textOf returns a string: the characters before the first NUL, without blanks
// at the end. A string that starts with a NUL is null.
func textOf(b []byte) (v []byte, null bool) {
	if n := bytes.IndexByte(b, 0); n >= 0 {
		b, null = b[:n], n == 0
	}
	return bytes.TrimRight(b, " "), null
}

// put puts a value into a row of a column; false is null. text takes strings.
func (c *Column) put(dst *format.Column, row int, b []byte, i int, text *format.Texts) bool {
	var null bool
	switch {
	case dst.Float64 != nil:
		v, null := c.Float(b, i)
		dst.Float64[row] = v
		return !null && v == v
	case dst.Float32 != nil:
		v := c.Float32(b, i)
		dst.Float32[row] = v
		return v == v
	case dst.Int64 != nil:
		dst.Int64[row], null = c.Int(b, i)
	case dst.Uint64 != nil:
		var v int64
		v, null = c.Int(b, i)
		dst.Uint64[row] = uint64(v)
	case dst.Bool != nil:
		dst.Bool[row], null = c.Bool(b, i)
	default:
		width := int(c.Width)
		if c.Variable { // b is one string
			width = len(b)
		}
		var v []byte
		if v, null = textOf(b[i*width : (i+1)*width]); !null {
			text.Add(v, row)
		}
	}
	return !null
}

// arrayOf returns the number of values of a variable-length array and the offset of
// its bytes in the heap, as its descriptor b claims.
func (c *Column) arrayOf(b []byte) (n, at int64) {
	switch {
	case c.Count == 0:
		return 0, 0
	case c.DescriptorBytes == 8:
		return int64(int32(binary.BigEndian.Uint32(b))), int64(int32(binary.BigEndian.Uint32(b[4:])))
	}
	return int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:]))
}

// Descriptor returns the number of values of a variable-length array, two of each
// complex number, and the offset of its bytes in the file. b is the descriptor in
// the row.
func (t *Table) Descriptor(c *Column, b []byte) (n, at int64, err error) {
	n, at = c.arrayOf(b)
	room := t.End - t.Heap
	if n == 0 {
		return 0, t.Heap, nil
	}
	if n > 0 && n <= 8*room && c.Complex {
		n *= 2
	}
	if n < 0 || at < 0 || at > room || n > 8*(room-at) || c.ValueBytes(n) > room-at {
		return 0, 0, fmt.Errorf("an array of %d values at byte %d of the heap, which has %d: the file is damaged", n, at, room)
	}
	return n, t.Heap + at, nil
}
