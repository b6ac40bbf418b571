package votable

import (
	"math"
	"strings"
)

// A Cell is a value of a row: of its slices one is set, by the kind of the
// field. It is valid until the next row is read.
type Cell struct {
	Null   bool
	Ints   []int64   // integers; booleans and bits, 0 or 1
	Floats []float64 // real numbers, float widened
	Text   []byte    // characters, as UTF-8
	Nulls  []bool    // elements that are null, parallel to Ints and Floats
}

// reset makes a cell ready for a value.
func (c *Cell) reset() {
	c.Null = false
	c.Ints, c.Floats, c.Text, c.Nulls = c.Ints[:0], c.Floats[:0], c.Text[:0], c.Nulls[:0]
}

// addInt appends an element; one that is null is that of a scalar cell too.
func (c *Cell) addInt(v int64, null bool) {
	c.Ints, c.Nulls = append(c.Ints, v), append(c.Nulls, null)
}

// addFloat appends an element, null if the field says so of its value. NaN is the null of the elements of arrays in every
// serialization: nothing else says that they are null.
func (c *Cell) addFloat(f *Field, v float64) {
	c.Floats, c.Nulls = append(c.Floats, v), append(c.Nulls, f.List && math.IsNaN(v) || f.realNull != nil && v == *f.realNull)
}

// ranges are the bounds of integers.
var ranges = map[Kind][2]int64{Byte: {0, 255}, Int16: {-1 << 15, 1<<15 - 1}, Int32: {-1 << 31, 1<<31 - 1}, Int64: {-1 << 63, 1<<63 - 1}}

// truth reads a boolean or a bit.
func truth(word string) (v int64, null, ok bool) {
	switch strings.ToLower(word) {
	case "t", "true", "1":
		return 1, false, true
	case "f", "false", "0":
		return 0, false, true
	case "?", " ", "\x00":
		return 0, true, true
	}
	return 0, false, false
}
