package report

import (
	"math"
)

// Ratio is a/b, NaN, which summaries write as null, for b = 0.
func Ratio(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}
