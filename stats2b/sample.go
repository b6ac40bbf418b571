package stats2b

import (
	"fmt"
	"math"

	"skyjoin/internal/each"
	"skyjoin/internal/exact"
	"skyjoin/internal/piece"
	"skyjoin/neighbors"
)

// A Sample is the points of one catalog with the weights and patches of its rows.
type Sample struct {
	Points  *neighbors.Points
	Weights []float64 // nil: every row counts once
	Patch   []int32   // the patch of each row, from 0; nil: none

	// Largest is the largest magnitude of a weight in the whole catalog, if these
	// are some of its rows: it sets the unit to which products of weights are
	// rounded. 0: that of Weights.
	Largest float64
}

// check returns what is wrong with a sample.
func (s *Sample) check(patches int) error {
	if s.Points == nil {
		return fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	n := s.Points.Len()
	if s.Weights != nil && len(s.Weights) != n {
		return fmt.Errorf("%w: %d weights for %d rows", neighbors.ErrRequest, len(s.Weights), n)
	}
	for i, w := range s.Weights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Errorf("%w: the weight of row %d is %v, it must be finite", neighbors.ErrRequest, i, w)
		}
	}
	if patches == 0 {
		return nil
	}
	if len(s.Patch) != n {
		return fmt.Errorf("%w: %d patch numbers for %d rows", neighbors.ErrRequest, len(s.Patch), n)
	}
	for i, p := range s.Patch {
		if p < 0 || int(p) >= patches {
			return fmt.Errorf("%w: row %d is in patch %d, there are %d patches from 0", neighbors.ErrRequest, i, p, patches)
		}
	}
	return nil
}

// largest returns the largest magnitude of a weight.
func (s *Sample) largest() float64 {
	if s.Weights == nil {
		return 1
	}
	m := s.Largest
	for _, w := range s.Weights {
		m = max(m, math.Abs(w))
	}
	return m
}

// A mass is the number of rows of a sample, or of a part of it, with the sums of
// their weights and of the squares of these.
type mass struct {
	piece.Mass
	weighted bool
	of       exact.Scale
}

// masses returns the mass of each patch; all rows are in one if there are no
// patches.
func (s *Sample) masses(patches int) ([]mass, error) {
	largest := s.largest()
	if math.IsInf(largest*largest, 0) {
		return nil, fmt.Errorf("%w: a weight of %v, its square is more than float64 can hold", neighbors.ErrRequest, largest)
	}
	all := each.To(max(patches, 1), func(i int) mass { return mass{weighted: s.Weights != nil, of: exact.NewScale(largest)} })
	for i := range s.Points.Len() {
		m := &all[0]
		if patches > 0 {
			m = &all[s.Patch[i]]
		}
		m.Rows++
		if s.Weights != nil {
			k := m.of.Fixed(s.Weights[i])
			m.W.Add(k)
			m.W2.Add(k)
		}
	}
	return all, nil
}

// any reports whether there are rows that count: with weights, rows whose weight is
// not 0.
func (m *mass) any() bool {
	return m.Rows > 0 && (!m.weighted || m.W2 != exact.Squares{})
}

// pairs returns the number of pairs among the rows of m, or with those of o if it is
// not nil.
func (m *mass) pairs(o *mass) uint64 {
	switch {
	case o != nil:
		return m.Rows * o.Rows
	case m.Rows == 0:
		return 0
	case m.Rows%2 == 0:
		return m.Rows / 2 * (m.Rows - 1)
	}
	return m.Rows * ((m.Rows - 1) / 2)
}

// sum returns the sum of the weights.
func (m *mass) sum() float64 {
	if !m.weighted {
		return float64(m.Rows)
	}
	return m.of.Float(m.W)
}

// weight returns the sum of the products of the weights of the pairs among the rows
// of m, or with those of o if it is not nil.
func (m *mass) weight(o *mass) float64 {
	switch {
	case o != nil:
		return m.sum() * o.sum()
	case !m.weighted:
		return float64(m.pairs(nil))
	}
	return m.of.Products(m.W, m.W2)
}
