package stats2b

import (
	"context"
	"slices"

	"skyjoin/internal/each"
	"skyjoin/internal/exact"
	"skyjoin/internal/hook"
	"skyjoin/internal/piece"
	"skyjoin/neighbors"
)

// What only other packages of this module may do: count the pairs of one tile.
func init() {
	hook.Provide("stats2b.CountPiece", countPiece)
	hook.Provide("stats2b.CountCrossPiece", countCrossPiece)
	hook.Provide("stats2b.TallyOf", tallyOf)
}

// countPiece counts the pairs that involve a part of a catalog: pairs among the rows
// own, and pairs of these with the rows near, which belong to other parts. near must
// have every row that forms a pair in the bins with one of own, and Largest of both
// must be that of the catalog.
func countPiece(ctx context.Context, own, near *Sample, metric neighbors.Metric, binning Binning, patches int, opt Options) (*piece.Pairs, error) {
	s, err := countPairs(ctx, own, nil, metric, binning, patches, opt)
	if err != nil {
		return nil, err
	}
	s.AddCounts(s) // from both rows
	other, err := countPairs(ctx, own, near, metric, binning, patches, opt)
	if err != nil {
		return nil, err
	}
	other.Fold(patches)
	s.AddCounts(other)
	return s, note(s, patches, own)
}

// countCrossPiece counts the pairs of a row of a, a part of one catalog, with a row
// of b: rows of the other catalog that include all which form a pair in the bins
// with one of a. ownB are the rows of b that belong to the part.
func countCrossPiece(ctx context.Context, a, b, ownB *Sample, metric neighbors.Metric, binning Binning, patches int, opt Options) (*piece.Pairs, error) {
	s, err := countPairs(ctx, a, b, metric, binning, patches, opt)
	if err != nil {
		return nil, err
	}
	return s, note(s, patches, a, ownB)
}

// countPairs counts pairs; without rows there are none.
func countPairs(ctx context.Context, a, b *Sample, metric neighbors.Metric, binning Binning, patches int, opt Options) (*piece.Pairs, error) {
	if a.Points.Len() > 0 && (b == nil || b.Points.Len() > 0) {
		t, err := CountPatches(ctx, a, b, metric, binning, patches, opt)
		if err != nil {
			return nil, err
		}
		return &piece.Pairs{Pairs: t.pairs, Weights: t.weights, Squares: t.squares, Separations: t.separations}, nil
	}
	groups := max(patches, 1)
	s := &piece.Pairs{Pairs: make([]uint64, groups*groups*(binning.Cells()+1))}
	if weighted(a, b) {
		s.Weights, s.Squares = make([]exact.Sum, len(s.Pairs)), make([]exact.Squares, binning.Cells()+1)
	}
	if binning.Means {
		s.Separations = make([]exact.Sum, len(s.Pairs))
	}
	return s, nil
}

// note sets the masses.
func note(s *piece.Pairs, patches int, samples ...*Sample) error {
	for _, of := range samples {
		all, err := of.masses(patches)
		if err != nil {
			return err
		}
		masses := each.Of(all, func(m mass) piece.Mass { return m.Mass })
		s.Of = append(s.Of, masses)
	}
	return nil
}

// tallyOf returns the tally of the whole catalog, or of the two, from the sum s of
// all pieces.
func tallyOf(s *piece.Pairs, binning Binning, patches int, of []piece.Whole) (*Tally, error) {
	t := &Tally{binning: binning, self: len(s.Of) == 1, patches: patches, pairs: slices.Clone(s.Pairs), weights: slices.Clone(s.Weights), squares: slices.Clone(s.Squares), separations: slices.Clone(s.Separations)}
	n := t.groups() * t.groups() * t.slots()
	if len(s.Pairs) != n || s.Weights != nil && (len(s.Weights) != n || len(s.Squares) != t.slots()) || binning.Means != (s.Separations != nil) || binning.Means && len(s.Separations) != n || len(s.Of) != len(of) || len(of) < 1 || len(of) > 2 {
		return nil, piece.ErrDiffer
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
		for i := range t.squares {
			t.squares[i] = t.squares[i].Half()
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
			return nil, piece.ErrDiffer
		}
		for k, m := range masses {
			to[k].Mass = m
		}
	}
	return t, nil
}
