package dbscan

import (
	"math"

	"skyjoin/internal/exact"
)

// squares is a sum of squares, each rounded once, that does not depend on their
// order. The zero value is 0.
type squares struct {
	sum  exact.Expansion
	huge bool // a square, or the sum of many, may be beyond float64
}

// add adds d².
func (s *squares) add(d float64) {
	if math.Abs(d) > 0x1p480 {
		s.huge = true
		return
	}
	s.sum.Add(float64(d * d))
}

// rootMean returns the root of the mean of n squares.
func (s *squares) rootMean(n int64) float64 {
	if s.huge {
		return math.Inf(1)
	}
	return math.Sqrt(s.sum.Float() / float64(n))
}
