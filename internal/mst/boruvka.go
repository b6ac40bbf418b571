package mst

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"skyjoin/internal/kdtree"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
	"skyjoin/internal/used"
)

// stalled is the share of components that must find their edge in lists for
// lists alone to be looked at again.
const stalled = 0.05

// Boruvka returns the edges of the minimum spanning tree, in any order. The
// graph must be symmetric: From and To the same. It uses up the lists. The error
// is that of the context.
func (g *Graph) Boruvka(ctx context.Context, progress func(joined int)) ([]Edge, error) {
	n := g.Tree.Points.N
	if n < 2 {
		return nil, ctx.Err()
	}
	used.Note(ctx, "boruvka", kernel.Best().Name)
	f := &forest{Graph: g, rows: g.Tree.Rows(), next: make([]uint16, n), comp: make([]uint32, n), comps: n,
		least: make([]Edge, n), open: make([]uint32, n), to: make([]uint32, n), root: make([]uint32, n),
		lock: make([]sync.Mutex, stripes), edges: make([]Edge, 0, n-1)}
	for p := range f.comp {
		f.comp[p] = uint32(p)
	}
	for search := false; f.comps > 1; {
		f.fromLists()
		sure := f.sure()
		if search = search || float64(sure) < stalled*float64(f.comps); search {
			f.fromTree(ctx)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.join()
		if progress != nil {
			progress(n - f.comps)
		}
	}
	return f.edges, nil
}

// fromLists finds the least listed edge that leaves each component.
func (f *forest) fromLists() {
	f.least = f.least[:f.comps]
	for c := range f.least {
		f.least[c] = Edge{math.Inf(1), kernel.None, kernel.None}
	}
	f.points(func(lo, hi int) {
		for p := lo; p < hi; p++ {
			at := int(f.next[p])
			if at == f.K {
				continue
			}
			c, list := f.comp[p], f.list(p)
			for at < f.K && f.comp[list[at]] == c {
				at++
			}
			f.next[p] = uint16(at)
			if at < f.K {
				f.offer(c, Edge{f.weight(p, int(list[at])), uint32(p), list[at]})
			}
		}
	})
}

// sure marks the components that may have lesser edges than those listed, and
// returns how many have none.
func (f *forest) sure() int {
	f.open = f.open[:f.comps]
	clear(f.open)
	f.points(func(lo, hi int) {
		for p := lo; p < hi; p++ {
			if c := f.comp[p]; f.mayBeLess(p, c) && atomic.LoadUint32(&f.open[c]) == 0 {
				atomic.StoreUint32(&f.open[c], 1)
			}
		}
	})
	n := f.comps
	for _, o := range f.open {
		n -= int(o)
	}
	return n
}

// mayBeLess reports whether an edge of p that is not listed may come before the
// least that is known of its component.
func (f *forest) mayBeLess(p int, c uint32) bool {
	e := f.least[c]
	beyond := float64(f.Beyond[p])
	if beyond != 0 || e.Height != 0 || e.A == kernel.None {
		return beyond <= e.Height
	}
	// All that are listed are at the place of p, with the lowest rows of those
	// that are: an edge of no height to others comes later unless this row is lower.
	last := uint32(0)
	for _, q := range f.list(p) {
		last = max(last, f.rows[q])
	}
	return min(f.rows[p], last) < min(f.rows[e.A], f.rows[e.B])
}

// fromTree looks in the tree for the edges that lists have not settled. The
// largest component need not find its own: all others find theirs.
func (f *forest) fromTree(ctx context.Context) {
	if f.reach == nil {
		f.reach = kdtree.NewReach(f.Tree, f.Measure, f.Side, f.To, f.comp, f.Threads)
	}
	f.reach.Group = f.comp
	f.reach.Regroup(f.Threads)
	largest := f.largest()
	limit := make([]atomic.Uint64, f.comps) // bits of the height of the least edge
	for c := range limit {
		limit[c].Store(math.Float64bits(f.least[c].Height))
		f.open[c] = 0
	}
	f.open[largest] = 1
	portions := par.NewPortions(f.Threads, len(f.comp), 1<<10)
	par.Chunks(f.Threads, f.Threads, func(worker, _, _ int) {
		s := kdtree.NewClosest(f.reach)
		for ctx.Err() == nil {
			lo, hi, ok := portions.Next(worker)
			if !ok {
				return
			}
			for p := lo; p < hi; p++ {
				c := f.comp[p]
				most := math.Float64frombits(limit[c].Load())
				if c == largest || float64(f.Beyond[p]) > most || p > 0 && f.comp[p-1] == c && f.same(p) {
					continue
				}
				found := s.Find(&f.Tree.Points, p, f.From[p], c, f.Tree.Leaf(p), most)
				f.Beyond[p] = Down(found.Reach)
				if found.Position == kernel.None {
					continue
				}
				f.offer(c, Edge{found.Reach, uint32(p), found.Position})
				for was := limit[c].Load(); math.Float64frombits(was) > found.Reach && !limit[c].CompareAndSwap(was, math.Float64bits(found.Reach)); {
					was = limit[c].Load()
				}
			}
		}
	})
}

// same reports whether p is at the place of the point before it, which has a
// lower row then: what is an edge of p is a lesser one of that point.
func (f *forest) same(p int) bool {
	t := &f.Tree.Points
	for c := range t.Dim {
		if t.Data[c*t.Stride+p] != t.Data[c*t.Stride+p-1] {
			return false
		}
	}
	return f.rows[p-1] < f.rows[p]
}

// largest returns the component of most points.
func (f *forest) largest() uint32 {
	size := make([]uint32, f.comps)
	for _, c := range f.comp {
		size[c]++
	}
	largest := 0
	for c, n := range size {
		if n > size[largest] {
			largest = c
		}
	}
	return uint32(largest)
}
