package pairfunc

import (
	"cmp"
	"fmt"
	"slices"
)

// A form is a canonical form of a scalar, as a real number: up to the sign, and
// up to the order and the grouping of the operands of sums and products.
type form struct {
	id       int
	negative bool // the scalar is minus the form
	inverse  bool // among factors: one over it
}

func compareForms(x, y form) int {
	return cmp.Or(cmp.Compare(x.id, y.id), cmp.Compare(truth(x.negative), truth(y.negative)), cmp.Compare(truth(x.inverse), truth(y.inverse)))
}

// forms numbers canonical forms. Sums and products keep their operands, so that
// nested sums and products can be flattened.
type forms struct {
	f       *Function
	ids     map[string]int
	terms   map[int][]form
	factors map[int][]form
}

// symmetric reports whether the function with its rows exchanged has the same
// form.
func (f *Function) symmetric() bool {
	s := &forms{f: f, ids: map[string]int{}, terms: map[int][]form{}, factors: map[int][]form{}}
	return s.of(false) == s.of(true)
}

func (s *forms) of(exchanged bool) form {
	of := make([]form, len(s.f.nodes))
	for i, n := range s.f.nodes {
		var args []form
		for _, a := range n.args {
			if a != nil {
				args = append(args, of[a.id])
			}
		}
		of[i] = s.node(n, args, exchanged)
	}
	return of[s.f.root.id]
}

// idOf returns a number for what, the same for all that print alike.
func (s *forms) idOf(what ...any) int {
	key := fmt.Sprint(what...)
	if n, ok := s.ids[key]; ok {
		return n
	}
	s.ids[key] = len(s.ids)
	return len(s.ids) - 1
}

func flipped(x form) form {
	x.negative = !x.negative
	return x
}

func plain(x form) form {
	x.negative = false
	return x
}

func (s *forms) node(n *node, args []form, exchanged bool) form {
	switch n.op {
	case opConst, opTruth:
		return form{id: s.idOf(n.op, max(n.value, -n.value)), negative: n.value < 0}
	case opA, opB:
		side, column := n.op, ""
		if side == opA {
			column = s.f.columnsA[n.column]
		} else {
			column = s.f.columnsB[n.column]
		}
		if exchanged {
			side = opA + opB - side
		}
		return form{id: s.idOf("column", side, column)}
	case opNeg:
		return flipped(args[0])
	case opAdd:
		return s.sum(args[0], args[1])
	case opSub:
		return s.sum(args[0], flipped(args[1]))
	case opMul:
		return s.product(args[0], args[1])
	case opDiv:
		args[1].inverse = true
		return s.product(args[0], args[1])
	}
	negative := false
	switch operations[n.op].symmetry {
	case even:
		args[0] = plain(args[0])
	case odd:
		negative = args[0].negative
		args[0] = plain(args[0])
	case unordered:
		slices.SortFunc(args, compareForms)
	case evenPair:
		args[0], args[1] = plain(args[0]), plain(args[1])
		slices.SortFunc(args, compareForms)
	case relation:
		slices.SortFunc(args, compareForms)
		if args[0].negative {
			args[0], args[1] = flipped(args[0]), flipped(args[1])
		}
	case reversible: // -x < -y is y < x
		if args[0].negative {
			args[0], args[1] = flipped(args[1]), flipped(args[0])
		}
	}
	return form{id: s.idOf(n.op, args), negative: negative}
}

// mostOperands bounds the operands of a flattened sum or product: powers of powers
// can have any number of them.
const mostOperands = 1 << 10

// flattened returns the operands of x and y in order, with those of a sum (or a
// product) instead of it; nil if there are too many. with applies the sign (or the
// inverse) of a part to its operands.
func flattened(operands map[int][]form, x, y form, with func(operand, part form) form) (all []form) {
	if len(operands[x.id])+len(operands[y.id]) > mostOperands {
		return nil
	}
	for _, part := range []form{x, y} {
		inner := operands[part.id]
		if inner == nil {
			inner = []form{{id: part.id}}
		}
		for _, t := range inner {
			all = append(all, with(t, part))
		}
	}
	slices.SortFunc(all, compareForms)
	return all
}

// sum is x + y. Its first term is positive.
func (s *forms) sum(x, y form) form {
	terms := flattened(s.terms, x, y, func(t, part form) form {
		t.negative = t.negative != part.negative
		return t
	})
	if terms == nil {
		return form{id: s.idOf("long sum", x, y)}
	}
	negative := terms[0].negative
	for i := range terms {
		terms[i].negative = terms[i].negative != negative
	}
	id := s.idOf("sum", terms)
	s.terms[id] = terms
	return form{id: id, negative: negative}
}

// product is x · y, or x / y where y is an inverse.
func (s *forms) product(x, y form) form {
	factors := flattened(s.factors, x, y, func(t, part form) form {
		t.inverse = t.inverse != part.inverse
		return t
	})
	if factors == nil {
		return form{id: s.idOf("long product", x, y)}
	}
	id := s.idOf("product", factors)
	s.factors[id] = factors
	return form{id: id, negative: x.negative != y.negative}
}
