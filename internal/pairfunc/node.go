package pairfunc

import (
	"math"

	"skyjoin/internal/kernel"
)

// An op is an operation on scalars, an index of operations.
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
	opPow
	opLess
	opAtMost
	opAnd
	opOr
	opNot
	opImage // of a difference, in a period: the least
	// All others are found by their names.
)

// Rows that a node depends on.
const (
	ofA = 1 << iota
	ofB
)

// A node is a scalar of the function. No two nodes are equal.
type node struct {
	op     op
	args   [2]*node
	value  float64 // of a constant; 1 and 0 of a truth
	column int     // of opA and opB
	truth  bool    // it is true or false, not a number
	rows   uint8
	id     int // operands come before
}

// An operation is what evaluators know about an op. True and false are 1 and 0.
type operation struct {
	name     string // in expressions
	symmetry symmetry
	truths   bool              // takes true or false
	truth    bool              // gives true or false
	kernel   *kernel.Operation // of blocks; nil: there is none
	of1      func(x float64) float64
	of2      func(x, y float64) float64
	cuda     string // with %[1]s and %[2]s
}

// symmetry is how signs and the order of operands pass through an op.
type symmetry uint8

const (
	opaque     symmetry = iota // none, or a sum or product, which forms handles itself
	even                       // f(-x) = f(x)
	odd                        // f(-x) = -f(x)
	unordered                  // f(x, y) = f(y, x)
	evenPair                   // unordered and even in both
	relation                   // unordered, and f(-x, -y) = f(x, y)
	reversible                 // f(-x, -y) = f(y, x)
)

func by(o kernel.Operation) *kernel.Operation { return &o }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var operations = [...]operation{
	opAdd:    {kernel: by(kernel.Add), name: "+", cuda: "%[1]s + %[2]s"},
	opSub:    {kernel: by(kernel.Subtract), name: "-", cuda: "%[1]s - %[2]s"},
	opMul:    {kernel: by(kernel.Multiply), name: "*", cuda: "%[1]s * %[2]s"},
	opDiv:    {kernel: by(kernel.Divide), name: "/", cuda: "%[1]s / %[2]s"},
	opNeg:    {kernel: by(kernel.Negate), symmetry: odd, cuda: "-%[1]s"},
	opAbs:    {kernel: by(kernel.Magnitude), name: "abs", symmetry: even, cuda: "fabs(%[1]s)"},
	opSqrt:   {kernel: by(kernel.Root), name: "sqrt", cuda: "sqrt(%[1]s)"},
	opPow:    {name: "^", of2: math.Pow, cuda: "pow(%[1]s, %[2]s)"},
	opLess:   {kernel: by(kernel.Less), name: "<", symmetry: reversible, truth: true, cuda: "%[1]s < %[2]s"},
	opAtMost: {kernel: by(kernel.AtMost), name: "<=", symmetry: reversible, truth: true, cuda: "%[1]s <= %[2]s"},
	opAnd:    {kernel: by(kernel.Multiply), name: "and", symmetry: unordered, truths: true, truth: true, cuda: "%[1]s && %[2]s"},
	opOr:     {name: "or", symmetry: unordered, truths: true, truth: true, cuda: "%[1]s || %[2]s"},
	opNot:    {name: "not", truths: true, truth: true, cuda: "!%[1]s"},
	opImage:  {symmetry: odd, of2: image, cuda: "%[2]s - fabs(%[1]s) < fabs(%[1]s) ? copysign(%[2]s - fabs(%[1]s), -%[1]s) : %[1]s"},
	{name: "min", symmetry: unordered, of2: func(x, y float64) float64 { return min(x, y) }, cuda: "least(%[1]s, %[2]s)"},
	{name: "max", symmetry: unordered, of2: func(x, y float64) float64 { return max(x, y) }, cuda: "most(%[1]s, %[2]s)"},
	{name: "floor", of1: math.Floor, cuda: "floor(%[1]s)"},
	{name: "ceil", of1: math.Ceil, cuda: "ceil(%[1]s)"},
	{name: "round", symmetry: odd, of1: math.Round, cuda: "round(%[1]s)"},
	{name: "%", of2: modulo, cuda: "modulo(%[1]s, %[2]s)"},
	{name: "//", of2: func(x, y float64) float64 { return math.Floor(x / y) }, cuda: "floor(%[1]s / %[2]s)"},
	{name: "exp", of1: math.Exp, cuda: "exp(%[1]s)"},
	{name: "log", of1: math.Log, cuda: "log(%[1]s)"},
	{name: "log10", of1: math.Log10, cuda: "log10(%[1]s)"},
	{name: "sin", symmetry: odd, of1: math.Sin, cuda: "sin(%[1]s)"},
	{name: "cos", symmetry: even, of1: math.Cos, cuda: "cos(%[1]s)"},
	{name: "tan", symmetry: odd, of1: math.Tan, cuda: "tan(%[1]s)"},
	{name: "asin", symmetry: odd, of1: math.Asin, cuda: "asin(%[1]s)"},
	{name: "acos", of1: math.Acos, cuda: "acos(%[1]s)"},
	{name: "atan", symmetry: odd, of1: math.Atan, cuda: "atan(%[1]s)"},
	{name: "atan2", of2: math.Atan2, cuda: "atan2(%[1]s, %[2]s)"},
	{name: "hypot", symmetry: evenPair, of2: math.Hypot, cuda: "hypot(%[1]s, %[2]s)"},
	{name: "degrees", symmetry: odd, of1: func(x float64) float64 { return x * (180 / math.Pi) }, cuda: "%[1]s * (180 / 3.141592653589793)"},
	{name: "radians", symmetry: odd, of1: func(x float64) float64 { return x * (math.Pi / 180) }, cuda: "%[1]s * (3.141592653589793 / 180)"},
	{name: "isnan", symmetry: even, truth: true, of1: func(x float64) float64 { return truth(x != x) }, cuda: "%[1]s != %[1]s"},
	{name: "=", symmetry: relation, truth: true, of2: func(x, y float64) float64 { return truth(x == y) }, cuda: "%[1]s == %[2]s"},
	{name: "!=", symmetry: relation, truth: true, of2: func(x, y float64) float64 { return truth(x < y || x > y) }, cuda: "(%[1]s < %[2]s || %[1]s > %[2]s)"},
}

// image returns a difference of coordinates in [0, side) as that to the nearest
// image.
func image(d, side float64) float64 {
	if around := side - math.Abs(d); around < math.Abs(d) {
		return math.Copysign(around, -d)
	}
	return d
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
	for o, operation := range operations {
		m[operation.name] = op(o)
	}
	return m
}()
