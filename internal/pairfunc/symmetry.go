package pairfunc

// A form is a canonical form of a scalar: up to the sign, and up to the order of
// operands where that changes nothing, not even the rounding.
type form struct {
	id       int
	negative bool
}

type formKey struct {
	op     op
	args   [2]form
	value  float64
	column string
	side   op
}

// symmetric reports whether the function with its rows exchanged has the same
// form. IEEE arithmetic keeps what this uses: x-y is -(y-x), (-x)·y is -(x·y),
// and sums and products do not depend on the order of their two operands.
func (f *Function) symmetric() bool {
	ids := map[formKey]int{}
	id := func(k formKey) int {
		if n, ok := ids[k]; ok {
			return n
		}
		ids[k] = len(ids)
		return len(ids) - 1
	}
	forms := func(exchanged bool) form {
		of := make([]form, len(f.nodes))
		for i, n := range f.nodes {
			of[i] = f.formOf(n, of, exchanged, id)
		}
		return of[f.root.id]
	}
	return forms(false) == forms(true)
}

func (f *Function) formOf(n *node, of []form, exchanged bool, id func(formKey) int) form {
	var x, y form
	if n.args[0] != nil {
		x = of[n.args[0].id]
	}
	if n.args[1] != nil {
		y = of[n.args[1].id]
	}
	make := func(negative bool, x, y form) form {
		return form{id(formKey{op: n.op, args: [2]form{x, y}}), negative}
	}
	plain := func(v form) form { return form{v.id, false} }
	flipped := func(v form) form { return form{v.id, !v.negative} }
	switch n.op {
	case opConst, opTruth:
		if n.value < 0 {
			return form{id(formKey{op: n.op, value: -n.value}), true}
		}
		return form{id(formKey{op: n.op, value: n.value}), false}
	case opA, opB:
		side, columns := n.op, f.columnsA
		if side == opB {
			columns = f.columnsB
		}
		if exchanged {
			side = opA + opB - side
		}
		return form{id(formKey{op: opA, column: columns[n.column], side: side}), false}
	case opNeg:
		return flipped(x)
	case opSub: // x + (-y)
		return sum(x, flipped(y), id)
	case opAdd:
		return sum(x, y, id)
	}
	switch operations[n.op].symmetry {
	case even:
		return make(false, plain(x), y)
	case odd:
		return make(x.negative, plain(x), y)
	case unordered:
		if less(y, x) {
			x, y = y, x
		}
	case evenPair:
		x, y = plain(x), plain(y)
		if less(y, x) {
			x, y = y, x
		}
	case product:
		if less(y, x) {
			x, y = y, x
		}
		return make(x.negative != y.negative, plain(x), plain(y))
	case quotient:
		return make(x.negative != y.negative, plain(x), plain(y))
	case relation:
		if less(y, x) {
			x, y = y, x
		}
		if x.negative {
			x, y = flipped(x), flipped(y)
		}
	case reversible: // -x < -y is y < x
		if x.negative {
			x, y = flipped(y), flipped(x)
		}
	}
	return make(false, x, y)
}

// sum is the form of x + y: its first operand is positive.
func sum(x, y form, id func(formKey) int) form {
	if less(y, x) {
		x, y = y, x
	}
	negative := x.negative
	if negative {
		x.negative, y.negative = false, !y.negative
	}
	return form{id(formKey{op: opAdd, args: [2]form{x, y}}), negative}
}

func less(x, y form) bool {
	if x.id != y.id {
		return x.id < y.id
	}
	return !x.negative && y.negative
}
