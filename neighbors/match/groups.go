package match

import (
	"context"
	"fmt"
	"sync"

	"skyjoin/neighbors"
)

// Groups are the rows of one set of points that match each other, directly or
// through others.
type Groups struct {
	Of    []int32 // group of each row, -1 for a row that matches none
	Sizes []int64 // rows of each group, at least 2; groups are numbered by their first rows
	Pairs int64   // pairs of rows that meet the criterion
}

// Within groups the rows of points. Options.Find and K are not used; ErrorA
// has the errors of the rows, ErrorB must be nil or the same. Errors wrap
// neighbors.ErrRequest, ErrCoordinate or ErrMemory.
func Within(ctx context.Context, points *neighbors.Points, m neighbors.Metric, o Options) (*Groups, error) {
	if points == nil {
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	o.K, o.Find, o.ErrorB = 0, All, o.ErrorA
	if err := o.check(points, points); err != nil {
		return nil, err
	}
	if points.Len() == 0 {
		return &Groups{}, nil
	}
	if o.Joiner == nil {
		o.Joiner = neighbors.CPU{Threads: o.Threads, Memory: o.Memory}
	}
	plan, err := neighbors.Prepare(ctx, neighbors.Input{Query: points, Metric: m, Threads: o.Threads, Memory: o.Memory}, o.query(m))
	if err != nil {
		return nil, err
	}
	f := newForest(points.Len())
	var mu sync.Mutex
	err = neighbors.Visit(ctx, o.Joiner, plan, plan.Work(), func(_ int, b *neighbors.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		for i, row := range b.Rows {
			dist := b.Dists(i)
			for k, near := range b.List(i) {
				if near > row && o.matches(row, near, dist[k]) {
					f.pairs++
					f.unite(row, near)
				}
			}
		}
		if o.Progress != nil {
			o.Progress(int64(len(b.Rows)))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f.groups(), nil
}

// A forest is disjoint sets of rows, each with its lowest row as the root.
type forest struct {
	parent []uint32
	pairs  int64
}

func newForest(n int) *forest {
	f := &forest{parent: make([]uint32, n)}
	for i := range f.parent {
		f.parent[i] = uint32(i)
	}
	return f
}

// root returns the root of a row, halving the path to it.
func (f *forest) root(i uint32) uint32 {
	for f.parent[i] != i {
		f.parent[i] = f.parent[f.parent[i]]
		i = f.parent[i]
	}
	return i
}

func (f *forest) unite(a, b uint32) {
	a, b = f.root(a), f.root(b)
	f.parent[max(a, b)] = min(a, b)
}

func (f *forest) groups() *Groups {
	g := &Groups{Of: make([]int32, len(f.parent)), Pairs: f.pairs}
	size := make([]int64, len(f.parent))
	for i := range f.parent {
		size[f.root(uint32(i))]++
	}
	for i := range f.parent { // a root comes before the rows of its set
		switch root := f.root(uint32(i)); {
		case size[root] < 2:
			g.Of[i] = -1
		case root == uint32(i):
			g.Of[i] = int32(len(g.Sizes))
			g.Sizes = append(g.Sizes, size[root])
		default:
			g.Of[i] = g.Of[root]
		}
	}
	return g
}
