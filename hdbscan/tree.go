package hdbscan

import (
	"context"
	"fmt"
	"slices"

	"skyjoin/hdbscan/internal/cores"
	"skyjoin/internal/exact"
	"skyjoin/internal/linkage"
	"skyjoin/internal/mst"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// A Tree is the single-linkage tree of some points under the mutual reachability
// distance. It is immutable and safe for concurrent use.
type Tree struct {
	points  *neighbors.Points
	graph   *cores.Graph // without lists
	metric  neighbors.Metric
	options Options
	threads int
	rows    []uint32 // row of every position
	edges   []mst.Edge
	order   []mst.Edge // of TiesSklearn: the edges that link what is reached one after the other
	link    *linkage.Tree
	visit   []uint32 // by position: grows on all paths from row 0

	scale exact.Scale // of weights
	fixed []int64     // by position: weight; nil without
	mass  []exact.Sum // weight of a node; nil without
}

// Build makes the tree. Errors wrap neighbors.ErrRequest, ErrCoordinate or
// ErrMemory; a cancelled context ends the run with its error.
func Build(ctx context.Context, points *neighbors.Points, metric neighbors.Metric, opt Options) (*Tree, error) {
	if opt.Alpha == 0 {
		opt.Alpha = 1
	}
	if opt.Ties > TiesSklearn {
		return nil, fmt.Errorf("%w: ties %d, it must be TiesTogether or TiesSklearn", neighbors.ErrRequest, opt.Ties)
	}
	r := cores.Request{
		Points: points, Metric: metric, MinSamples: opt.MinSamples, Weights: opt.Weights, Alpha: opt.Alpha,
		Joiner: opt.Joiner, Threads: opt.Threads, Memory: opt.Memory,
	}
	if points != nil {
		r.Progress = newMeter(opt.Progress, StageNeighbors, points.Len()).add
	}
	t := &Tree{points: points, metric: metric, options: opt, threads: par.Threads(opt.Threads)}
	done, err := t.spanned(ctx, &r)
	if err == nil && !done {
		err = t.span(ctx, &r)
	}
	if err != nil {
		return nil, err
	}
	t.join()
	t.weigh(opt.Weights)
	return t, nil
}

// span finds the spanning tree.
func (t *Tree) span(ctx context.Context, r *cores.Request) (err error) {
	if t.graph, err = r.Build(ctx); err != nil {
		return err
	}
	t.rows = t.graph.Tree.Rows()
	n := t.Len()
	if err := t.graph.Sort(ctx); err != nil {
		return err
	}
	if t.options.Ties == TiesSklearn {
		order := newMeter(t.options.Progress, StageOrder, n)
		if t.order, t.visit, err = t.graph.Prim(ctx, order.reach); err != nil {
			return err
		}
	}
	tree := newMeter(t.options.Progress, StageTree, n)
	if t.edges, err = t.graph.Boruvka(ctx, tree.reach); err != nil {
		return err
	}
	tree.reach(n)
	t.graph.Near, t.graph.Beyond = nil, nil
	mst.SortEdges(t.edges, t.rows, t.threads)
	return nil
}

// join links the edges.
func (t *Tree) join() {
	n := t.Len()
	if t.options.Ties == TiesSklearn {
		t.link = linkage.New(t.order, n, false)
		return
	}
	par.Chunks(min(t.threads, 2), 2, func(_, lo, hi int) {
		for part := lo; part < hi; part++ {
			if part == 0 {
				t.link = linkage.New(t.edges, n, true)
			} else {
				t.visit = linkage.Visit(t.edges, n, uint32(max(0, slices.Index(t.rows, 0))))
			}
		}
	})
}

// Len returns the number of rows.
func (t *Tree) Len() int { return len(t.rows) }

// CoreDistances returns the core distance of every row.
func (t *Tree) CoreDistances() []float64 { return byRow(t, t.graph.From) }

// byRow returns what is by position in the order of the rows.
func byRow[T any](t *Tree, v []T) []T {
	out := make([]T, len(v))
	par.Chunks(t.threads, len(v), func(_, lo, hi int) {
		for p := lo; p < hi; p++ {
			out[t.rows[p]] = v[p]
		}
	})
	return out
}

// An Edge of the minimum spanning tree joins two rows, A < B.
type Edge struct {
	A, B   uint32
	Height float64 // their mutual reachability distance
}

// Edges returns the minimum spanning tree, which is unique: edges are ordered by
// height, then by A, then by B.
func (t *Tree) Edges() []Edge {
	edges := make([]Edge, len(t.edges))
	par.Chunks(t.threads, len(edges), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			e := t.edges[i]
			edges[i] = Edge{t.rows[e.A], t.rows[e.B], e.Height}
		}
	})
	return edges
}

// Nodes returns the number of nodes of the tree, and how many of them join more
// than two components at once.
func (t *Tree) Nodes() (nodes, multiway int) {
	kids := make([]uint8, len(t.link.Height))
	count := func(parents []uint32) {
		for _, p := range parents {
			if p != linkage.None && kids[p] < 3 {
				if kids[p]++; kids[p] == 3 {
					multiway++
				}
			}
		}
	}
	count(t.link.Above)
	count(t.link.Parent)
	return len(kids), multiway
}
