package stats2b

import (
	"fmt"
	"math"
	"slices"

	"skyjoin/neighbors"
)

// Bins are half-open intervals of a distance: bin i holds Edge(i) ≤ d < Edge(i+1).
// The zero value has no bins.
//
// Edges have the unit of the distances that are binned, radians on the sky, unless
// In sets another.
type Bins struct {
	edges []float64
	unit  float64
	log   bool
}

// maxBinCount bounds the number of bins: a histogram has to fit memory, and
// one for each pair of patches too.
const maxBinCount = 1 << 20

// LinearBins returns n bins of equal width from lo to hi. The outer edges are exactly
// these; edge i between them is (hi·i + lo·(n-i)) / n.
func LinearBins(lo, hi float64, n int) (Bins, error) {
	if err := checkRange(lo, hi, n); err != nil {
		return Bins{}, err
	}
	return between(lo, hi, n, false, func(i float64) float64 {
		// In this order nothing overflows for any finite edges.
		return float64(hi*(i/float64(n))) + float64(lo*((float64(n)-i)/float64(n)))
	})
}

// LogBins returns n bins of equal ratio from lo to hi. The outer edges are exactly
// these; edge i between them is lo·(hi/lo)^(i/n). lo must be positive: no bin on a
// logarithmic axis begins at 0.
func LogBins(lo, hi float64, n int) (Bins, error) {
	if err := checkRange(lo, hi, n); err != nil {
		return Bins{}, err
	}
	if lo == 0 {
		return Bins{}, fmt.Errorf("%w: logarithmic bins from 0: the first edge must be positive", neighbors.ErrRequest)
	}
	return between(lo, hi, n, true, func(i float64) float64 {
		if ratio := hi / lo; !math.IsInf(ratio, 1) {
			return lo * math.Pow(ratio, i/float64(n))
		}
		half := math.Pow(math.Sqrt(hi)/math.Sqrt(lo), i/float64(n))
		return lo * half * half
	})
}

// between makes n bins from the two ends and the edges that inner gives between
// them.
func between(lo, hi float64, n int, log bool, inner func(i float64) float64) (Bins, error) {
	edges := make([]float64, n+1)
	edges[0], edges[n] = lo, hi
	for i := 1; i < n; i++ {
		edges[i] = inner(float64(i))
	}
	b, err := EdgeBins(edges...)
	b.log = log
	return b, err
}

func checkRange(lo, hi float64, n int) error {
	switch {
	case n < 1 || n > maxBinCount:
		return fmt.Errorf("%w: %d bins, there can be 1 to %d", neighbors.ErrRequest, n, maxBinCount)
	case !(lo >= 0) || math.IsInf(hi, 0) || math.IsNaN(hi):
		return fmt.Errorf("%w: bins from %v to %v, edges must be finite and not negative", neighbors.ErrRequest, lo, hi)
	case !(lo < hi):
		return fmt.Errorf("%w: bins from %v to %v, the second must be more than the first", neighbors.ErrRequest, lo, hi)
	}
	return nil
}

// EdgeBins returns the bins between the edges, which must be at least two,
// finite, not negative and ascending.
func EdgeBins(edges ...float64) (Bins, error) {
	if len(edges) < 2 {
		return Bins{}, fmt.Errorf("%w: %d bin edges, at least 2 are needed", neighbors.ErrRequest, len(edges))
	}
	if len(edges) > maxBinCount+1 {
		return Bins{}, fmt.Errorf("%w: %d bin edges, there can be up to %d", neighbors.ErrRequest, len(edges), maxBinCount+1)
	}
	for i, e := range edges {
		if !(e >= 0) || math.IsInf(e, 1) {
			return Bins{}, fmt.Errorf("%w: bin edge %v, it must be finite and not negative", neighbors.ErrRequest, e)
		}
		if i > 0 && !(e > edges[i-1]) {
			return Bins{}, fmt.Errorf("%w: bin edge %v after %v, edges must ascend", neighbors.ErrRequest, e, edges[i-1])
		}
	}
	b := Bins{edges: slices.Clone(edges), unit: 1}
	b.edges[0] = math.Abs(b.edges[0]) // -0 is 0
	return b, nil
}

// In returns the bins with their edges in another unit, given as the number of
// binned distances in it: its size in radians on the sky. It must be positive.
func (b Bins) In(unit float64) Bins {
	b.unit = unit
	return b
}

// Len returns the number of bins.
func (b Bins) Len() int { return max(len(b.edges)-1, 0) }

// Edge returns edge i as it was given, i in [0, Len()].
func (b Bins) Edge(i int) float64 { return b.edges[i] }

// Edges returns all edges.
func (b Bins) Edges() []float64 { return slices.Clone(b.edges) }

// Log reports whether the bins are of equal ratio.
func (b Bins) Log() bool { return b.log }

// Centre returns the middle of bin i: the geometric mean of its edges for
// logarithmic bins, otherwise the arithmetic mean.
func (b Bins) Centre(i int) float64 {
	lo, hi := b.edges[i], b.edges[i+1]
	if b.log {
		return math.Sqrt(lo) * math.Sqrt(hi)
	}
	return lo/2 + hi/2
}

// Squared returns the edges as thresholds on d² of the metric's lowered
// coordinates: a pair is in bin i exactly if Squared[i] ≤ d² < Squared[i+1].
// An edge that the metric cannot reach, such as more than half a side of a
// periodic box, is an error.
func (b Bins) Squared(m neighbors.Metric) ([]float64, error) {
	if b.Len() == 0 {
		return nil, fmt.Errorf("%w: no bins", neighbors.ErrRequest)
	}
	squared := make([]float64, len(b.edges))
	for i, e := range b.edges {
		d2, err := m.SquaredEdge(e * b.unit)
		if err != nil {
			return nil, err
		}
		squared[i] = d2
		if i > 0 && d2 < squared[i-1] {
			squared[i] = squared[i-1] // edges closer than d² can resolve: an empty bin
		}
	}
	return squared, nil
}
