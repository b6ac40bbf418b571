package stats2b

import (
	"fmt"
	"math"

	"skyjoin/internal/exact"
	"skyjoin/neighbors"
)

// moments are the sums of w·r and of w·ln(r/first) of the pairs in each slot, w being
// the product of the weights of the pair, r its distance and first the first edge. As
// those of separations they are exact sums of numbers that are rounded once to a
// multiple of 2⁻⁵² of the power of two above the largest there can be.
type moments struct {
	sums   [2][]exact.Sum
	scales [2]exact.Scale
	first  float64
	unit   float64 // of the edges
}

// newMoments returns sums of n slots for the pairs of a, or of a with b.
func newMoments(binning *Binning, a, b *Sample, n int) (*moments, error) {
	bins := &binning.Bins
	m := &moments{first: bins.Edge(0) * bins.unit, unit: bins.unit}
	weight := a.largest()
	if b == nil {
		b = a
	}
	weight *= b.largest()
	last := bins.Edge(bins.Len()) * bins.unit
	for i, largest := range []float64{last, math.Log(last / m.first)} {
		var ok bool
		if m.scales[i], ok = exact.NewProductScale(largest, weight); !ok {
			return nil, fmt.Errorf("%w: weights of %v times distances of %v, which is more than float64 can hold", neighbors.ErrRequest, weight, last)
		}
		m.sums[i] = make([]exact.Sum, n)
	}
	return m, nil
}

// empty returns moments of as many slots, all 0; nil of none.
func (m *moments) empty() *moments {
	if m == nil {
		return nil
	}
	return m.room(len(m.sums[0]))
}

func (m *moments) room(n int) *moments {
	other := *m
	for i := range other.sums {
		other.sums[i] = make([]exact.Sum, n)
	}
	return &other
}

// pair adds a pair at distance r.
func (m *moments) pair(slot int32, r, weight float64) {
	m.sums[0][slot].Add(m.scales[0].FixedProduct(r, weight))
	m.sums[1][slot].Add(m.scales[1].FixedProduct(math.Log(r/m.first), weight))
}

// add adds what others hold, if there are any.
func (m *moments) add(other *moments) {
	if m == nil {
		return
	}
	for i, sums := range other.sums {
		for slot, s := range sums {
			m.sums[i][slot].AddSum(s)
		}
	}
}

// total returns the moments of the cells, of all patches.
func (m *moments) total(slots int) *moments {
	sum := m.room(slots - 1)
	for i, sums := range m.sums {
		for slot, s := range sums {
			if cell := slot%slots - 1; cell >= 0 {
				sum.sums[i][cell].AddSum(s)
			}
		}
	}
	return sum
}

// WeightedMeans returns the means of the distances, or of rp, and of their natural
// logarithms over the pairs in each cell, Σwr/Σw and Σw·ln r/Σw with the products w
// of the weights, in the unit of the edges. They are NaN where the weights add up to
// 0, and nil unless Binning.WeightedMeans was set.
func (c *Counts) WeightedMeans() (r, logR []float64) {
	m := c.moments
	if m == nil {
		return nil, nil
	}
	r, logR = make([]float64, len(c.Pairs)), make([]float64, len(c.Pairs))
	for i := range c.Pairs {
		r[i] = ratio(m.scales[0].Float(m.sums[0][i])/m.unit, c.Value(i))
		logR[i] = math.Log(m.first/m.unit) + ratio(m.scales[1].Float(m.sums[1][i]), c.Value(i))
	}
	return r, logR
}
