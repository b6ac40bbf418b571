package stats2b

import (
	"math"

	"skyjoin/internal/exact"
	"skyjoin/internal/kernel"
	"skyjoin/neighbors"
)

// separations are the sums of the distances of the pairs in each cell, as exact
// as those of weights: each distance is rounded once, to a multiple of 2⁻⁵² of
// the power of two above the last edge.
type separations struct {
	sums  []exact.Sum
	scale exact.Scale
	unit  float64
}

// separationScale is the unit of distances below the last edge.
func (b *Binning) separationScale() exact.Scale {
	return exact.NewScale(b.Bins.Edge(b.Bins.Len()) * b.Bins.unit)
}

// MeanSeparation returns the mean distance, or that of rp, of the pairs in each
// of so many groups of cells that follow one another: as many as there are cells
// for each by itself, as many as bins of rp or of the distance for those over all
// π or μ. It is in the unit of the edges and not weighted; NaN without pairs, and
// nil unless Binning.Means was set.
func (c *Counts) MeanSeparation(groups int) []float64 {
	if c.separations == nil {
		return nil
	}
	mean := make([]float64, groups)
	each := len(c.Pairs) / groups
	for g := range mean {
		var sum exact.Sum
		var pairs uint64
		for i := g * each; i < (g+1)*each; i++ {
			sum.AddSum(c.separations.sums[i])
			pairs += c.Pairs[i]
		}
		mean[g] = ratio(c.separations.scale.Float(sum)/c.separations.unit, float64(pairs))
	}
	return mean
}

// A separator adds up the distances of pairs.
type separator struct {
	sums        []exact.Sum // by slot
	scale       exact.Scale
	angle       bool // of directions
	query, data *kernel.Points
}

// add adds the distances of point i with the found ones, whose squares are d2.
func (s *separator) add(i int, found []uint32, slots []int32, d2 []float64) {
	for k, slot := range slots {
		if slot < 0 {
			continue
		}
		r := math.Sqrt(d2[k])
		if s.angle {
			r = neighbors.Angle(d2[k], s.squaredSum(i, int(found[k])))
		}
		s.sums[slot].Add(s.scale.Fixed(r))
	}
}

// squaredSum is |a+b|² of two directions.
func (s *separator) squaredSum(i, j int) (sum float64) {
	for c := range s.query.Dim {
		x := s.query.Data[c*s.query.Stride+i] + s.data.Data[c*s.data.Stride+j]
		sum += float64(x * x)
	}
	return sum
}
