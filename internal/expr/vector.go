package expr

// Type is the type of a column or of an expression's value.
type Type uint8

// The types. A Float32 column is widened when it is used, so that no
// expression has that type.
const (
	Invalid Type = iota
	Float64
	Float32
	Int64
	Uint64
	Bool
	String
)

// String names the type with its article, as error messages use it.
func (t Type) String() string {
	return [...]string{"of no usable type", "a float64", "a float32", "an int64", "a uint64", "a bool", "a string"}[t]
}

func (t Type) isNumber() bool { return t >= Float64 && t <= Uint64 }

// A Vector is the values of a column, or of an expression, in consecutive
// rows. Exactly one of its value slices is set. Null marks the rows without a
// value; it is nil when there are none.
type Vector struct {
	Float64 []float64
	Float32 []float32
	Int64   []int64
	Uint64  []uint64
	Bool    []bool
	String  []string
	Null    []bool
}

// slice returns rows [lo, hi) of v.
func (v *Vector) slice(lo, hi int) Vector {
	return Vector{
		Float64: part(v.Float64, lo, hi),
		Float32: part(v.Float32, lo, hi),
		Int64:   part(v.Int64, lo, hi),
		Uint64:  part(v.Uint64, lo, hi),
		Bool:    part(v.Bool, lo, hi),
		String:  part(v.String, lo, hi),
		Null:    part(v.Null, lo, hi),
	}
}

func part[T any](v []T, lo, hi int) []T {
	if v == nil {
		return nil
	}
	return v[lo:hi]
}

// fits reports whether v holds n values of type t.
func (v *Vector) fits(t Type, n int) bool {
	length := [...]int{Invalid: -1, Float64: len(v.Float64), Float32: len(v.Float32), Int64: len(v.Int64), Uint64: len(v.Uint64), Bool: len(v.Bool), String: len(v.String)}
	return length[t] == n && (v.Null == nil || len(v.Null) == n)
}

// makeVector returns a vector of n values of type t.
func makeVector(t Type, n int) Vector {
	var v Vector
	switch t {
	case Float64:
		v.Float64 = make([]float64, n)
	case Int64:
		v.Int64 = make([]int64, n)
	case Uint64:
		v.Uint64 = make([]uint64, n)
	case Bool:
		v.Bool = make([]bool, n)
	case String:
		v.String = make([]string, n)
	}
	return v
}

// copyAt copies the values of b, without Null, into v from row lo on.
func (v *Vector) copyAt(lo int, b *Vector) {
	copy(part(v.Float64, lo, len(v.Float64)), b.Float64)
	copy(part(v.Int64, lo, len(v.Int64)), b.Int64)
	copy(part(v.Uint64, lo, len(v.Uint64)), b.Uint64)
	copy(part(v.Bool, lo, len(v.Bool)), b.Bool)
	copy(part(v.String, lo, len(v.String)), b.String)
}
