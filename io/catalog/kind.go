package catalog

import "math"

// String names the type as info prints it.
func (t Type) String() string {
	if int(t) < len(types) {
		return types[t].name
	}
	return "unknown"
}

// A storage is a value slice of Column.
type storage uint8

const (
	noStorage storage = iota
	inFloat64
	inFloat32
	inInt64
	inUint64
	inBool
	inString
)

// types says of each Type its name, the slice that holds its values, and the
// bits of an integer, negative for unsigned ones.
var types = [...]struct {
	name  string
	store storage
	bits  int
}{
	Unsupported: {"unsupported", noStorage, 0},
	Float64:     {"float64", inFloat64, 0},
	Float32:     {"float32", inFloat32, 0},
	Int64:       {"int64", inInt64, 64},
	Int32:       {"int32", inInt64, 32},
	Int16:       {"int16", inInt64, 16},
	Int8:        {"int8", inInt64, 8},
	Uint64:      {"uint64", inUint64, -64},
	Uint32:      {"uint32", inUint64, -32},
	Uint16:      {"uint16", inUint64, -16},
	Uint8:       {"uint8", inUint64, -8},
	Bool:        {"bool", inBool, 0},
	String:      {"string", inString, 0},
	Timestamp:   {"timestamp", inFloat64, 0},
	Decimal:     {"decimal", inFloat64, 0},
	List:        {"list", noStorage, 0},
}

func (t Type) storage() storage { return types[t].store }

// IsNumber reports whether the values are numbers: coordinates, weights.
func (t Type) IsNumber() bool {
	s := t.storage()
	return s != noStorage && s != inBool && s != inString
}

// IsInteger reports whether the values are integers.
func (t Type) IsInteger() bool { return types[t].bits != 0 }

// widened returns the type that holds every value of both exactly. Signed and
// unsigned integers meet in a signed one of more bits; integers and floats do
// not meet, for ids would pass through float64.
func widened(a, b Type) (Type, bool) {
	if a == b {
		return a, true
	}
	if types[a].store == inFloat64 && a != Float64 || types[b].store == inFloat64 && b != Float64 {
		return Unsupported, false
	}
	if fa, fb := a == Float64 || a == Float32, b == Float64 || b == Float32; fa && fb {
		return Float64, true
	}
	x, y := types[a].bits, types[b].bits
	switch {
	case x == 0 || y == 0:
		return Unsupported, false
	case x > 0 == (y > 0):
		if x*x > y*y {
			return a, true
		}
		return b, true
	}
	if x < 0 {
		x, y = y, x
	}
	for _, t := range []Type{Int16, Int32, Int64} {
		if types[t].bits >= x && types[t].bits > -y {
			return t, true
		}
	}
	return Unsupported, false
}

// makeColumn returns a column of n rows with the values of f's type, and room
// for nulls where there may be any.
func makeColumn(f Field, n int64, nulls bool) Column {
	c := Column{Field: f}
	switch f.Type.storage() {
	case inFloat64:
		c.Float64 = make([]float64, n)
	case inFloat32:
		c.Float32 = make([]float32, n)
	case inInt64:
		c.Int64 = make([]int64, n)
	case inUint64:
		c.Uint64 = make([]uint64, n)
	case inBool:
		c.Bool = make([]bool, n)
	case inString:
		c.String = make([]string, n)
	}
	if nulls {
		c.Null = make([]bool, n)
	}
	return c
}

// Len returns the number of rows.
func (c *Column) Len() int {
	if c.List != nil {
		return len(c.List.Offset) - 1
	}
	return max(len(c.Float64), len(c.Float32), len(c.Int64), len(c.Uint64), len(c.Bool), len(c.String))
}

// IsNull reports whether row i is null.
func (c *Column) IsNull(i int) bool { return c.Null != nil && c.Null[i] }

// setNull makes row i null.
func (c *Column) setNull(i int) {
	c.Null[i] = true
	switch {
	case c.Float64 != nil:
		c.Float64[i] = math.NaN()
	case c.Float32 != nil:
		c.Float32[i] = float32(math.NaN())
	case c.Int64 != nil:
		c.Int64[i] = 0
	case c.Uint64 != nil:
		c.Uint64[i] = 0
	case c.Bool != nil:
		c.Bool[i] = false
	case c.String != nil:
		c.String[i] = ""
	}
}
