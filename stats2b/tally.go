package stats2b

import (
	"fmt"
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
	moments     *moments    // likewise

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
	if c != nil && t.moments != nil {
		c.moments = t.moments.total(t.slots())
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

// Between returns the counts of the pairs of a point in patch p and one in patch q: of
// one catalog those of p ≤ q, and none of the others. They have no effective pairs and
// no separations.
func (t *Tally) Between(p, q int) *Counts {
	c := &Counts{Pairs: make([]uint64, t.binning.Cells())}
	if t.weights != nil {
		c.Weights = make([]float64, len(c.Pairs))
	}
	if t.self && p > q {
		return c
	}
	at := t.at(p, q)
	c.Under = t.pairs[at]
	copy(c.Pairs, t.pairs[at+1:])
	for i := range c.Weights {
		c.Weights[i] = t.scale.Float(t.weights[at+1+i])
	}
	a, b := &t.a[p], (*mass)(nil)
	switch {
	case !t.self:
		b = &t.b[q]
	case p != q:
		b = &t.a[q]
	}
	c.Total = a.pairs(b)
	c.TotalWeight = a.weight(b)
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
