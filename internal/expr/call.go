package expr

import "math"

// call adds a function.
func (c *compiler) call(n *Node, args []*instr) *instr {
	f, a := functions[n.Text], args[0]
	if f.special == isNull {
		return c.logical(n, nulls, a)
	}
	if f.special == ofHours || f.special == ofDegrees {
		return c.sexagesimal(n, f.special == ofHours, args)
	}
	for i, arg := range args {
		if !arg.typ.isNumber() {
			c.mismatch(n.Args[i], arg, "%s needs %s", n.Text, map[bool]string{true: "a number", false: "numbers"}[f.maxArgs == 1])
		}
	}
	switch {
	case f.real != nil:
		return c.op(n, Float64, mapped(float64s, f.real), c.toFloat(n, a))
	case f.real2 != nil:
		return c.op(n, Float64, mapped2(float64s, f.real2), c.toFloat(n, a), c.toFloat(n, args[1]))
	case f.rounding != nil && a.typ == Float64:
		return c.op(n, Float64, mapped(float64s, f.rounding), a)
	case f.rounding != nil:
		return a
	case f.special == comoving:
		return c.comoving(n, a)
	case f.special == absolute:
		return c.absolute(n, a)
	case f.special == isNaN && a.typ == Float64:
		return c.op(n, Bool, converted(float64s, bools, math.IsNaN), a)
	case f.special == isNaN:
		return c.op(n, Bool, never, a)
	}
	// One type for all: an operand may still change the type of those before.
	common := a
	for _, b := range args[1:] {
		common, _ = c.unify(n, common, b)
	}
	var result *instr
	for _, b := range args {
		switch common.typ {
		case Float64:
			b = c.toFloat(n, b)
		case Int64:
			b = c.toInt(n, b)
		case Uint64:
			_, b = c.unify(n, common, b)
		}
		if result != nil {
			b = c.op(n, common.typ, extreme(common.typ, f.special == minimum), result, b)
		}
		result = b
	}
	return result
}

func (c *compiler) absolute(n *Node, a *instr) *instr {
	switch a.typ {
	case Float64:
		return c.op(n, Float64, mapped(float64s, math.Abs), a)
	case Uint64:
		return a
	}
	return c.op(n, Int64, checked(int64s, func(x, _ int64) (int64, outcome) {
		if x < 0 {
			return subtractInt(0, x)
		}
		return x, exact
	}), a, a)
}
