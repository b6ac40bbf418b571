package figure

import (
	"math"

	"gonum.org/v1/plot"
)

// A ruler chooses the ticks of an axis from lo to hi with about n labels, at
// least two where it can. offset, if not empty, belongs to the name of the
// axis: " − 1000" when 1000 has been taken from every label.
type ruler func(lo, hi float64, n int) (ticks []plot.Tick, offset string)

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

// linearRuler marks multiples of 1, 2 or 5 times a power of ten.
func linearRuler(lo, hi float64, n int) ([]plot.Tick, string) {
	step, minor, exp := roundStep((hi - lo) / float64(max(n, 1)))
	label, offset := labeller(lo, hi, step, exp)
	return steppedTicks(lo, hi, step, minor, label), offset
}

// degreeRuler is a linearRuler whose wide steps divide the circle.
func degreeRuler(lo, hi float64, n int) ([]plot.Tick, string) {
	step, minor, exp := degreeStep((hi - lo) / float64(max(n, 1)))
	label, offset := labeller(lo, hi, step, exp)
	return steppedTicks(lo, hi, step, minor, label), offset
}

// raRuler is a degreeRuler for right ascension: where the axis runs on below 0
// or beyond 360 the labels stay in [0, 360).
func raRuler(lo, hi float64, n int) ([]plot.Tick, string) {
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
	return func(lo, hi float64, n int) ([]plot.Tick, string) {
		ticks, offset := r(-hi, -lo, n)
		for i := range ticks {
			ticks[i].Value = -ticks[i].Value
		}
		return ticks, offset
	}
}

// roundStep returns the smallest round step of at least want, its number of
// minor steps, and the exponent of its last digit.
func roundStep(want float64) (step float64, minor, exp int) {
	exp = min(max(int(math.Floor(math.Log10(want))), -300), 300)
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
func steppedTicks(lo, hi, step float64, minor int, label func(k float64) string) []plot.Tick {
	first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
	var ticks []plot.Tick
	for k := first - 1; k <= last; k++ {
		if k >= first {
			ticks = append(ticks, plot.Tick{Value: k * step, Label: label(k)})
		}
		for j := 1; j < minor; j++ {
			if v := (k + float64(j)/float64(minor)) * step; v >= lo && v <= hi {
				ticks = append(ticks, plot.Tick{Value: v})
			}
		}
	}
	return ticks
}

// labeller returns how the k-th multiple of step is written on an axis from
// lo to hi: plain, with a power of ten, or, where numbers would be long but
// alike, with what they share taken into offset.
func labeller(lo, hi, step float64, exp int) (label func(k float64) string, offset string) {
	largest := max(math.Abs(lo), math.Abs(hi))
	top := int(math.Floor(math.Log10(largest)))
	if top-exp+1 > 7 {
		share := math.Pow10(int(math.Ceil(math.Log10(hi - lo))))
		base := math.Floor(lo/share) * share
		if sign := " − "; base != 0 {
			if base < 0 {
				sign = " + "
			}
			offset = sign + short(math.Abs(base))
			inner, _ := labeller(lo-base, hi-base, step, exp)
			start := math.Round(base / step)
			return func(k float64) string { return inner(k - start) }, offset
		}
	}
	if top >= 6 || top < -3 {
		return func(k float64) string {
			if k == 0 {
				return "0"
			}
			return fixedPoint(k*(step/math.Pow10(top)), top-exp) + "×" + powerOfTen(top)
		}, ""
	}
	return func(k float64) string { return fixedPoint(multiple(k, step, exp), -exp) }, ""
}

// short writes a shared offset: all digits while they are few.
func short(v float64) string {
	if mantissa, exp := decimal(v, 15); exp > 12 || exp < -4 {
		return mantissa + "×" + powerOfTen(exp)
	}
	s := fixedPoint(v, 12)
	for s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	return s
}
