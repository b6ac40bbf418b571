package hdbscan

import (
	"context"
	"errors"

	"skyjoin/hdbscan/internal/cores"
	"skyjoin/internal/mst"
	"skyjoin/internal/par"
	"skyjoin/internal/used"
	"skyjoin/neighbors"
)

// A Spanner is a joiner that finds minimum spanning trees itself, such as a GPU that
// keeps the neighbours it finds.
type Spanner interface {
	neighbors.Joiner
	// Span finds the minimum spanning tree of the rows of a plan, a self-join for the
	// nearest, under the mutual reachability distance: max(core, core, distance/alpha),
	// where the core distance of a row is that to its others-th neighbour, or 0. There
	// are two rows or more. Span orders the rows as suits it and sets rows[i] to the row
	// of place i, core[i] to its core distance. The edges ends[i], pairs of places, that
	// of the lower row first, of weights heights[i], are sorted by weight. joined, unless
	// nil, is told how many edges are known. An error that wraps errors.ErrUnsupported
	// says that the tree has to be found in another way.
	Span(ctx context.Context, p *neighbors.Plan, others int, alpha float64, rows []uint32, core []float64, ends [][2]uint32, heights []float64, joined func(edges int)) error
}

// spanned has the joiner find the tree, if it can and the rules are those of its tree.
// Else done is false.
func (t *Tree) spanned(ctx context.Context, r *cores.Request) (done bool, err error) {
	s, ok := t.options.Joiner.(Spanner)
	if !ok || r.Weights != nil || t.options.Ties != TiesTogether || r.Points == nil || r.Points.Len() < 2 {
		return false, nil
	}
	plan, others, err := r.Plan(ctx)
	if err == nil {
		err = r.Fits(plan, 0)
	}
	if err != nil {
		return false, err
	}
	n := plan.Len()
	rows, core, ends, heights := make([]uint32, n), make([]float64, n), make([][2]uint32, n-1), make([]float64, n-1)
	tree := newMeter(t.options.Progress, StageTree, n)
	if err := s.Span(ctx, plan, others, r.Alpha, rows, core, ends, heights, tree.reach); err != nil {
		if errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
		return false, err
	}
	tree.reach(n)
	used.Note(ctx, "boruvka")
	t.rows, t.edges = rows, mst.Edges(ends, heights, rows, t.threads)
	t.graph = &cores.Graph{Graph: &mst.Graph{From: core, Threads: t.threads}}
	return true, nil
}

// searched returns the graph with a tree in which other points can be looked for, and
// the place of each of its points in t.
func (t *Tree) searched(ctx context.Context, r *cores.Request) (*cores.Graph, []uint32, error) {
	if t.graph.Tree != nil {
		return t.graph, nil, nil
	}
	place := make([]uint32, t.Len())
	par.Chunks(t.threads, len(place), func(_, lo, hi int) {
		for p := lo; p < hi; p++ {
			place[t.rows[p]] = uint32(p)
		}
	})
	g, err := r.Plant(ctx, t.CoreDistances())
	if err != nil {
		return nil, nil, err
	}
	places := make([]uint32, t.Len())
	for p, row := range g.Tree.Rows() {
		places[p] = place[row]
	}
	return g, places, nil
}
