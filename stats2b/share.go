package stats2b

import (
	"context"
	"errors"
	"slices"

	"skyjoin/internal/exact"
	"skyjoin/neighbors"
)

// A Share is what one part of a catalog adds to the counts of the whole. Shares
// are added up, and Counts makes of their sum the very counts of one run.
type Share struct {
	// Of the pairs below the first edge and of those of each bin. In a
	// self-join each is counted from both of its rows: pairs of two parts are
	// in the shares of both.
	Pairs   []uint64
	Weights []exact.Sum // nil without
	Of      []Mass      // the rows of the part, of each catalog
}

// A Mass is the number of rows and the sums of their weights and of the squares
// of these, 0 without weights, in units that depend on the largest of all.
type Mass struct {
	Rows    uint64
	W, W2   exact.Sum
	Largest float64 // of the catalog; 0 without weights
}

// CountShare counts the pairs of which a part of a catalog has a row: those of
// the rows own, and of these with the rows near, which other parts have. Every
// row that has a pair in the bins with one of own must be in near, and the
// Largest of both must be that of the catalog.
func CountShare(ctx context.Context, own, near *Sample, metric neighbors.Metric, bins Bins, opt Options) (*Share, error) {
	s, err := countShare(ctx, own, nil, metric, bins, opt)
	if err != nil {
		return nil, err
	}
	s.addCounts(s) // from both rows
	other, err := countShare(ctx, own, near, metric, bins, opt)
	if err != nil {
		return nil, err
	}
	s.addCounts(other)
	return s, s.note(own)
}

// CountCrossShare counts the pairs of a row of a, the part of one catalog, and
// one of b, which are rows of another, those at least that have a pair in the
// bins with one of a. Of b the rows ownB are the part's.
func CountCrossShare(ctx context.Context, a, b, ownB *Sample, metric neighbors.Metric, bins Bins, opt Options) (*Share, error) {
	s, err := countShare(ctx, a, b, metric, bins, opt)
	if err != nil {
		return nil, err
	}
	return s, s.note(a, ownB)
}

// countShare counts pairs; without rows there are none.
func countShare(ctx context.Context, a, b *Sample, metric neighbors.Metric, bins Bins, opt Options) (*Share, error) {
	s := &Share{Pairs: make([]uint64, bins.Len()+1)}
	if a.Weights != nil || b != nil && b.Weights != nil {
		s.Weights = make([]exact.Sum, len(s.Pairs))
	}
	if a.Points.Len() == 0 || b != nil && b.Points.Len() == 0 {
		return s, nil
	}
	t, err := CountPatches(ctx, a, b, metric, Binning{Bins: bins}, 0, opt)
	if err != nil {
		return nil, err
	}
	s.Pairs, s.Weights = t.sums()
	return s, nil
}

// note sets the masses.
func (s *Share) note(samples ...*Sample) error {
	for _, of := range samples {
		all, err := of.masses(0)
		if err != nil {
			return err
		}
		m := Mass{Rows: all[0].n, W: all[0].w, W2: all[0].w2}
		if of.Weights != nil {
			m.Largest = of.largest()
		}
		s.Of = append(s.Of, m)
	}
	return nil
}

// addCounts adds the counts of o, which may be s.
func (s *Share) addCounts(o *Share) {
	for i, n := range o.Pairs {
		s.Pairs[i] += n
	}
	for i, w := range o.Weights {
		s.Weights[i].AddSum(w)
	}
}

// ErrShares marks shares that are not of one count.
var ErrShares = errors.New("shares of different counts")

// Add adds another share.
func (s *Share) Add(o *Share) error {
	if len(s.Pairs) != len(o.Pairs) || len(s.Weights) != len(o.Weights) || len(s.Of) != len(o.Of) {
		return ErrShares
	}
	s.addCounts(o)
	for i, m := range o.Of {
		t := &s.Of[i]
		t.Rows += m.Rows
		t.W.AddSum(m.W)
		t.W2.AddSum(m.W2)
		t.Largest = max(t.Largest, m.Largest)
	}
	return nil
}

// Counts returns the counts of the catalog, or of the two, of which s is the
// sum of the shares. weighted says which have weights.
func (s *Share) Counts(bins Bins, weighted ...bool) (*Counts, error) {
	t := &Tally{binning: Binning{Bins: bins}, self: len(s.Of) == 1, pairs: slices.Clone(s.Pairs), weights: slices.Clone(s.Weights)}
	if len(s.Pairs) != t.slots() || s.Weights != nil && len(s.Weights) != t.slots() || len(s.Of) != len(weighted) {
		return nil, ErrShares
	}
	if t.self {
		for i := range t.pairs {
			t.pairs[i] /= 2
		}
		for i := range t.weights {
			t.weights[i] = t.weights[i].Half()
		}
	}
	none, err := neighbors.NewPoints(neighbors.Float64s(nil))
	if err != nil {
		return nil, err
	}
	var all [2]*Sample
	for i, m := range s.Of {
		all[i] = &Sample{Points: none, Largest: m.Largest}
		if weighted[i] {
			all[i].Weights = []float64{}
		}
	}
	if err := t.weigh(all[0], all[1]); err != nil {
		return nil, err
	}
	for i, m := range s.Of {
		to := [][]mass{t.a, t.b}[i]
		to[0].n, to[0].w, to[0].w2 = m.Rows, m.W, m.W2
	}
	return t.Counts(), nil
}
