package expr

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
func canBe(n *node, want bool, bounds func(string) (Bounds, bool)) bool {
	switch {
	case n.kind == nodeLiteral && n.value.typ == Bool:
		return n.value.b == want
	case n.kind == nodeUnary && n.text == "not":
		return canBe(n.args[0], !want, bounds)
	case n.kind == nodeBinary && (n.text == "and" || n.text == "or"):
		a, b := canBe(n.args[0], want, bounds), canBe(n.args[1], want, bounds)
		if (n.text == "and") == want { // both must
			return a && b
		}
		return a || b
	case n.kind == nodeBinary:
		return canCompare(n.text, n.args[0], n.args[1], want, bounds)
	case n.kind == nodeBetween:
		lo := canCompare(">=", n.args[0], n.args[1], want, bounds)
		hi := canCompare("<=", n.args[0], n.args[2], want, bounds)
		return lo && hi || !want && (lo || hi)
	case n.kind == nodeIn || n.kind == nodeIsNull:
		if n.args[0].kind != nodeColumn {
			return true
		}
		b, known := bounds(n.args[0].text)
		switch {
		case !known:
			return true
		case n.kind == nodeIsNull && want:
			return b.Null || b.AllNull
		case n.kind == nodeIsNull:
			return !b.AllNull
		case b.AllNull:
			return false
		}
		return !want || b.holdsOne(n.list)
	}
	return true
}

// canCompare is canBe for a comparison, of use when one side is a column and
// the other a literal.
func canCompare(op string, a, b *node, want bool, bounds func(string) (Bounds, bool)) bool {
	if a.kind == nodeLiteral && b.kind == nodeColumn {
		a, b, op = b, a, mirrored[op]
	}
	if a.kind != nodeColumn || b.kind != nodeLiteral || op == "" {
		return true
	}
	s, known := bounds(a.text)
	switch {
	case !known:
		return true
	case s.AllNull:
		return false
	case want:
		return s.can(op, b.value)
	default:
		return s.NaN || s.can(opposite[op], b.value)
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
	for _, v := range list {
		if s.can("=", v) {
			return true
		}
	}
	return false
}
