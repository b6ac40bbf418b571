package stats2b

import (
	"fmt"
	"math"

	"skyjoin/neighbors"
)

// A Plane says by which second coordinate pairs are binned. The line of sight of a
// pair of positions runs from the origin to the middle of the pair: with s = x-y and
// l = (x+y)/2, π = |s·l|/|l|, rp² = s²-π², μ = π/|s|, and 0 for s = 0. If an axis is
// the line of sight, π is the difference along it.
type Plane uint8

const (
	NoPlane Plane = iota // by distance alone
	RpPi                 // by rp and π
	SMu                  // by distance and μ; a last edge of 1 holds μ = 1
)

// A Binning says how pairs are binned.
type Binning struct {
	Bins   Bins  // of the distance, or of rp
	Plane  Plane // the second coordinate
	Across Bins  // of π, or of μ
	Axis   int   // 1, 2 or 3: the axis that is the line of sight; 0: from the origin
	Means  bool  // whether Counts.MeanSeparation is wanted

	// Whether Counts.WeightedMeans is wanted, for which the first edge must be above
	// 0. Tallies that are put together from pieces do not have it.
	WeightedMeans bool
}

// distances reports whether the distances of single pairs matter.
func (b *Binning) distances() bool { return b.Means || b.WeightedMeans }

// Cells returns the total number of bins. Cell i·Across.Len()+j is bin i of Bins and
// bin j of Across.
func (b *Binning) Cells() int {
	if b.Plane == NoPlane {
		return b.Bins.Len()
	}
	return b.Bins.Len() * b.Across.Len()
}

// check returns an error if the binning does not fit the metric and the lowered
// coordinates.
func (b *Binning) check(m neighbors.Metric, columns int) error {
	if b.Bins.Len() == 0 || b.Plane != NoPlane && b.Across.Len() == 0 {
		return fmt.Errorf("%w: no bins", neighbors.ErrRequest)
	}
	if b.WeightedMeans && !(b.Bins.Edge(0) > 0) {
		return fmt.Errorf("%w: mean logarithms of distances from %v on, the first edge must be above 0", neighbors.ErrRequest, b.Bins.Edge(0))
	}
	if b.Plane == NoPlane {
		return nil
	}
	if b.Cells() > maxBinCount {
		return fmt.Errorf("%w: %d × %d bins, there can be %d", neighbors.ErrRequest, b.Bins.Len(), b.Across.Len(), maxBinCount)
	}
	switch {
	case m.PositionColumns() == 2:
		return fmt.Errorf("%w: (rp, π) and (s, μ) need positions in space, the sky metric has directions", neighbors.ErrRequest)
	case columns != 3:
		return fmt.Errorf("%w: (rp, π) and (s, μ) need 3 coordinates, there are %d", neighbors.ErrRequest, columns)
	case b.Axis < 0 || b.Axis > 3:
		return fmt.Errorf("%w: line of sight along axis %d, it is 1, 2, 3, or 0 for none", neighbors.ErrRequest, b.Axis)
	case m.Kind().Box && b.Axis == 0:
		return fmt.Errorf("%w: in a periodic box the line of sight must be an axis", neighbors.ErrRequest)
	case b.Plane == SMu && b.Across.Edge(b.Across.Len()) > 1:
		return fmt.Errorf("%w: μ up to %v, it is at most 1", neighbors.ErrRequest, b.Across.Edge(b.Across.Len()))
	}
	return nil
}

// inHalf refuses rp and π beyond half of the sides of a box, of which open ones are
// 0.
func (b *Binning) inHalf(sides []float64) error {
	for c, l := range sides {
		name, bins := "rp", b.Bins
		if c == b.Axis-1 {
			name, bins = "π", b.Across
		}
		if last := bins.Edge(bins.Len()) * bins.unit; l > 0 && last > l/2 {
			return fmt.Errorf("%w: %s up to %v is over half of side %d of the box, %v", neighbors.ErrRequest, name, last, c, l/2)
		}
	}
	return nil
}

// Reach returns an upper bound on the distances of the pairs in the bins, in the unit
// of the metric.
func (b *Binning) Reach() float64 {
	last := b.Bins.Edge(b.Bins.Len()) * b.Bins.unit
	if b.Plane != RpPi {
		return last
	}
	// The sum of squares of rounded numbers may exceed that of the edges.
	return math.Hypot(last, b.Across.Edge(b.Across.Len())*b.Across.unit) * (1 + 1e-12)
}
