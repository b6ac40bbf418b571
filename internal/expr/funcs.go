package expr

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"skyjoin/internal/suggest"
)

// A function is a row of the table of functions. Exactly one of real, real2,
// rounding and special is set.
type function struct {
	minArgs, maxArgs int
	real             func(float64) float64          // of numbers, as float64
	real2            func(float64, float64) float64 // likewise
	rounding         func(float64) float64          // of a number; integers stay as they are
	special          specialKind
}

type specialKind uint8

const (
	notSpecial specialKind = iota
	absolute
	minimum
	maximum
	isNull
	isNaN
	comoving
	ofHours
	ofDegrees
)

// many is the largest number of arguments of min and max.
const many = 64

// functions is the table of functions by name. log is the natural logarithm;
// parsecs(p) is the distance of a parallax in mas, 1000/p, NaN for one that is
// not positive. comoving(z, h0, omega_m) is the comoving distance in Mpc of a
// redshift, in a flat universe with a Hubble constant in km/s/Mpc and a matter
// density, 70 and 0.3 unless numbers are given. tangential(pm, d) is the
// velocity in km/s of a proper motion in mas/yr at a distance in pc. hms(t) is the
// angle in degrees of a text of hours, minutes and seconds, hms(h, m, s) that of
// numbers; dms(t), dms(d, m, s) and dms(sign, d, m, s) are the same for degrees; NaN
// where they are none.
//
// round goes half away from zero; min and max are null if an argument is, and
// NaN if one is.
var functions = map[string]function{
	"abs":        {minArgs: 1, maxArgs: 1, special: absolute},
	"acos":       {minArgs: 1, maxArgs: 1, real: math.Acos},
	"asin":       {minArgs: 1, maxArgs: 1, real: math.Asin},
	"atan":       {minArgs: 1, maxArgs: 1, real: math.Atan},
	"atan2":      {minArgs: 2, maxArgs: 2, real2: math.Atan2},
	"ceil":       {minArgs: 1, maxArgs: 1, rounding: math.Ceil},
	"comoving":   {minArgs: 1, maxArgs: 3, special: comoving},
	"cos":        {minArgs: 1, maxArgs: 1, real: math.Cos},
	"degrees":    {minArgs: 1, maxArgs: 1, real: func(x float64) float64 { return x * (180 / math.Pi) }},
	"dms":        {minArgs: 1, maxArgs: 4, special: ofDegrees},
	"exp":        {minArgs: 1, maxArgs: 1, real: math.Exp},
	"floor":      {minArgs: 1, maxArgs: 1, rounding: math.Floor},
	"hms":        {minArgs: 1, maxArgs: 3, special: ofHours},
	"hypot":      {minArgs: 2, maxArgs: 2, real2: math.Hypot},
	"isnan":      {minArgs: 1, maxArgs: 1, special: isNaN},
	"isnull":     {minArgs: 1, maxArgs: 1, special: isNull},
	"log":        {minArgs: 1, maxArgs: 1, real: math.Log},
	"log10":      {minArgs: 1, maxArgs: 1, real: log10},
	"max":        {minArgs: 2, maxArgs: many, special: maximum},
	"min":        {minArgs: 2, maxArgs: many, special: minimum},
	"parsecs":    {minArgs: 1, maxArgs: 1, real: parsecs},
	"radians":    {minArgs: 1, maxArgs: 1, real: func(x float64) float64 { return x * (math.Pi / 180) }},
	"round":      {minArgs: 1, maxArgs: 1, rounding: math.Round},
	"sin":        {minArgs: 1, maxArgs: 1, real: math.Sin},
	"sqrt":       {minArgs: 1, maxArgs: 1, real: math.Sqrt},
	"tan":        {minArgs: 1, maxArgs: 1, real: math.Tan},
	"tangential": {minArgs: 2, maxArgs: 2, real2: tangential},
}

// log10 is math.Log10, made exact at the powers of ten: log10(1000) is 3, so
// that log10(x) >= 3 holds for it.
func log10(x float64) float64 {
	y := math.Log10(x)
	if n := math.Round(y); n != y && math.Abs(y-n) < 1e-12*math.Abs(n) && math.Pow10(int(n)) == x {
		return n
	}
	return y
}

func (f function) arity() string {
	switch {
	case f.maxArgs == 1:
		return "1 argument"
	case f.minArgs < f.maxArgs:
		return fmt.Sprintf("%d to %d arguments", f.minArgs, f.maxArgs)
	default:
		return fmt.Sprintf("%d arguments", f.maxArgs)
	}
}

// suggestion names the functions nearest to an unknown name, or all of them;
// more are further functions of the language.
func suggestion(name string, more map[string]int) string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(more)), maps.Keys(functions))
	slices.Sort(names)
	near := suggest.Near(name, names)
	if near == nil {
		return "; there are " + strings.Join(names, ", ")
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}
