package expr

import (
	"cmp"
	"slices"
)

// A values names one of the value slices of a Vector.
type values[T any] func(*Vector) []T

func float64s(v *Vector) []float64 { return v.Float64 }
func int64s(v *Vector) []int64     { return v.Int64 }
func uint64s(v *Vector) []uint64   { return v.Uint64 }
func bools(v *Vector) []bool       { return v.Bool }
func texts(v *Vector) []string     { return v.String }

// converted applies f to every value.
func converted[A, B any](from values[A], to values[B], f func(A) B) kernel {
	return func(_ *machine, out, a, _ *Vector) {
		z := to(out)
		for i, x := range from(a)[:len(z)] {
			z[i] = f(x)
		}
	}
}

func mapped[T any](of values[T], f func(T) T) kernel { return converted(of, of, f) }

// mapped2 applies f to every two values.
func mapped2[T any](of values[T], f func(a, b T) T) kernel {
	return func(_ *machine, out, a, b *Vector) {
		z := of(out)
		x, y := of(a)[:len(z)], of(b)[:len(z)]
		for i := range z {
			z[i] = f(x[i], y[i])
		}
	}
}

// checked applies f, whose result may not exist, to every two integers.
func checked[T any](of values[T], f func(a, b T) (T, outcome)) kernel {
	return func(m *machine, out, a, b *Vector) {
		z := of(out)
		x, y := of(a)[:len(z)], of(b)[:len(z)]
		for i := range z {
			var o outcome
			if z[i], o = f(x[i], y[i]); o != exact {
				m.noValue(out, i, o)
			}
		}
	}
}

// narrow converts uint64 to int64.
var narrow kernel = func(m *machine, out, a, _ *Vector) {
	for i, x := range a.Uint64 {
		if out.Int64[i] = int64(x); out.Int64[i] < 0 {
			m.noValue(out, i, overflow)
		}
	}
}

// comparison returns the kernel of an operator on two types that can be
// compared.
func comparison(op string, a, b Type) kernel {
	switch {
	case a != b:
		return mixed(op, a, b)
	case a == Bool:
		return mapped2(bools, func(x, y bool) bool { return (x == y) == (op == "=") })
	case a == String:
		return ordered(op, texts)
	case a == Int64:
		return ordered(op, int64s)
	case a == Uint64:
		return ordered(op, uint64s)
	default:
		return ordered(op, float64s)
	}
}

func ordered[T cmp.Ordered](op string, of values[T]) kernel {
	if op == ">" || op == ">=" {
		return swapped(ordered(mirrored[op], of))
	}
	return func(_ *machine, out, a, b *Vector) { compareAll(op, out.Bool, of(a), of(b)) }
}

// compareAll sets z to the comparison of every two values. The operands of !=
// must also equal themselves, which NaN does not.
func compareAll[T cmp.Ordered](op string, z []bool, x, y []T) {
	x, y = x[:len(z)], y[:len(z)]
	switch op {
	case "<":
		for i := range z {
			z[i] = x[i] < y[i]
		}
	case "<=":
		for i := range z {
			z[i] = x[i] <= y[i]
		}
	case "=":
		for i := range z {
			z[i] = x[i] == y[i]
		}
	default:
		for i := range z {
			z[i] = x[i] != y[i] && x[i] == x[i] && y[i] == y[i]
		}
	}
}

// swapped is a kernel with its operands exchanged.
func swapped(k kernel) kernel {
	return func(m *machine, out, a, b *Vector) { k(m, out, b, a) }
}

// mixed returns the kernel of a comparison of numbers of two types.
func mixed(op string, a, b Type) kernel {
	switch {
	case a == Int64 && b == Uint64:
		return exactly(op, int64s, uint64s, compareIntUint)
	case a == Int64:
		return exactly(op, int64s, float64s, compareIntFloat)
	case a == Uint64 && b == Float64:
		return exactly(op, uint64s, float64s, compareUintFloat)
	}
	return swapped(mixed(mirrored[op], b, a))
}

// mirrored is the operator that holds for (b, a) when op holds for (a, b).
var mirrored = map[string]string{"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// holds tells which outcomes of a comparison make an operator true.
var holds = map[string][4]bool{ // less, equal, greater, unordered
	"=":  {false, true, false, false},
	"!=": {true, false, true, false},
	"<":  {true, false, false, false},
	"<=": {true, true, false, false},
	">":  {false, false, true, false},
	">=": {false, true, true, false},
}

func exactly[A, B any](op string, left values[A], right values[B], compare func(A, B) int) kernel {
	table := holds[op]
	return func(_ *machine, out, a, b *Vector) {
		z := out.Bool
		x, y := left(a)[:len(z)], right(b)[:len(z)]
		for i := range z {
			z[i] = table[compare(x[i], y[i])+1]
		}
	}
}

// extreme is the smaller or larger of two numbers; NaN if one is.
func extreme(t Type, least bool) kernel {
	switch t {
	case Float64:
		return extremeOf(float64s, least)
	case Int64:
		return extremeOf(int64s, least)
	default:
		return extremeOf(uint64s, least)
	}
}

func extremeOf[T cmp.Ordered](of values[T], least bool) kernel {
	if least {
		return mapped2(of, func(a, b T) T { return min(a, b) })
	}
	return mapped2(of, func(a, b T) T { return max(a, b) })
}

// member tests for the values of a list, all of type t.
func member(t Type, list []Value) kernel {
	switch t {
	case Float64:
		return memberOf(float64s, list, func(v Value) float64 { return v.f })
	case Int64:
		return memberOf(int64s, list, func(v Value) int64 { return v.i })
	case Uint64:
		return memberOf(uint64s, list, func(v Value) uint64 { return v.u })
	default:
		return memberOf(texts, list, func(v Value) string { return v.s })
	}
}

// shortList is the length up to which looking at every item beats hashing.
const shortList = 8

func memberOf[T comparable](of values[T], list []Value, get func(Value) T) kernel {
	items := make([]T, len(list))
	set := make(map[T]struct{}, len(list))
	for i, v := range list {
		items[i] = get(v)
		set[items[i]] = struct{}{}
	}
	if len(items) <= shortList {
		return converted(of, bools, func(x T) bool { return slices.Contains(items, x) })
	}
	return converted(of, bools, func(x T) bool { _, ok := set[x]; return ok })
}
