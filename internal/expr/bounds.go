package expr

import "slices"

// Bounds is what statistics say about the values of a column in some rows.
// The zero Value bounds nothing.
type Bounds struct {
	Min, Max Value // no value that is neither null nor NaN is outside; need not occur
	Null     bool  // some rows may be null
	NaN      bool  // some values may be NaN
	AllNull  bool  // every row is null
}

// CanPass reports whether a filter may be true for some row, given bounds of
// the columns; it is false only when no row can pass. bounds returns false for
// a column about which nothing is known.
func (e *Expr) CanPass(bounds func(column string) (Bounds, bool)) bool {
	return canBe(e.root, true, bounds)
}

// canBe reports whether n may have the truth value want in some row.
func canBe(n *Node, want bool, bounds func(string) (Bounds, bool)) bool {
	switch {
	case n.Kind == Literal && n.Value.typ == Bool:
		return n.Value.b == want
	case n.is("not"):
		return canBe(n.Args[0], !want, bounds)
	case n.is("and", "or"):
		a, b := canBe(n.Args[0], want, bounds), canBe(n.Args[1], want, bounds)
		if (n.Text == "and") == want { // both must
			return a && b
		}
		return a || b
	case n.Kind == Operator && len(n.Args) == 2:
		return canCompare(n.Text, n.Args[0], n.Args[1], want, bounds)
	case n.Kind == Between:
		lo := canCompare(">=", n.Args[0], n.Args[1], want, bounds)
		hi := canCompare("<=", n.Args[0], n.Args[2], want, bounds)
		return lo && hi || !want && (lo || hi)
	case n.Kind == In || n.Kind == IsNull:
		if n.Args[0].Kind != Column {
			return true
		}
		b, known := bounds(n.Args[0].Text)
		switch {
		case !known:
			return true
		case n.Kind == IsNull && want:
			return b.Null || b.AllNull
		case n.Kind == IsNull:
			return !b.AllNull
		case b.AllNull:
			return false
		}
		return !want || b.holdsOne(n.List)
	}
	return true
}

// canCompare is canBe for a comparison, of use when one side is a column and
// the other a literal.
func canCompare(op string, a, b *Node, want bool, bounds func(string) (Bounds, bool)) bool {
	if a.Kind == Literal && b.Kind == Column {
		a, b, op = b, a, mirrored[op]
	}
	if a.Kind != Column || b.Kind != Literal || op == "" {
		return true
	}
	s, known := bounds(a.Text)
	switch {
	case !known:
		return true
	case s.AllNull:
		return false
	case want:
		return s.can(op, b.Value)
	default:
		return s.NaN || s.can(opposite[op], b.Value)
	}
}

// opposite is the operator that holds, but for NaN, where op does not.
var opposite = map[string]string{"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}

// can reports whether a value within the bounds may stand in the relation op
// to v.
func (s Bounds) can(op string, v Value) bool {
	low, high := compareValues(s.Min, v), compareValues(s.Max, v)
	switch op {
	case "=":
		return low != greater && high != less
	case "!=":
		return low != equal || high != equal
	case "<":
		return low == less || low == unordered
	case "<=":
		return low != greater
	case ">":
		return high == greater || high == unordered
	case ">=":
		return high != less
	}
	return true
}

// holdsOne reports whether a value of the list may be within the bounds.
func (s Bounds) holdsOne(list []Value) bool {
	return slices.ContainsFunc(list, func(v Value) bool { return s.can("=", v) })
}
