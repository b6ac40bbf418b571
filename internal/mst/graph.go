// Package mst finds minimum spanning trees of points under the mutual
// reachability distance of Campello, Moulavi & Sander (PAKDD 2013), exactly, and
// the orders in which such points are reached (Prim 1957; OPTICS: Ankerst,
// Breunig, Kriegel & Sander, SIGMOD 1999).
//
// Points are known by their positions in a k-d tree. Every point has the list
// of some of its nearest others; the tree is searched only where a list does
// not settle which edge is the least.
package mst

import (
	"context"
	"math"
	"slices"

	"skyjoin/internal/kdtree"
	"skyjoin/internal/par"
)

// A Graph has an edge between any two points. The weight of the edge from p to q
// is max(From[p], To[q], height of their distance). Edges are ordered by weight,
// then by the lower row of their ends, then by the higher.
type Graph struct {
	Tree    *kdtree.Tree
	Measure kdtree.Measure
	Side    []float64 // of the periods, nil if there are none
	From    []float64 // by position
	To      []float64 // the same, or nil for 0
	Threads int

	// Near lists K others of every point, one list after the other: all that
	// are nearer than those that are not listed. Sort brings them in the order
	// of their edges. The heights of the first Covered are known to be at most
	// From.
	K       int
	Covered int
	Near    []uint32
	// Beyond is a lower bound of the weights of edges to points that are not
	// listed, rounded down.
	Beyond []float32
}

// Down returns the largest float32 that is not above x.
func Down(x float64) float32 {
	f := float32(x)
	if float64(f) > x {
		return math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}

// weight returns the weight of the edge from p to q.
func (g *Graph) weight(p, q int) float64 {
	w := g.From[p]
	if g.To != nil {
		w = max(w, g.To[q])
	}
	return max(w, g.height(p, q))
}

// height returns the height of the distance of p and q.
func (g *Graph) height(p, q int) float64 {
	t := &g.Tree.Points
	return g.Measure.Height(t, p, t, q, g.squared(p, q))
}

// squared returns d² of p and q, with the operations of the kernels.
func (g *Graph) squared(p, q int) float64 {
	t := &g.Tree.Points
	sum := 0.0
	for c := range t.Dim {
		d := t.Data[c*t.Stride+p] - t.Data[c*t.Stride+q]
		if g.Side != nil && g.Side[c] > 0 {
			d = math.Abs(d)
			d = min(d, g.Side[c]-d)
		}
		sum += float64(d * d)
	}
	return sum
}

// list returns the list of p.
func (g *Graph) list(p int) []uint32 { return g.Near[p*g.K : (p+1)*g.K] }

// A link is an edge from a point that is known.
type link struct {
	weight float64
	row    uint32
	to     uint32
}

func (a link) before(b link) bool {
	return a.weight < b.weight || a.weight == b.weight && a.row < b.row
}

func (a link) compare(b link) int {
	switch {
	case a.before(b):
		return -1
	case b.before(a):
		return 1
	}
	return 0
}

// longList is the length from which lists are not sorted by insertion.
const longList = 48

// Sort brings all lists in the order of their edges.
func (g *Graph) Sort(ctx context.Context) error {
	rows := g.Tree.Rows()
	portions := par.NewPortions(g.Threads, len(rows), 1<<12)
	par.Chunks(g.Threads, g.Threads, func(worker, _, _ int) {
		links := make([]link, g.K)
		for ctx.Err() == nil {
			lo, hi, ok := portions.Next(worker)
			if !ok {
				return
			}
			for p := lo; p < hi; p++ {
				g.sortList(p, rows, links)
			}
		}
	})
	return ctx.Err()
}

// sortList sorts the list of p, with links as room.
func (g *Graph) sortList(p int, rows []uint32, links []link) {
	list := g.list(p)
	for i, q := range list {
		w := g.From[p]
		if g.To != nil {
			w = max(w, g.To[q])
		}
		if i >= g.Covered {
			w = max(w, g.height(p, int(q)))
		}
		links[i] = link{w, rows[q], q}
	}
	if len(list) > longList {
		slices.SortFunc(links, link.compare)
	} else {
		for i := 1; i < len(links); i++ {
			l, at := links[i], i
			for ; at > 0 && l.before(links[at-1]); at-- {
				links[at] = links[at-1]
			}
			links[at] = l
		}
	}
	for i := range list {
		list[i] = links[i].to
	}
}
