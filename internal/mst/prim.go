package mst

import (
	"context"
	"math"

	"skyjoin/internal/kernel"
	"skyjoin/internal/used"
)

// A Step is what a walk comes to next.
type Step struct {
	At     uint32  // position
	From   uint32  // of the earliest point that reaches it so near; None where a walk begins
	Weight float64 // of the edge from there; +Inf where a walk begins
}

// Walk visits all points, each time the one that the points visited reach with
// the least (weight, row). It begins with the lowest row, and begins anew with
// the lowest row left where no edge of a weight of at most limit leads on. The
// graph need not be symmetric, the lists must be sorted. The error is that of
// the context or of visit.
//
// Of every visited point only the best edge to others is known, in a heap: it is
// looked for again where its end has been visited since. So of n points there are
// a few times n searches, most of them in lists.
func (g *Graph) Walk(ctx context.Context, limit float64, visit func(Step) error) error {
	used.Note(ctx, "prim", kernel.Best().Name)
	w := newWalk(g, limit)
	first := make([]uint32, len(w.rows)) // position of every row
	for p, row := range w.rows {
		first[row] = uint32(p)
	}
	for _, p := range first {
		if w.done[p] == visited {
			continue
		}
		step := Step{p, kernel.None, math.Inf(1)}
		for {
			if w.seen%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if err := visit(step); err != nil {
				return err
			}
			w.enter(step.At)
			var ok bool
			if step, ok = w.step(); !ok {
				break
			}
		}
	}
	return ctx.Err()
}

// Prim returns the edges that link every point to the one visited before it, in
// the order of a walk sorted stably by weight, and the place of every point in
// the walk. A component at some height is a range of the walk, so that these
// edges have the tree of single linkage of all edges that Prim's algorithm finds.
func (g *Graph) Prim(ctx context.Context, progress func(visited int)) (edges []Edge, place []uint32, err error) {
	n := g.Tree.Points.N
	place, edges = make([]uint32, n), make([]Edge, 0, max(n-1, 0))
	last, seen := uint32(0), 0
	err = g.Walk(ctx, math.Inf(1), func(s Step) error {
		place[s.At] = uint32(seen)
		if seen > 0 {
			edges = append(edges, Edge{s.Weight, last, s.At})
		}
		last = s.At
		if seen++; seen%4096 == 0 || seen == n {
			progress(seen)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	SortEdges(edges, place, g.Threads)
	return edges, place, nil
}
