package pairfunc

import "math"

// An op is an operation on scalars. Its text is what it is called in an
// expression, where it has a name there.
type op uint8

const (
	opConst op = iota
	opTruth
	opA // a column of row a
	opB
	opAdd
	opSub
	opMul
	opDiv
	opNeg
	opAbs
	opSqrt
	opMin
	opMax
	opFloor
	opCeil
	opRound
	opMod
	opFloorDiv
	opPow
	opExp
	opLog
	opLog10
	opSin
	opCos
	opTan
	opAsin
	opAcos
	opAtan
	opAtan2
	opHypot
	opDegrees
	opRadians
	opIsNaN
	opLess
	opAtMost
	opEqual
	opUnequal
	opAnd
	opOr
	opNot
	opCount
)

// Rows that a node depends on.
const (
	ofA = 1 << iota
	ofB
)

// A node is a scalar of the function. Equal nodes are one.
type node struct {
	op     op
	args   [2]*node
	value  float64 // of a constant; 1 and 0 of a truth
	column int     // of opA and opB
	truth  bool    // it is true or false, not a number
	rows   uint8
	id     int // operands come before
}

// operation is what evaluators know about an op. Of numbers and truths, which
// are 1 and 0.
type operation struct {
	name     string // in expressions
	operands int
	symmetry symmetry
	truths   bool // takes truths
	truth    bool // gives one
	of1      func(x float64) float64
	of2      func(x, y float64) float64
	cuda     string // with %[1]s and %[2]s
}

// symmetry is how signs and the order of operands pass through an op.
type symmetry uint8

const (
	opaque     symmetry = iota // or a sum or product, which forms treats by themselves
	even                       // f(-x) = f(x)
	odd                        // f(-x) = -f(x)
	unordered                  // f(x, y) = f(y, x)
	evenPair                   // unordered and even in both
	relation                   // unordered, and f(-x, -y) = f(x, y)
	reversible                 // f(-x, -y) = f(y, x)
)

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var operations = [opCount]operation{
	opAdd:      {"+", 2, opaque, false, false, nil, nil, "%[1]s + %[2]s"},
	opSub:      {"-", 2, opaque, false, false, nil, nil, "%[1]s - %[2]s"},
	opMul:      {"*", 2, opaque, false, false, nil, nil, "%[1]s * %[2]s"},
	opDiv:      {"/", 2, opaque, false, false, nil, nil, "%[1]s / %[2]s"},
	opNeg:      {"", 1, odd, false, false, nil, nil, "-%[1]s"},
	opAbs:      {"abs", 1, even, false, false, nil, nil, "fabs(%[1]s)"},
	opSqrt:     {"sqrt", 1, opaque, false, false, nil, nil, "sqrt(%[1]s)"},
	opMin:      {"min", 2, unordered, false, false, nil, func(x, y float64) float64 { return min(x, y) }, "least(%[1]s, %[2]s)"},
	opMax:      {"max", 2, unordered, false, false, nil, func(x, y float64) float64 { return max(x, y) }, "most(%[1]s, %[2]s)"},
	opFloor:    {"floor", 1, opaque, false, false, math.Floor, nil, "floor(%[1]s)"},
	opCeil:     {"ceil", 1, opaque, false, false, math.Ceil, nil, "ceil(%[1]s)"},
	opRound:    {"round", 1, odd, false, false, math.Round, nil, "round(%[1]s)"},
	opMod:      {"%", 2, opaque, false, false, nil, modulo, "modulo(%[1]s, %[2]s)"},
	opFloorDiv: {"//", 2, opaque, false, false, nil, func(x, y float64) float64 { return math.Floor(x / y) }, "floor(%[1]s / %[2]s)"},
	opPow:      {"^", 2, opaque, false, false, nil, math.Pow, "pow(%[1]s, %[2]s)"},
	opExp:      {"exp", 1, opaque, false, false, math.Exp, nil, "exp(%[1]s)"},
	opLog:      {"log", 1, opaque, false, false, math.Log, nil, "log(%[1]s)"},
	opLog10:    {"log10", 1, opaque, false, false, math.Log10, nil, "log10(%[1]s)"},
	opSin:      {"sin", 1, odd, false, false, math.Sin, nil, "sin(%[1]s)"},
	opCos:      {"cos", 1, even, false, false, math.Cos, nil, "cos(%[1]s)"},
	opTan:      {"tan", 1, odd, false, false, math.Tan, nil, "tan(%[1]s)"},
	opAsin:     {"asin", 1, odd, false, false, math.Asin, nil, "asin(%[1]s)"},
	opAcos:     {"acos", 1, opaque, false, false, math.Acos, nil, "acos(%[1]s)"},
	opAtan:     {"atan", 1, odd, false, false, math.Atan, nil, "atan(%[1]s)"},
	opAtan2:    {"atan2", 2, opaque, false, false, nil, math.Atan2, "atan2(%[1]s, %[2]s)"},
	opHypot:    {"hypot", 2, evenPair, false, false, nil, math.Hypot, "hypot(%[1]s, %[2]s)"},
	opDegrees:  {"degrees", 1, odd, false, false, func(x float64) float64 { return x * (180 / math.Pi) }, nil, "%[1]s * (180 / 3.141592653589793)"},
	opRadians:  {"radians", 1, odd, false, false, func(x float64) float64 { return x * (math.Pi / 180) }, nil, "%[1]s * (3.141592653589793 / 180)"},
	opIsNaN:    {"isnan", 1, even, false, true, func(x float64) float64 { return truth(x != x) }, nil, "%[1]s != %[1]s"},
	opLess:     {"<", 2, reversible, false, true, nil, nil, "%[1]s < %[2]s"},
	opAtMost:   {"<=", 2, reversible, false, true, nil, nil, "%[1]s <= %[2]s"},
	opEqual:    {"=", 2, relation, false, true, nil, func(x, y float64) float64 { return truth(x == y) }, "%[1]s == %[2]s"},
	opUnequal:  {"!=", 2, relation, false, true, nil, func(x, y float64) float64 { return truth(x < y || x > y) }, "(%[1]s < %[2]s || %[1]s > %[2]s)"},
	opAnd:      {"and", 2, unordered, true, true, nil, nil, "%[1]s && %[2]s"},
	opOr:       {"or", 2, unordered, true, true, nil, nil, "%[1]s || %[2]s"},
	opNot:      {"not", 1, opaque, true, true, nil, nil, "!%[1]s"},
}

// modulo has the sign of the divisor.
func modulo(x, y float64) float64 {
	m := math.Mod(x, y)
	if m != 0 && (m < 0) != (y < 0) {
		m += y
	}
	return m
}

// named finds operations by their names in expressions.
var named = func() map[string]op {
	m := map[string]op{}
	for o := range opCount {
		if name := operations[o].name; name != "" {
			m[name] = o
		}
	}
	return m
}()
