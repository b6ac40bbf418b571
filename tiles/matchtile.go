package tiles

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"skyjoin/internal/disjoint"
	"skyjoin/io/catalog"
	"skyjoin/neighbors/match"
)

// The files of a piece of a match.
const (
	pairsFile = "pairs.parquet" // a, b, distance, settled
	timesFile = "times.parquet" // b, candidates: of rows of B that several tiles may have candidates of
)

// A Pair is a match of a row of A and one of B, by their numbers in the
// catalogs.
type Pair struct {
	A, B     int64
	Distance float64
}

func byDistance(p, q Pair) int {
	return cmp.Or(cmp.Compare(p.Distance, q.Distance), cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B))
}

func byRows(p, q Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) }

// runMatch matches the own rows of A with the rows of B. Every pair is a candidate
// in the tile that owns its row of A. Choices that involve rows of other tiles are
// left to the merge.
func (p *Plan) runMatch(ctx context.Context, dir string, sets []*rows, q *Piece, opt *Options) error {
	a, b := sets[0], sets[1]
	pointsA, err := a.points()
	if err != nil {
		return err
	}
	pointsB, err := b.points()
	if err != nil {
		return err
	}
	var own []uint32
	var errorsA []float64
	for i, o := range a.own {
		if !o {
			continue
		}
		own = append(own, uint32(i))
		if a.weights != nil {
			errorsA = append(errorsA, a.weights[i])
		}
	}
	o, err := p.Match.Options(errorsA, b.weights)
	if err != nil {
		return err
	}
	find := o.Find
	found := &match.Result{}
	if len(own) > 0 && pointsB.Len() > 0 {
		o.Find, o.Joiner, o.Threads, o.Memory = match.All, opt.Joiner, opt.Threads, opt.Memory
		if o.K > 0 {
			o.Joiner = nil // only the CPU finds the nearest
		}
		if opt.Progress != nil {
			var done atomic.Int64 // workers call it
			o.Progress = func(rows int64) { opt.Progress("neighbours", done.Add(rows), int64(len(own))) }
		}
		if found, err = match.Cross(ctx, pointsA.Subset(own), pointsB, p.metric(), o); err != nil {
			return err
		}
	}
	q.Found, q.AmbiguousA = found.Candidates, found.AmbiguousA
	// Rows of B that are candidates in this tile only.
	alone := make([]bool, len(b.own))
	for i, o := range b.own {
		alone[i] = o && !b.shared[i]
	}
	times := make([]int64, len(b.own))
	for _, f := range found.Pairs {
		times[f.B]++
	}
	var row, count []int64
	for i, n := range times {
		switch {
		case n > 0 && !alone[i]:
			row, count = append(row, b.row[i]), append(count, n)
		case n > 1:
			q.AmbiguousB++
		}
	}
	settled := settle(find, found.Pairs, len(own), alone)
	var done, open []Pair
	for i, f := range found.Pairs {
		pair := Pair{a.row[own[f.A]], b.row[f.B], f.Distance}
		if settled[i] {
			done = append(done, pair)
		} else {
			open = append(open, pair)
		}
	}
	done = choose(find, done)
	if find == match.Best2 { // of this tile's candidates only the best can win
		open = choose(find, open)
	}
	var rowA, rowB []int64
	var distance []float64
	var is []bool
	for k, some := range [][]Pair{done, open} {
		for _, f := range some {
			rowA, rowB, distance, is = append(rowA, f.A), append(rowB, f.B), append(distance, f.Distance), append(is, k == 0)
		}
	}
	return writeTables(ctx, dir, 1, map[string][]catalog.Column{
		pairsFile: {integers("a", "row of the first catalog", rowA), integers("b", "row of the second catalog", rowB), floats("distance", "", "as the metric has it", distance), bools("settled", "whether other tiles cannot matter", is)},
		timesFile: {integers("b", "row of the second catalog", row), integers("candidates", "in this tile", count)},
	})
}

// settle reports for each candidate whether this tile alone can decide the choice that
// it is part of.
func settle(find match.Find, pairs []match.Pair, rowsA int, alone []bool) []bool {
	settled := make([]bool, len(pairs))
	switch find {
	case match.All, match.Best1: // a row of A belongs to one tile, and so does its choice
		for i := range settled {
			settled[i] = true
		}
	case match.Best2:
		for i, f := range pairs {
			settled[i] = alone[f.B]
		}
	default:
		// Candidates that share a row compete. A connected set of them can be
		// decided here if none of its rows of B is a candidate elsewhere.
		sets := disjoint.New[uint32](rowsA + len(alone))
		for _, f := range pairs {
			sets.Unite(f.A, uint32(rowsA)+f.B)
		}
		open := make([]bool, len(sets))
		for i, a := range alone {
			if !a {
				open[sets.Root(uint32(rowsA+i))] = true
			}
		}
		for i, f := range pairs {
			settled[i] = !open[sets.Root(f.A)]
		}
	}
	return settled
}

// choose returns the matches among the candidates, by the rule. It reuses the memory
// of pairs.
func choose(find match.Find, pairs []Pair) []Pair {
	takenA, takenB := map[int64]bool{}, map[int64]bool{}
	if find == match.All {
		return pairs
	}
	slices.SortFunc(pairs, byDistance)
	kept := pairs[:0]
	for _, p := range pairs {
		if find != match.Best2 && takenA[p.A] || find != match.Best1 && takenB[p.B] {
			continue
		}
		takenA[p.A], takenB[p.B] = true, true
		kept = append(kept, p)
	}
	return kept
}
