package figure

import (
	"math"
	"strings"
)

// A tick marks a value of an axis; a minor one has no label.
type tick struct {
	value float64
	label string
}

// A ruler chooses the ticks of an axis from lo to hi with about n labels, at
// least two where it can. offset, if not empty, belongs to the name of the
// axis: " − 1000" when 1000 has been taken from every label.
type ruler func(lo, hi float64, n int) (ticks []tick, offset string)

// round steps of an axis, in units of a power of ten, and the number of minor
// steps in one.
var roundSteps = []struct {
	step  float64
	minor int
}{{1, 5}, {2, 4}, {5, 5}, {10, 5}}

// steps of an angle of ten degrees and more.
var degreeSteps = []struct {
	step  float64
	minor int
}{{10, 5}, {15, 3}, {20, 4}, {30, 3}, {45, 3}, {60, 6}, {90, 3}}

// linearRuler marks multiples of 1, 2 or 5 times a power of ten; degreeRuler is a
// linearRuler whose wide steps divide the circle.
var linearRuler, degreeRuler = stepRuler(roundStep), stepRuler(degreeStep)

// stepRuler returns a ruler that marks the multiples of a step of at least want.
func stepRuler(atLeast func(want float64) (step float64, minor, exp int)) ruler {
	return func(lo, hi float64, n int) ([]tick, string) {
		step, minor, exp := atLeast((hi - lo) / float64(max(n, 1)))
		label, offset := labeller(lo, hi, step, exp)
		return steppedTicks(lo, hi, step, minor, label), offset
	}
}

// raRuler is a degreeRuler for right ascension: where the axis runs on below 0
// or beyond 360 the labels stay in [0, 360).
func raRuler(lo, hi float64, n int) ([]tick, string) {
	if lo >= 0 && hi <= 360 {
		return degreeRuler(lo, hi, n)
	}
	step, minor, exp := degreeStep((hi - lo) / float64(max(n, 1)))
	turn := math.Round(360 / step) // every step divides the circle
	label := func(k float64) string {
		return fixedPoint(multiple(math.Mod(k+2*turn, turn), step, exp), -exp)
	}
	return steppedTicks(lo, hi, step, minor, label), ""
}

// mirrored turns a ruler of v into one of u = −v.
func mirrored(r ruler) ruler {
	return func(lo, hi float64, n int) ([]tick, string) {
		ticks, offset := r(-hi, -lo, n)
		for i := range ticks {
			ticks[i].value = -ticks[i].value
		}
		return ticks, offset
	}
}

// roundStep returns the smallest round step of at least want, its number of
// minor steps, and the exponent of its last digit.
func roundStep(want float64) (step float64, minor, exp int) {
	exp = int(math.Floor(math.Log10(want)))
	for _, s := range roundSteps {
		step, minor = s.step*math.Pow10(exp), s.minor
		if step >= want*(1-1e-9) {
			if s.step == 10 {
				exp++
			}
			break
		}
	}
	return step, minor, exp
}

// degreeStep is roundStep for angles in degrees.
func degreeStep(want float64) (step float64, minor, exp int) {
	if want <= 5 {
		return roundStep(want)
	}
	for _, s := range degreeSteps {
		step, minor = s.step, s.minor
		if step >= want {
			break
		}
	}
	return step, minor, 0
}

// multiple returns k·step, where step is a whole number of 10^exp, as the
// float64 nearest to the decimal number.
func multiple(k, step float64, exp int) float64 {
	if exp >= 0 {
		return k * step
	}
	scale := math.Pow10(-exp)
	return k * math.Round(step*scale) / scale
}

// steppedTicks returns the multiples of step in [lo, hi], labelled, and the
// minor ticks between and around them.
func steppedTicks(lo, hi, step float64, minor int, label func(k float64) string) []tick {
	first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
	var ticks []tick
	for k := first - 1; k <= last; k++ {
		if k >= first {
			ticks = append(ticks, tick{value: k * step, label: label(k)})
		}
		for j := 1; j < minor; j++ {
			if v := (k + float64(j)/float64(minor)) * step; v >= lo && v <= hi {
				ticks = append(ticks, tick{value: v})
			}
		}
	}
	return ticks
}

// labeller returns how the k-th multiple of step, a whole number of 10^exp, is
// written on an axis from lo to hi: plain, with powers of ten, or, where
// numbers would be long but alike, with the part that they share in offset.
func labeller(lo, hi, step float64, exp int) (label func(k float64) string, offset string) {
	top := int(math.Floor(math.Log10(max(math.Abs(lo), math.Abs(hi)))))
	if top-exp >= 7 {
		start := 10 * math.Round((lo/2+hi/2)/(10*step))
		if start != 0 {
			sign := " − "
			if start < 0 {
				sign = " + "
			}
			inner, _ := labeller(lo-start*step, hi-start*step, step, exp)
			return func(k float64) string { return inner(k - start) }, sign + short(math.Abs(multiple(start, step, exp)))
		}
	}
	if top >= 6 || top < -3 {
		return func(k float64) string { return scientific(k*step, exp) }, ""
	}
	return func(k float64) string { return fixedPoint(multiple(k, step, exp), -exp) }, ""
}

// scientific writes v, a whole number of 10^exp, with a power of ten.
func scientific(v float64, exp int) string {
	if v == 0 {
		return "0"
	}
	digits := int(math.Floor(math.Log10(math.Abs(v))+1e-9)) - exp + 1
	mantissa, power := decimal(v, max(digits, 1))
	switch mantissa {
	case "1":
		return powerOfTen(power)
	case "-1":
		return "−" + powerOfTen(power)
	}
	return strings.Replace(mantissa, "-", "−", 1) + "×" + powerOfTen(power)
}

// short writes a shared offset with all its digits.
func short(v float64) string {
	mantissa, exp := decimal(v, 15)
	if exp > 12 || exp < -4 {
		return mantissa + "×" + powerOfTen(exp)
	}
	return strings.TrimSuffix(strings.TrimRight(fixedPoint(v, 14-exp), "0"), ".")
}
