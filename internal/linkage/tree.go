// Package linkage turns the edges of a minimum spanning tree into the tree of
// single linkage: which points are in one component at which height.
package linkage

import (
	"math"
	"slices"

	"skyjoin/internal/each"
	"skyjoin/internal/mst"
)

// None is what is above the root.
const None uint32 = math.MaxUint32

// A Tree is components of points that grow with the height. Node i is a
// component that comes to be at Height[i] of two or more children, points or
// nodes. Nodes come after their children; the last one is the root.
type Tree struct {
	Height []float64
	Parent []uint32 // node above each node
	Size   []uint32 // points of each node
	Above  []uint32 // node above each point
}

// New returns the tree of the sorted edges between n points. If together, all
// components that edges of one height join become one node, so that the tree
// does not depend on the order of these edges; else every edge makes a node of
// two children.
func New(edges []mst.Edge, n int, together bool) *Tree {
	b := &builder{
		Tree: &Tree{Height: make([]float64, 0, len(edges)), Parent: make([]uint32, 0, len(edges)), Size: make([]uint32, 0, len(edges)), Above: make([]uint32, n)},
		set:  make([]uint32, n),
		top:  make([]uint32, n),
	}
	for p := range b.set {
		b.set[p], b.top[p], b.Above[p] = uint32(p), None, None
	}
	for len(edges) > 0 {
		k := 1
		for together && k < len(edges) && edges[k].Height == edges[0].Height {
			k++
		}
		if k == 1 {
			b.pair(edges[0])
		} else {
			b.group(edges[:k])
		}
		edges = edges[k:]
	}
	return b.Tree
}

// A builder has the components so far.
type builder struct {
	*Tree
	set  []uint32 // disjoint sets of points
	top  []uint32 // node of the root of a set, None if it is a point alone
	kids []uint32 // roots of sets
}

func (b *builder) root(p uint32) uint32 {
	for b.set[p] != p {
		b.set[p] = b.set[b.set[p]]
		p = b.set[p]
	}
	return p
}

// size returns the number of points of a set.
func (b *builder) size(root uint32) uint32 {
	if t := b.top[root]; t != None {
		return b.Size[t]
	}
	return 1
}

// node begins a node.
func (b *builder) node(height float64) uint32 {
	b.Height = append(b.Height, height)
	b.Parent = append(b.Parent, None)
	b.Size = append(b.Size, 0)
	return uint32(len(b.Height) - 1)
}

// put makes a set, of which top is the node, a child of a node.
func (b *builder) put(root, top, node uint32) {
	if top == None {
		b.Above[root] = node
		b.Size[node]++
		return
	}
	b.Parent[top] = node
	b.Size[node] += b.Size[top]
}

// pair makes a node of the two sets that an edge joins.
func (b *builder) pair(e mst.Edge) {
	x, y := b.root(e.A), b.root(e.B)
	node := b.node(e.Height)
	if b.size(x) < b.size(y) {
		x, y = y, x
	}
	b.put(x, b.top[x], node)
	b.put(y, b.top[y], node)
	b.set[y] = x
	b.top[x] = node
}

// group makes nodes of all sets that edges of one height join.
func (b *builder) group(edges []mst.Edge) {
	b.kids = b.kids[:0]
	for _, e := range edges {
		b.kids = append(b.kids, b.root(e.A), b.root(e.B))
	}
	slices.Sort(b.kids)
	b.kids = slices.Compact(b.kids)
	tops := each.At(b.top, b.kids)
	for _, e := range edges {
		x, y := b.root(e.A), b.root(e.B)
		if b.size(x) < b.size(y) {
			x, y = y, x
		}
		b.set[y] = x
	}
	first := uint32(len(b.Height))
	for i, k := range b.kids {
		r := b.root(k)
		if t := b.top[r]; t == None || t < first {
			b.top[r] = b.node(edges[0].Height)
		}
		b.put(k, tops[i], b.top[r])
	}
}

// Visit returns a number for every point that grows along every path of the
// edges from a first point, which has 0.
func Visit(edges []mst.Edge, n int, first uint32) []uint32 {
	start := make([]uint32, n+2)
	for _, e := range edges {
		start[e.A+2]++
		start[e.B+2]++
	}
	for p := range n {
		start[p+2] += start[p+1]
	}
	other := make([]uint32, 2*len(edges))
	for _, e := range edges {
		other[start[e.A+1]], other[start[e.B+1]] = e.B, e.A
		start[e.A+1]++
		start[e.B+1]++
	}
	number := slices.Repeat([]uint32{None}, n)
	if n == 0 {
		return number
	}
	number[first] = 0
	queue := append(make([]uint32, 0, n), first)
	for i := 0; i < len(queue); i++ {
		p := queue[i]
		for _, q := range other[start[p]:start[p+1]] {
			if number[q] == None {
				number[q] = uint32(len(queue))
				queue = append(queue, q)
			}
		}
	}
	return number
}
