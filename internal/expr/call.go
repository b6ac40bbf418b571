package expr

import "math"

// call adds a function.
func (c *compiler) call(n *node, args []*instr) (*instr, error) {
	f := functions[n.text]
	if f.special == isNull {
		return c.isNull(n, args[0]), nil
	}
	for i, a := range args {
		if !a.typ.isNumber() {
			return nil, c.mismatch(n.args[i], a, "%s needs %s", n.text, map[bool]string{true: "a number", false: "numbers"}[f.maxArgs == 1])
		}
	}
	a := args[0]
	switch {
	case f.real != nil:
		return c.op(n, Float64, mapped(float64s, f.real), c.toFloat(n, a)), nil
	case f.real2 != nil:
		return c.op(n, Float64, mapped2(float64s, f.real2), c.toFloat(n, a), c.toFloat(n, args[1])), nil
	case f.rounding != nil && a.typ == Float64:
		return c.op(n, Float64, mapped(float64s, f.rounding), a), nil
	case f.rounding != nil:
		return a, nil
	}
	switch f.special {
	case comoving:
		return c.comoving(n, a)
	case absolute:
		return c.absolute(n, a), nil
	case isNaN:
		if a.typ == Float64 {
			return c.op(n, Bool, converted(float64s, bools, math.IsNaN), a), nil
		}
		return c.op(n, Bool, never, a), nil
	}
	// One type for all: an operand may still change the type of those before.
	common := a
	for _, b := range args[1:] {
		common, _ = c.unify(n, common, b)
	}
	least := f.special == minimum
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
		if result == nil {
			result = b
			continue
		}
		result = c.op(n, common.typ, extreme(common.typ, least), result, b)
	}
	return result, nil
}

func (c *compiler) absolute(n *node, a *instr) *instr {
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
