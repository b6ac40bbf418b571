package figure

import (
	"math"
)

// logScale is a logarithmic scale that never panics: what has no logarithm
// (zero, negative values, NaN) lies on the lower end of the axis.
type logScale struct{}

func (logScale) normalize(lo, hi, x float64) float64 {
	if !(x > 0) {
		return 0
	}
	l := math.Log10(lo)
	return (math.Log10(x) - l) / (math.Log10(hi) - l)
}

// logRange returns the ends of a logarithmic axis for values, of which only the
// positive finite ones count. It is a little longer than their span, has a decade on
// either side of a single value, and goes from 0.1 to 10 if there is none.
func logRange(values ...float64) (lo, hi float64) {
	lo, hi = math.Inf(1), 0
	for _, v := range values {
		if v > 0 && !math.IsInf(v, 1) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if hi == 0 {
		return 0.1, 10
	}
	lo, hi = min(max(lo, 10*smallestLog), largestLog/10), min(max(hi, 10*smallestLog), largestLog/10)
	if hi/lo < 1.001 {
		return lo / 10, hi * 10
	}
	l, h := math.Log10(lo), math.Log10(hi)
	pad := 0.05 * (h - l)
	return max(math.Pow(10, l-pad), smallestLog), min(math.Pow(10, h+pad), largestLog)
}

// Ends of the longest logarithmic axis, within normal float64.
const (
	smallestLog = 1e-307
	largestLog  = 1e307
)

// logRuler marks decades, thinned out where there are more than n, and between
// them 2 and 5 where there are fewer than two. Axes within 0.01 … 1000 have
// plain labels, others powers of ten.
func logRuler(lo, hi float64, n int) ([]tick, string) {
	first, last := int(math.Ceil(math.Log10(lo)-1e-9)), int(math.Floor(math.Log10(hi)+1e-9))
	plain := first >= -2 && last <= 3
	every := max((last-first+n-1)/max(n, 1), 1)
	if last-first < 1 && hi/lo < 3 {
		return linearRuler(lo, hi, n)
	}
	var ticks []tick
	for d := first - 1; d <= last; d++ {
		decade := math.Pow10(d)
		for m := 1.; m < 10; m++ {
			v := m * decade
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			t := tick{value: v}
			switch {
			case m == 1 && mod(d, every) == 0:
				t.label = logLabel(1, d, plain)
			case (m == 2 || m == 5) && last-first < 1:
				t.label = logLabel(m, d, plain)
			case every > 1 && m > 1:
				continue // minor ticks are the decades
			}
			ticks = append(ticks, t)
		}
	}
	return ticks, ""
}

// logLabel writes m·10ᵈ.
func logLabel(m float64, d int, plain bool) string {
	switch {
	case plain:
		return fixedPoint(m*math.Pow10(d), -d)
	case m == 1:
		return powerOfTen(d)
	}
	return fixedPoint(m, 0) + "×" + powerOfTen(d)
}

// mod is the remainder of a in [0, b).
func mod(a, b int) int { return ((a % b) + b) % b }
