package stats2b

import (
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/exact"
	"skyjoin/neighbors"
)

// A Tally holds the pairs of one catalog or of two by bin and by the patches of
// their points. From it follow the counts of all pairs, of those without one of the
// patches, and of patches drawn with repetition.
type Tally struct {
	binning Binning
	self    bool
	patches int // 0: none, which is treated as one
	a, b    []mass

	// By slot: a pair of patches, then 0 for pairs below the first edge and 1 +
	// cell. In a self-join only patches p ≤ q have pairs.
	pairs   []uint64
	weights []exact.Sum // nil without
	scale   exact.Scale
	squares []exact.Squares // of the weights of the pairs, by slot of all patches together; nil without

	separations []exact.Sum // nil unless wanted

	// The slots summed over all pairs of patches, computed when first needed.
	all        []uint64
	allWeights []exact.Sum
}

// maxSlots bounds the counters of one goroutine.
const maxSlots = 1 << 23

func (t *Tally) slots() int { return t.binning.Cells() + 1 }

// groups is the number of patches, one if there are none.
func (t *Tally) groups() int { return max(t.patches, 1) }

// at returns where the slots of a pair of patches begin.
func (t *Tally) at(p, q int) int {
	if t.self && p > q {
		p, q = q, p
	}
	return (p*t.groups() + q) * t.slots()
}

func weighted(a, b *Sample) bool { return a.Weights != nil || b != nil && b.Weights != nil }

// weigh checks the samples and sets what depends on their weights.
func (t *Tally) weigh(a, b *Sample) (err error) {
	if err = a.check(t.patches); err != nil {
		return err
	}
	if t.a, err = a.masses(t.patches); err != nil {
		return err
	}
	other := a
	if b != nil {
		other = b
		if err = b.check(t.patches); err != nil {
			return err
		}
		if t.b, err = b.masses(t.patches); err != nil {
			return err
		}
	}
	var ok bool
	if t.scale, ok = exact.NewProductScale(a.largest(), other.largest()); !ok {
		return fmt.Errorf("%w: weights of %v and %v, their product is more than float64 can hold", neighbors.ErrRequest, a.largest(), other.largest())
	}
	return nil
}

// Binning returns what the pairs were binned by.
func (t *Tally) Binning() *Binning { return &t.binning }

// Patches returns the number of patches, 0 if there are none.
func (t *Tally) Patches() int { return t.patches }

// Counts returns the counts of all pairs; nil if there is no tally.
func (t *Tally) Counts() *Counts {
	c := t.Without(-1)
	if c != nil && t.squares != nil {
		c.effective = make([]float64, len(c.Pairs))
		_, weights := t.sums()
		for i := range c.effective {
			c.effective[i] = exact.Effective(weights[1+i], t.squares[1+i])
		}
	}
	if c != nil && t.separations != nil {
		c.separations = &separations{sums: make([]exact.Sum, t.binning.Cells()), scale: t.binning.separationScale(), unit: t.binning.Bins.unit}
		for i, s := range t.separations {
			if cell := i%t.slots() - 1; cell >= 0 {
				c.separations.sums[cell].AddSum(s)
			}
		}
	}
	return c
}

// Without returns the counts of the pairs without a point in patch k: those that
// counting without its rows would give. If k is negative these are all; nil if there
// is no tally.
func (t *Tally) Without(k int) *Counts {
	if t == nil {
		return nil
	}
	pairs, weights := t.sums()
	if k >= 0 {
		for q := range t.groups() {
			t.drop(pairs, weights, k, q)
			if !t.self && q != k { // in a self-join (q, k) is (k, q)
				t.drop(pairs, weights, q, k)
			}
		}
	}
	c := &Counts{Under: pairs[0], Pairs: pairs[1:]}
	a, b := total(t.a, k), (*mass)(nil)
	if !t.self {
		b = total(t.b, k)
	}
	c.Total = a.pairs(b)
	c.TotalWeight = float64(c.Total)
	if weights != nil {
		c.Weights = make([]float64, len(c.Pairs))
		for i, w := range weights[1:] {
			c.Weights[i] = t.scale.Float(w)
		}
		c.TotalWeight = a.weight(b)
	}
	c.Over = c.Total - c.Under
	for _, n := range c.Pairs {
		c.Over -= n
	}
	return c
}

// sums returns the slots summed over all pairs of patches.
func (t *Tally) sums() (pairs []uint64, weights []exact.Sum) {
	if t.all == nil {
		t.all = make([]uint64, t.slots())
		for i, n := range t.pairs {
			t.all[i%t.slots()] += n
		}
		if t.weights != nil {
			t.allWeights = make([]exact.Sum, t.slots())
			for i, w := range t.weights {
				t.allWeights[i%t.slots()].AddSum(w)
			}
		}
	}
	return slices.Clone(t.all), slices.Clone(t.allWeights)
}

// drop subtracts the pairs of two patches from slots.
func (t *Tally) drop(pairs []uint64, weights []exact.Sum, p, q int) {
	at := t.at(p, q)
	for i := range pairs {
		pairs[i] -= t.pairs[at+i]
		if weights != nil {
			weights[i].SubSum(t.weights[at+i])
		}
	}
}

// total adds all masses except that of patch k.
func total(all []mass, k int) *mass {
	sum := mass{of: all[0].of, weighted: all[0].weighted}
	for p := range all {
		if p != k {
			sum.Add(all[p].Mass)
		}
	}
	return &sum
}

// Tallies are the pairs of data with data, of data with randoms and of randoms with
// randoms, in the same bins and patches. Those that the estimator does not need may
// be nil.
type Tallies struct{ DD, DR, RR *Tally }

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
