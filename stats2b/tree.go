package stats2b

import (
	"context"
	"math"
	"sync/atomic"

	"skyjoin/internal/each"
	"skyjoin/internal/kdtree"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// treeLeaf is the number of points of a leaf, and treeBlock that of a node that is
// not subdivided when its distances fall into many bins: that is where the kernel is
// fastest.
const (
	treeLeaf  = 64
	treeBlock = 1024
)

// unpruned reports whether the grid of a plan leaves so many pairs to compare that
// trees are better: their nodes can be counted as a whole at any size.
func unpruned(p *neighbors.Plan) bool {
	if p.Periodic() {
		return false
	}
	rows := querySpace(p).Len()
	const sampled = 64
	var sum float64
	for i := range sampled {
		sum += float64(p.Cost(uint32(i * rows / sampled)))
	}
	return sum/sampled > 0.25*float64(p.DataLen())
}

// treeMemory returns the bytes that trees take in addition to the plan.
func treeMemory(p *neighbors.Plan) int64 {
	dim := querySpace(p).Dim()
	m := p.Memory() + kdtree.Predict(p.Len(), dim, treeLeaf)
	if !p.Self() {
		m += kdtree.Predict(p.DataLen(), dim, treeLeaf)
	}
	return m
}

// A treeCounter counts pairs with two trees, or one in a self-join: pairs of nodes
// that fall into one bin as a whole need no distances.
type treeCounter struct {
	query, data *kdtree.Tree
	self        bool
	fn          *kernel.Funcs
	h           *kernel.Histogram
	linear      *kernel.Linear // nil where it is not available
	edges       []float64
	counts      []uint64
	shrink      float64 // about the ratio of the extents of a leaf and a block
}

// countTree counts all pairs of a plan.
func countTree(ctx context.Context, p *neighbors.Plan, table *kernel.Bins, edges []float64, opt Options) ([]uint64, error) {
	threads := par.Threads(opt.Threads)
	query, err := kdtree.Build(ctx, querySpace(p).Columns, treeLeaf, threads)
	if err != nil {
		return nil, err
	}
	data := query
	if !p.Self() {
		if data, err = kdtree.Build(ctx, dataSpace(p).Columns, treeLeaf, threads); err != nil {
			return nil, err
		}
	}
	linear, _ := kernel.NewLinear(table, &query.Points, &data.Points)
	// Tasks are pairs of nodes of levels with some hundred pairs.
	a, b := levelNodes(query, threads), levelNodes(data, threads)
	tasks := len(a) * len(b)
	var next, done atomic.Int64
	workers := make([]*treeCounter, threads)
	par.Chunks(threads, threads, func(w, _, _ int) {
		t := &treeCounter{
			query: query, data: data, self: p.Self(), fn: kernel.Best(),
			h: kernel.NewHistogram(table), linear: linear, edges: edges, counts: make([]uint64, len(edges)-1),
			shrink: math.Pow(float64(treeLeaf)/treeBlock, 1/float64(query.Points.Dim)),
		}
		workers[w] = t
		for ctx.Err() == nil {
			k := int(next.Add(1)) - 1
			if k >= tasks {
				return
			}
			if i, j := a[k/len(b)], b[k%len(b)]; !t.self || i <= j {
				t.visit(ctx, i, j)
			}
			if d := done.Add(1); opt.Progress != nil {
				opt.Progress(d*int64(query.Points.N)/int64(tasks), int64(query.Points.N))
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sum := make([]uint64, len(edges)-1)
	for _, t := range workers {
		bins, _, _ := t.h.Counts()
		for i := range sum {
			sum[i] += bins[i] + t.counts[i]
		}
	}
	return sum, nil
}

// levelNodes returns the nodes of a level with some nodes for each thread, or of the
// lowest level.
func levelNodes(t *kdtree.Tree, threads int) []int {
	level := 0
	for level < t.Levels() && 1<<level < 8*threads {
		level++
	}
	return each.To(1<<level, func(i int) int { return 1<<level - 1 + i })
}

// visit counts the pairs of two nodes, each once, even if the nodes are the same.
func (t *treeCounter) visit(ctx context.Context, i, j int) {
	lo, hi := t.query.Span(i)
	from, to := t.data.Span(j)
	least, most := t.bounds(i, j)
	own := t.self && i == j
	k, last := binOf(t.edges, least), binOf(t.edges, most)
	if k == last {
		if k < len(t.counts) {
			n := uint64(hi-lo) * uint64(to-from)
			if own {
				n = uint64(hi-lo) * uint64(hi-lo-1) / 2
			}
			t.counts[k] += n
		}
		return
	}
	leafI, leafJ := i >= 1<<t.query.Levels()-1, j >= 1<<t.data.Levels()-1
	switch {
	case leafI && leafJ || hi-lo <= treeBlock && to-from <= treeBlock && float64(last-k)*t.shrink > 3:
		// There are no smaller nodes, or none that could fall into one bin as a
		// whole.
		if t.linear != nil {
			end := 0
			if own {
				end = int(hi)
			}
			t.linear.Hist(int(lo), int(hi), end, kernel.Run{Lo: from, Hi: to}, t.h)
			return
		}
		if own {
			t.fn.Hist(&t.query.Points, int(lo), int(hi), int(hi), &t.data.Points, nil, t.h)
			return
		}
		t.fn.Hist(&t.query.Points, int(lo), int(hi), 0, &t.data.Points, []kernel.Run{{Lo: from, Hi: to}}, t.h)
	case own:
		t.visit(ctx, 2*i+1, 2*i+1)
		t.visit(ctx, 2*i+1, 2*i+2)
		t.visit(ctx, 2*i+2, 2*i+2)
	case ctx.Err() != nil:
	case leafJ || !leafI && hi-lo >= to-from:
		t.visit(ctx, 2*i+1, j)
		t.visit(ctx, 2*i+2, j)
	default:
		t.visit(ctx, i, 2*j+1)
		t.visit(ctx, i, 2*j+2)
	}
}

// bounds returns the least and the largest d² between points of two nodes.
func (t *treeCounter) bounds(i, j int) (least, most float64) {
	a, b := kernel.Box{}, kernel.Box{}
	a.Least, a.Most = t.query.Box(i)
	b.Least, b.Most = t.data.Box(j)
	return a.Nearest(b), a.Farthest(b)
}
