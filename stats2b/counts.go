package stats2b

import (
	"math"

	"skyjoin/internal/exact"
)

// Counts are the pairs of one catalog, unordered and of different rows, or of two
// catalogs, by distance.
type Counts struct {
	Pairs []uint64 // of each bin
	Under uint64   // closer than the first edge
	Over  uint64   // not closer than the last
	Total uint64   // all: N(N-1)/2 or N_A·N_B

	// With weights, the sums of the products of the weights of each pair; else nil.
	// Each product is rounded once, to a multiple of 2⁻⁵² of the power of two above
	// the largest; the sums of these are exact and rounded once.
	Weights []float64
	// The same over all pairs, from the sums of the weights, each of which is
	// rounded once as the products are: (W² − Σw²)/2, exact and rounded once, or
	// W_A·W_B. Without weights it is Total.
	TotalWeight float64

	effective   []float64    // EffectivePairs with weights; nil without, and of parts
	separations *separations // nil unless asked for
	moments     *moments     // likewise
}

// EffectivePairs returns how many pairs of equal weight would scatter as much as
// those in a bin do, (Σww)²/Σ(ww)², ww being the weight of a pair: rows of weight 0
// do not matter. Without weights it is the number of pairs; it is 0 where all
// weights are 0. Only counts of all pairs made in one run have it: counts without a
// patch, and of pairs that were read from a file, have NaN.
func (c *Counts) EffectivePairs(bin int) float64 {
	switch {
	case c.effective != nil:
		return c.effective[bin]
	case c.Weights != nil:
		return math.NaN()
	}
	return float64(c.Pairs[bin])
}

// Value returns the weight of the pairs in a bin, their number if there are no
// weights.
func (c *Counts) Value(bin int) float64 {
	if c.Weights != nil {
		return c.Weights[bin]
	}
	return float64(c.Pairs[bin])
}

// Normalised returns Value over that of all pairs, NaN if there are none.
func (c *Counts) Normalised(bin int) float64 { return ratio(c.Value(bin), c.TotalWeight) }

// ratio is a/b, NaN for b = 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}

// separations are the sums of the distances of the pairs in each cell, as exact as
// those of weights: each distance is rounded once, to a multiple of 2⁻⁵² of the
// power of two above the last edge.
type separations struct {
	sums  []exact.Sum
	scale exact.Scale
	unit  float64
}

// separationScale returns the unit of distances below the last edge.
func (b *Binning) separationScale() exact.Scale {
	return exact.NewScale(b.Bins.Edge(b.Bins.Len()) * b.Bins.unit)
}

// MeanSeparation returns the mean distance, or rp, of the pairs in each of the given
// number of groups of consecutive cells: as many groups as there are cells for the
// mean of each, or as many as there are bins of rp or of the distance for means over
// all π or μ. It is not weighted and in the unit of the edges; NaN without pairs,
// and nil unless Binning.Means was set.
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
