package expr

import (
	"cmp"
	"math"
	"strconv"
	"strings"
)

// A Value is one value: a literal, or a bound of a column.
type Value struct {
	typ Type
	f   float64
	i   int64
	u   uint64
	b   bool
	s   string
}

// FloatValue returns f as a Value.
func FloatValue(f float64) Value { return Value{typ: Float64, f: f} }

// IntValue returns i as a Value.
func IntValue(i int64) Value { return Value{typ: Int64, i: i} }

// UintValue returns u as a Value.
func UintValue(u uint64) Value { return Value{typ: Uint64, u: u} }

// BoolValue returns b as a Value.
func BoolValue(b bool) Value { return Value{typ: Bool, b: b} }

// TextValue returns s as a Value.
func TextValue(s string) Value { return Value{typ: String, s: s} }

// Type returns the type of the value.
func (v Value) Type() Type { return v.typ }

// Bool returns the value of a bool.
func (v Value) Bool() bool { return v.b }

// Text returns the value of a string.
func (v Value) Text() string { return v.s }

// Outcomes of an exact comparison.
const (
	less      = -1
	equal     = 0
	greater   = 1
	unordered = 2 // NaN, or types that cannot be compared
)

// compareValues compares two values exactly. Bools are equal or unordered.
func compareValues(a, b Value) int {
	switch {
	case a.typ == String && b.typ == String:
		return cmp.Compare(a.s, b.s)
	case a.typ == Bool && b.typ == Bool:
		if a.b == b.b {
			return equal
		}
		return unordered
	case !a.typ.isNumber() || !b.typ.isNumber():
		return unordered
	case a.typ == Int64 && b.typ == Int64:
		return cmp.Compare(a.i, b.i)
	case a.typ == Uint64 && b.typ == Uint64:
		return cmp.Compare(a.u, b.u)
	case a.typ == Int64 && b.typ == Uint64:
		return compareIntUint(a.i, b.u)
	case a.typ == Int64:
		return compareIntFloat(a.i, b.f)
	case a.typ == Uint64 && b.typ == Float64:
		return compareUintFloat(a.u, b.f)
	case a.typ == Float64 && b.typ == Float64:
		return compareFloats(a.f, b.f)
	default:
		return reversed(compareValues(b, a))
	}
}

// reversed is the outcome with the operands exchanged.
func reversed(c int) int {
	if c == unordered {
		return c
	}
	return -c
}

func compareFloats(a, b float64) int {
	if a != a || b != b {
		return unordered
	}
	return cmp.Compare(a, b)
}

func compareIntUint(i int64, u uint64) int {
	if i < 0 {
		return less
	}
	return cmp.Compare(uint64(i), u)
}

func compareIntFloat(i int64, f float64) int { return compareWholeFloat(i, f, -0x1p63, 0x1p63) }

func compareUintFloat(u uint64, f float64) int { return compareWholeFloat(u, f, 0, 0x1p64) }

// compareWholeFloat compares i, of a type with the values [lo, hi), and f without
// rounding i to float64.
func compareWholeFloat[T int64 | uint64](i T, f, lo, hi float64) int {
	switch {
	case f != f:
		return unordered
	case f >= hi:
		return less
	case f < lo:
		return greater
	}
	whole := math.Trunc(f)
	return cmp.Or(cmp.Compare(i, T(whole)), cmp.Compare(whole, f))
}

// exactly returns v as a value of type t; ok is false if t has no value equal
// to v. A NaN, which equals nothing, is itself.
func (v Value) exactly(t Type) (w Value, ok bool) {
	if v.typ == t {
		return v, true
	}
	if !v.typ.isNumber() || !t.isNumber() {
		return v, false
	}
	w = Value{typ: t}
	switch t {
	case Float64:
		w.f = v.Float()
	case Int64:
		w.i = v.int()
	case Uint64:
		w.u = v.uint()
	}
	return w, compareValues(v, w) == equal
}

// Float returns a number as the nearest float64.
func (v Value) Float() float64 {
	switch v.typ {
	case Int64:
		return float64(v.i)
	case Uint64:
		return float64(v.u)
	default:
		return v.f
	}
}

// int returns a number as an int64, anything if it is none.
func (v Value) int() int64 {
	switch {
	case v.typ == Uint64:
		return int64(v.u & math.MaxInt64)
	case v.typ == Float64 && v.f >= -0x1p63 && v.f < 0x1p63:
		return int64(v.f)
	default:
		return v.i
	}
}

// uint returns a number as a uint64, anything if it is none.
func (v Value) uint() uint64 {
	switch {
	case v.typ == Int64 && v.i >= 0:
		return uint64(v.i)
	case v.typ == Float64 && v.f >= 0 && v.f < 0x1p64:
		return uint64(v.f)
	default:
		return v.u
	}
}

// describe writes a literal as in the language.
func (v Value) describe() string {
	switch v.typ {
	case String:
		return "'" + strings.ReplaceAll(v.s, "'", "''") + "'"
	case Int64:
		return strconv.FormatInt(v.i, 10)
	case Uint64:
		return strconv.FormatUint(v.u, 10)
	case Bool:
		return strconv.FormatBool(v.b)
	default:
		return strconv.FormatFloat(v.f, 'g', -1, 64)
	}
}
