package format

// Type is what the values of a column are once read.
type Type uint8

// The types. A [Column] holds signed integers of every width as int64 and
// unsigned ones as uint64. The numbers are those of io/catalog.
const (
	Unsupported Type = iota
	Float64
	Float32
	Int64
	Int32
	Int16
	Int8
	Uint64
	Uint32
	Uint16
	Uint8
	Bool
	String
	Timestamp // held as float64: Unix seconds
	Decimal   // held as float64: the nearest to integer / 10^scale
	List
)

// String names the type as info prints it.
func (t Type) String() string {
	if int(t) < len(types) {
		return types[t].name
	}
	return "unknown"
}

// A Storage is a value slice of Column.
type Storage uint8

const (
	NoStorage Storage = iota
	InFloat64
	InFloat32
	InInt64
	InUint64
	InBool
	InString
)

// types says of each Type its name, the slice that holds its values, and the
// bits of an integer, negative for unsigned ones.
var types = [...]struct {
	name  string
	store Storage
	bits  int
}{
	Unsupported: {"unsupported", NoStorage, 0},
	Float64:     {"float64", InFloat64, 0},
	Float32:     {"float32", InFloat32, 0},
	Int64:       {"int64", InInt64, 64},
	Int32:       {"int32", InInt64, 32},
	Int16:       {"int16", InInt64, 16},
	Int8:        {"int8", InInt64, 8},
	Uint64:      {"uint64", InUint64, -64},
	Uint32:      {"uint32", InUint64, -32},
	Uint16:      {"uint16", InUint64, -16},
	Uint8:       {"uint8", InUint64, -8},
	Bool:        {"bool", InBool, 0},
	String:      {"string", InString, 0},
	Timestamp:   {"timestamp", InFloat64, 0},
	Decimal:     {"decimal", InFloat64, 0},
	List:        {"list", NoStorage, 0},
}

// Storage returns the slice that holds the values.
func (t Type) Storage() Storage { return types[t].store }

// Bytes returns what a value takes in a [Column], the bytes of a text left out.
func (t Type) Bytes() int64 {
	switch t.Storage() {
	case InBool:
		return 1
	case InFloat32:
		return 4
	case InString:
		return 16
	}
	return 8
}

// Bits returns the bits of an integer type, negative for unsigned ones, 0 for
// other types.
func (t Type) Bits() int { return types[t].bits }

// IsNumber reports whether the values are numbers: coordinates, weights.
func (t Type) IsNumber() bool {
	s := t.Storage()
	return s != NoStorage && s != InBool && s != InString
}

// IsInteger reports whether the values are integers.
func (t Type) IsInteger() bool { return types[t].bits != 0 }

// Widened returns the type that holds every value of both exactly. Signed and
// unsigned integers meet in a signed one of more bits; integers and floats do
// not meet, for ids would pass through float64.
func Widened(a, b Type) (Type, bool) {
	if a == b {
		return a, true
	}
	if types[a].store == InFloat64 && a != Float64 || types[b].store == InFloat64 && b != Float64 {
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

// IsFloat reports whether the values are floats in the file, too.
func (t Type) IsFloat() bool { return t == Float64 || t == Float32 }
