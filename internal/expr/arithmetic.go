package expr

import (
	"math"
	"math/bits"
)

// arithmetic adds a binary operator on numbers. Two integers give an integer,
// except for / and ^.
func (c *compiler) arithmetic(n *Node, op string, a, b *instr) *instr {
	for i, arg := range []*instr{a, b} {
		if !arg.typ.isNumber() {
			c.mismatch(n.Args[i], arg, "%s needs numbers", op)
		}
	}
	if op == "/" || op == "^" {
		a, b = c.toFloat(n, a), c.toFloat(n, b)
	} else {
		a, b = c.unify(n, a, b)
	}
	if op == "-" && a.typ == Uint64 {
		a, b = c.toInt(n, a), c.toInt(n, b)
	}
	switch {
	case op == "^" && b.literal != nil && b.literal.f == 2:
		return c.op(n, Float64, mapped(float64s, func(x float64) float64 { return x * x }), a)
	case a.typ == Float64:
		return c.op(n, Float64, floatOperators[op], a, b)
	case a.typ == Int64:
		return c.op(n, Int64, checked(int64s, intOperators[op]), a, b)
	default:
		return c.op(n, Uint64, checked(uint64s, uintOperators[op]), a, b)
	}
}

// unify brings two numbers to one type: float64 if one is, uint64 if one is
// and the other can be, otherwise int64.
func (c *compiler) unify(n *Node, a, b *instr) (*instr, *instr) {
	switch {
	case a.typ == Float64 || b.typ == Float64:
		return c.toFloat(n, a), c.toFloat(n, b)
	case a.typ == b.typ:
		return a, b
	}
	for _, i := range []**instr{&a, &b} {
		if (*i).literal != nil {
			*i = c.exactly(*i, Uint64)
		}
	}
	if a.typ == b.typ {
		return a, b
	}
	return c.toInt(n, a), c.toInt(n, b)
}

// exactly converts a literal to a type that has a value equal to it; another
// literal stays as it is.
func (c *compiler) exactly(a *instr, t Type) *instr {
	if v, ok := a.literal.exactly(t); ok {
		return c.constant(v)
	}
	return a
}

// toFloat converts a number to the nearest float64.
func (c *compiler) toFloat(n *Node, a *instr) *instr {
	switch {
	case a.typ == Float64:
		return a
	case a.literal != nil:
		return c.constant(FloatValue(a.literal.Float()))
	case a.typ == Int64:
		return c.op(n, Float64, converted(int64s, float64s, func(x int64) float64 { return float64(x) }), a)
	default:
		return c.op(n, Float64, converted(uint64s, float64s, func(x uint64) float64 { return float64(x) }), a)
	}
}

// toInt converts an integer to an int64; one above the largest is an overflow.
func (c *compiler) toInt(n *Node, a *instr) *instr {
	if a.typ != Int64 && a.literal != nil {
		a = c.exactly(a, Int64)
	}
	if a.typ == Int64 {
		return a
	}
	return c.op(n, Int64, narrow, a)
}

var floatOperators = map[string]kernel{
	"+":  mapped2(float64s, func(a, b float64) float64 { return a + b }),
	"-":  mapped2(float64s, func(a, b float64) float64 { return a - b }),
	"*":  mapped2(float64s, func(a, b float64) float64 { return a * b }),
	"/":  mapped2(float64s, func(a, b float64) float64 { return a / b }),
	"//": mapped2(float64s, func(a, b float64) float64 { return math.Floor(a / b) }),
	"%":  mapped2(float64s, floorMod),
	"^":  mapped2(float64s, math.Pow),
}

// floorMod is the remainder with the sign of the divisor, in [0, b) for b > 0.
func floorMod(a, b float64) float64 {
	r := math.Mod(a, b)
	if r != 0 && (r < 0) != (b < 0) {
		if r += b; r == b { // a tiny negative r is lost in the sum
			r = 0
		}
	}
	return r
}

var intOperators = map[string]func(a, b int64) (int64, outcome){
	"+":  addInt,
	"-":  subtractInt,
	"*":  multiplyInt,
	"//": floorDivInt,
	"%":  floorModInt,
}

func addInt(a, b int64) (int64, outcome) {
	c := a + b
	if (c > a) != (b > 0) {
		return c, overflowIf(b != 0)
	}
	return c, exact
}

func subtractInt(a, b int64) (int64, outcome) {
	c := a - b
	if (c < a) != (b > 0) {
		return c, overflowIf(b != 0)
	}
	return c, exact
}

func multiplyInt(a, b int64) (int64, outcome) {
	if a == 0 || b == 0 {
		return 0, exact
	}
	c := a * b
	return c, overflowIf(c/b != a || a == -1 && b == math.MinInt64 || b == -1 && a == math.MinInt64)
}

func floorDivInt(a, b int64) (int64, outcome) {
	switch {
	case b == 0:
		return 0, noResult
	case b == -1:
		return subtractInt(0, a)
	}
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q, exact
}

func floorModInt(a, b int64) (int64, outcome) {
	switch b {
	case 0:
		return 0, noResult
	case -1:
		return 0, exact
	}
	r := a % b
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r, exact
}

var uintOperators = map[string]func(a, b uint64) (uint64, outcome){
	"+": func(a, b uint64) (uint64, outcome) {
		c, carry := bits.Add64(a, b, 0)
		return c, overflowIf(carry != 0)
	},
	"*": func(a, b uint64) (uint64, outcome) {
		high, low := bits.Mul64(a, b)
		return low, overflowIf(high != 0)
	},
	"//": func(a, b uint64) (uint64, outcome) {
		if b == 0 {
			return 0, noResult
		}
		return a / b, exact
	},
	"%": func(a, b uint64) (uint64, outcome) {
		if b == 0 {
			return 0, noResult
		}
		return a % b, exact
	},
}
