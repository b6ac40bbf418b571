package mst

import (
	"sync"

	"skyjoin/internal/kdtree"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// An Edge joins two points, by their positions. A has the lower row.
type Edge struct {
	Height float64
	A, B   uint32
}

// stripes is the number of locks that components share.
const stripes = 1 << 10

// A forest is what Borůvka's algorithm (1926) has of the tree: components, each
// of which is joined to another by the least of the edges that leave it. As the
// order of the edges is strict, every such edge is in the one minimum spanning
// tree, whichever components are joined in a round.
type forest struct {
	*Graph
	rows  []uint32
	next  []uint16 // by position: where in its list the points of other components begin
	comp  []uint32 // component
	comps int
	least []Edge   // least edge known of each component; A is inside
	open  []uint32 // 1 if points of the component may have lesser edges
	to    []uint32 // component that it is joined to
	root  []uint32 // and what that is joined to in the end
	lock  []sync.Mutex
	reach *kdtree.Reach
	edges []Edge
}

// points calls visit for ranges of all points.
func (f *forest) points(visit func(lo, hi int)) {
	portions := par.NewPortions(f.Threads, len(f.comp), 1<<13)
	par.Chunks(f.Threads, f.Threads, func(worker, _, _ int) {
		for {
			lo, hi, ok := portions.Next(worker)
			if !ok {
				return
			}
			visit(lo, hi)
		}
	})
}

// offer makes e the least edge of a component, if it is.
func (f *forest) offer(c uint32, e Edge) {
	l := &f.lock[c%stripes]
	l.Lock()
	if f.before(e, f.least[c]) {
		f.least[c] = e
	}
	l.Unlock()
}

// before reports whether a comes before b.
func (f *forest) before(a, b Edge) bool {
	if a.Height != b.Height || b.A == kernel.None {
		return a.Height < b.Height || b.A == kernel.None
	}
	return f.key(a) < f.key(b)
}

// key orders edges of one height.
func (f *forest) key(e Edge) uint64 {
	a, b := f.rows[e.A], f.rows[e.B]
	return uint64(min(a, b))<<32 | uint64(max(a, b))
}

// lowFirst returns an edge with the lower row as A.
func (f *forest) lowFirst(e Edge) Edge {
	if f.rows[e.A] > f.rows[e.B] {
		e.A, e.B = e.B, e.A
	}
	return e
}
