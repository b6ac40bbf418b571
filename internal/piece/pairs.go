package piece

import (
	"errors"

	"skyjoin/internal/exact"
)

// Pairs are the pairs of which one tile has a row. Those of all tiles are added
// up, and their sum makes the very tally of one run over all rows.
type Pairs struct {
	// Of the pairs of patches, as (p·patches + q), p ≤ q in a self-join, and of
	// each: the pairs below the first edge, then those of each cell. In a
	// self-join each pair is counted from both of its rows: pairs of two tiles
	// are in the Pairs of both.
	Pairs       []uint64
	Weights     []exact.Sum     // nil without
	Squares     []exact.Squares // of the weights of the pairs, those of all patches together; nil without
	Separations []exact.Sum     // of the distances; nil unless mean separations are wanted
	Of          [][]Mass        // the rows of the tile, of each catalog by patch
}

// A Mass is the number of rows and the sums of their weights and of the squares
// of these, 0 without weights, in units that depend on the largest of all.
type Mass struct {
	Rows uint64
	W    exact.Sum
	W2   exact.Squares
}

// Add adds other rows, of the same units.
func (m *Mass) Add(o Mass) {
	m.Rows += o.Rows
	m.W.AddSum(o.W)
	m.W2.AddSquares(o.W2)
}

// A Whole is what all tiles of a catalog have in common.
type Whole struct {
	Weighted bool
	Largest  float64 // magnitude of a weight
}

// ErrDiffer marks pieces that are not of one count.
var ErrDiffer = errors.New("pieces of different counts")

// sums returns the sums by slot that there are: none, those of weights, of
// separations, or both.
func (s *Pairs) sums() (all [][]exact.Sum) {
	for _, sums := range [][]exact.Sum{s.Weights, s.Separations} {
		if sums != nil {
			all = append(all, sums)
		}
	}
	return all
}

// Fold moves the pairs of patches p > q to those of q and p.
func (s *Pairs) Fold(patches int) {
	groups := max(patches, 1)
	slots := len(s.Pairs) / (groups * groups)
	for p := range groups {
		for q := range p {
			from, to := (p*groups+q)*slots, (q*groups+p)*slots
			for i := range slots {
				s.Pairs[to+i] += s.Pairs[from+i]
				s.Pairs[from+i] = 0
				for _, sums := range s.sums() {
					sums[to+i].AddSum(sums[from+i])
					sums[from+i] = exact.Sum{}
				}
			}
		}
	}
}

// AddCounts adds the counts of o, which may be s, but not its rows.
func (s *Pairs) AddCounts(o *Pairs) {
	for i, n := range o.Pairs {
		s.Pairs[i] += n
	}
	for i, q := range o.Squares {
		s.Squares[i].AddSquares(q)
	}
	to := s.sums()
	for k, sums := range o.sums() {
		for i, sum := range sums {
			to[k][i].AddSum(sum)
		}
	}
}

// Add adds the pairs of another tile. The error is [ErrDiffer].
func (s *Pairs) Add(o *Pairs) error {
	same := len(s.Pairs) == len(o.Pairs) && len(s.Weights) == len(o.Weights) && len(s.Squares) == len(o.Squares) && len(s.Separations) == len(o.Separations) && len(s.Of) == len(o.Of)
	for i := range s.Of {
		same = same && len(s.Of[i]) == len(o.Of[i])
	}
	if !same {
		return ErrDiffer
	}
	s.AddCounts(o)
	for i := range o.Of {
		for k, m := range o.Of[i] {
			s.Of[i][k].Add(m)
		}
	}
	return nil
}
