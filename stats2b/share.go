package stats2b

import (
	"context"
	"errors"
	"slices"

	"skyjoin/internal/exact"
	"skyjoin/neighbors"
)

// A Share is what one part of a catalog adds to the tally of the whole. Shares
// are added up, and Tally makes of their sum the very tally of one run.
type Share struct {
	// Of the pairs of patches, as (p·patches + q), p ≤ q in a self-join, and of
	// each: the pairs below the first edge, then those of each cell. In a
	// self-join each pair is counted from both of its rows: pairs of two parts
	// are in the shares of both.
	Pairs       []uint64
	Weights     []exact.Sum // nil without
	Separations []exact.Sum // of the distances; nil unless Binning.Means is set
	Of          [][]Mass    // the rows of the part, of each catalog by patch
}

// A Mass is the number of rows and the sums of their weights and of the squares
// of these, 0 without weights, in units that depend on the largest of all.
type Mass struct {
	Rows uint64
	W    exact.Sum
	W2   exact.Squares
}

// A Whole is what all parts of a catalog have in common.
type Whole struct {
	Weighted bool
	Largest  float64 // magnitude of a weight
}

// CountShare counts the pairs of which a part of a catalog has a row: those of
// the rows own, and of these with the rows near, which other parts have. Every
// row that has a pair in the bins with one of own must be in near, and the
// Largest of both must be that of the catalog.
func CountShare(ctx context.Context, own, near *Sample, metric neighbors.Metric, binning Binning, patches int, opt Options) (*Share, error) {
	s, err := countShare(ctx, own, nil, metric, binning, patches, opt)
	if err != nil {
		return nil, err
	}
	s.addCounts(s) // from both rows
	other, err := countShare(ctx, own, near, metric, binning, patches, opt)
	if err != nil {
		return nil, err
	}
	other.fold(max(patches, 1))
	s.addCounts(other)
	return s, s.note(patches, own)
}

// CountCrossShare counts the pairs of a row of a, the part of one catalog, and
// one of b, which are rows of another, those at least that have a pair in the
// bins with one of a. Of b the rows ownB are the part's.
func CountCrossShare(ctx context.Context, a, b, ownB *Sample, metric neighbors.Metric, binning Binning, patches int, opt Options) (*Share, error) {
	s, err := countShare(ctx, a, b, metric, binning, patches, opt)
	if err != nil {
		return nil, err
	}
	return s, s.note(patches, a, ownB)
}

// countShare counts pairs; without rows there are none.
func countShare(ctx context.Context, a, b *Sample, metric neighbors.Metric, binning Binning, patches int, opt Options) (*Share, error) {
	if a.Points.Len() > 0 && (b == nil || b.Points.Len() > 0) {
		t, err := CountPatches(ctx, a, b, metric, binning, patches, opt)
		if err != nil {
			return nil, err
		}
		return &Share{Pairs: t.pairs, Weights: t.weights, Separations: t.separations}, nil
	}
	groups := max(patches, 1)
	s := &Share{Pairs: make([]uint64, groups*groups*(binning.Cells()+1))}
	if weighted(a, b) {
		s.Weights = make([]exact.Sum, len(s.Pairs))
	}
	if binning.Means {
		s.Separations = make([]exact.Sum, len(s.Pairs))
	}
	return s, nil
}

// sums returns the sums by slot that there are: none, those of weights, of
// separations, or both.
func (s *Share) sums() (all [][]exact.Sum) {
	for _, sums := range [][]exact.Sum{s.Weights, s.Separations} {
		if sums != nil {
			all = append(all, sums)
		}
	}
	return all
}

// fold moves the pairs of patches p > q to those of q and p.
func (s *Share) fold(groups int) {
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

// note sets the masses.
func (s *Share) note(patches int, samples ...*Sample) error {
	for _, of := range samples {
		all, err := of.masses(patches)
		if err != nil {
			return err
		}
		var masses []Mass
		for _, m := range all {
			masses = append(masses, Mass{Rows: m.n, W: m.w, W2: m.w2})
		}
		s.Of = append(s.Of, masses)
	}
	return nil
}

// addCounts adds the counts of o, which may be s.
func (s *Share) addCounts(o *Share) {
	for i, n := range o.Pairs {
		s.Pairs[i] += n
	}
	to := s.sums()
	for k, sums := range o.sums() {
		for i, sum := range sums {
			to[k][i].AddSum(sum)
		}
	}
}

// ErrShares marks shares that are not of one count.
var ErrShares = errors.New("shares of different counts")

// Add adds another share.
func (s *Share) Add(o *Share) error {
	same := len(s.Pairs) == len(o.Pairs) && len(s.Weights) == len(o.Weights) && len(s.Separations) == len(o.Separations) && len(s.Of) == len(o.Of)
	for i := range s.Of {
		same = same && len(s.Of[i]) == len(o.Of[i])
	}
	if !same {
		return ErrShares
	}
	s.addCounts(o)
	for i := range o.Of {
		for k, m := range o.Of[i] {
			t := &s.Of[i][k]
			t.Rows += m.Rows
			t.W.AddSum(m.W)
			t.W2.AddSquares(m.W2)
		}
	}
	return nil
}

// Tally returns the tally of the catalog, or of the two, of which s is the sum
// of the shares.
func (s *Share) Tally(binning Binning, patches int, of ...Whole) (*Tally, error) {
	t := &Tally{binning: binning, self: len(s.Of) == 1, patches: patches, pairs: slices.Clone(s.Pairs), weights: slices.Clone(s.Weights), separations: slices.Clone(s.Separations)}
	n := t.groups() * t.groups() * t.slots()
	if len(s.Pairs) != n || s.Weights != nil && len(s.Weights) != n || binning.Means != (s.Separations != nil) || binning.Means && len(s.Separations) != n || len(s.Of) != len(of) || len(of) < 1 || len(of) > 2 {
		return nil, ErrShares
	}
	if t.self {
		for i := range t.pairs {
			t.pairs[i] /= 2
		}
		for _, sums := range [][]exact.Sum{t.weights, t.separations} {
			for i := range sums {
				sums[i] = sums[i].Half()
			}
		}
	}
	none, err := neighbors.NewPoints(neighbors.Float64s(nil))
	if err != nil {
		return nil, err
	}
	var all [2]*Sample
	for i, w := range of {
		all[i] = &Sample{Points: none, Largest: w.Largest}
		if w.Weighted {
			all[i].Weights = []float64{}
		}
	}
	if err := t.weigh(all[0], all[1]); err != nil {
		return nil, err
	}
	for i, masses := range s.Of {
		to := [][]mass{t.a, t.b}[i]
		if len(masses) != len(to) {
			return nil, ErrShares
		}
		for k, m := range masses {
			to[k].n, to[k].w, to[k].w2 = m.Rows, m.W, m.W2
		}
	}
	return t, nil
}
