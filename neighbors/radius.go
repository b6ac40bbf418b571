package neighbors

import (
	"fmt"
	"math"

	"skyjoin/internal/kernel"
)

// squaredRadius returns the largest float64 whose square root rounds to at
// most r. Comparing d² with it is the same as comparing fl(√d²) with r, which
// comparing with fl(r·r) is not: fl(1.7320508075688772²) < 3 although
// fl(√3) = 1.7320508075688772. r must be positive and finite.
func squaredRadius(r float64) float64 {
	t := r * r
	if math.IsInf(t, 1) {
		return math.MaxFloat64
	}
	for math.Sqrt(t) > r {
		t = math.Nextafter(t, 0)
	}
	for {
		up := math.Nextafter(t, math.Inf(1))
		if math.IsInf(up, 1) || math.Sqrt(up) > r {
			return t
		}
		t = up
	}
}

// SquaredEdge returns the least d² that belongs to distances of r or more: a
// pair is closer than r exactly if d² < SquaredEdge(r). On the sky r is in
// radians and may exceed π, which no pair does; beyond 90° two pairs whose
// angles differ by less than 0.01 arcsec may be told apart wrongly, as d² does
// not resolve more (at 180°; 1e-9 arcsec at 91°). The error wraps ErrRequest.
func (m Metric) SquaredEdge(r float64) (float64, error) {
	if !(r >= 0) || math.IsInf(r, 1) {
		return 0, fmt.Errorf("%w: distance %v, it must be finite and not negative", ErrRequest, r)
	}
	if m.IsAngle() {
		return chordEdge(r), nil
	}
	if err := m.inHalf("distance", r); err != nil {
		return 0, err
	}
	e := kernel.SquaredEdge(r)
	if math.IsInf(e, 1) {
		return 0, fmt.Errorf("%w: distance %v, its square is more than float64 can hold", ErrRequest, r)
	}
	return e, nil
}

// chordEdge returns the least squared chord whose angle, as Angle prints it,
// is at least r radians.
func chordEdge(r float64) float64 {
	if r > math.Pi {
		return 5 // more than any squared chord
	}
	// The same search as squaredChord's, from the other side.
	lo, hi := uint64(0), math.Float64bits(4)
	for lo < hi {
		mid := lo + (hi-lo)/2
		if chordAngle(math.Float64frombits(mid)) >= r {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	best := lo
	for i := uint64(1); i <= 64 && i <= lo; i++ {
		if chordAngle(math.Float64frombits(lo-i)) >= r {
			best = lo - i
		}
	}
	return math.Float64frombits(best)
}
