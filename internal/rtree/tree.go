// Package rtree is an R-tree of points, built by inserting one after the
// other and searched one query at a time: the sequential reference that
// GPU joins are compared with.
//
// Sources: Guttman, R-trees (SIGMOD 1984); Gowanlock and Karsin, GPU-SJ,
// §5.2.2, for the order of insertion.
package rtree

import (
	"cmp"
	"context"
	"math"
	"slices"

	"skyjoin/internal/column"
	"skyjoin/internal/each"
)

// A node has room for most entries, and at least least after a split.
const (
	most  = 16
	least = 6
)

// A Tree is an R-tree. It is immutable once built.
type Tree struct {
	dim    int
	root   *node
	size   int
	extent []float64 // of all points, what lengths are compared in
}

// A node holds entries, each with a box: Dim least, then Dim largest
// coordinates. The entries of a leaf are points, of which the box is only the
// least coordinates, and rows.
type node struct {
	box      []float64
	children []*node
	rows     []uint32 // of a leaf
}

func (n *node) isLeaf() bool { return n.children == nil }

// count is the number of entries.
func (n *node) count() int {
	if n.isLeaf() {
		return len(n.rows)
	}
	return len(n.children)
}

// Build inserts the rows of columns, after sorting them into bins of unit
// length in every dimension, so that points near each other are inserted
// together.
func Build(ctx context.Context, columns []column.Column) (*Tree, error) {
	t := &Tree{dim: len(columns), root: &node{}, extent: make([]float64, len(columns))}
	n := columns[0].Len()
	for j, c := range columns {
		lo, hi := c.Bounds(0, n)
		t.extent[j] = max(hi/2-lo/2, math.SmallestNonzeroFloat64) // half of it: the whole can overflow
	}
	point := make([]float64, t.dim)
	for i, r := range binned(columns) {
		if i%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		for j, c := range columns {
			point[j] = c.At(int(r))
		}
		t.insert(point, r)
	}
	return t, nil
}

// binned returns the rows in the order of their unit bins, dimension after
// dimension, those of a bin as they come.
func binned(columns []column.Column) []uint32 {
	n := columns[0].Len()
	rows := each.Row(n)
	slices.SortFunc(rows, func(a, b uint32) int {
		for _, c := range columns {
			if d := cmp.Compare(math.Floor(c.At(int(a))), math.Floor(c.At(int(b)))); d != 0 {
				return d
			}
		}
		return cmp.Compare(a, b)
	})
	return rows
}

// Predict returns about how many bytes a tree of n points takes. Nodes are
// about two thirds full.
func Predict(n, dim int) int64 {
	leaves := int64(n)*3/(2*most) + 1
	inner := leaves*3/(2*most-3) + 1
	return leaves*most*int64(8*dim+4) + inner*most*int64(16*dim+8) + (leaves+inner)*96
}

// Len returns the number of points.
func (t *Tree) Len() int { return t.size }

// insert adds a point.
func (t *Tree) insert(point []float64, row uint32) {
	t.size++
	if other := t.add(t.root, point, row); other != nil {
		root := &node{box: make([]float64, 0, 2*t.dim*(most+1)), children: make([]*node, 0, most+1)}
		for _, n := range []*node{t.root, other} {
			root.children = append(root.children, n)
			root.box = append(root.box, t.bounds(n)...)
		}
		t.root = root
	}
}

// add adds a point below n, and returns the new node if n had to be split.
func (t *Tree) add(n *node, point []float64, row uint32) *node {
	if n.isLeaf() {
		n.box = append(n.box, point...)
		n.rows = append(n.rows, row)
		return t.splitIfOver(n)
	}
	k := t.choose(n, point)
	other := t.add(n.children[k], point, row)
	if other == nil {
		enlarge(n.box[2*t.dim*k:2*t.dim*(k+1)], point)
		return nil
	}
	copy(n.box[2*t.dim*k:], t.bounds(n.children[k]))
	n.children = append(n.children, other)
	n.box = append(n.box, t.bounds(other)...)
	return t.splitIfOver(n)
}

// choose returns the child whose box grows least by a point, of these the one
// with the smallest. Boxes are measured by the sum of their sides, not by
// volume as Guttman has it, which is 0 for all boxes in a plane.
func (t *Tree) choose(n *node, point []float64) int {
	best, bestGrowth, bestSize := 0, math.Inf(1), math.Inf(1)
	for k := range n.children {
		box := n.box[2*t.dim*k : 2*t.dim*(k+1)]
		growth, size := 0.0, 0.0
		for j, x := range point {
			growth += max(box[j]-x, x-box[t.dim+j], 0) / t.extent[j]
			size += (box[t.dim+j] - box[j]) / t.extent[j]
		}
		if growth < bestGrowth || growth == bestGrowth && size < bestSize {
			best, bestGrowth, bestSize = k, growth, size
		}
	}
	return best
}

// enlarge makes a box include a point.
func enlarge(box, point []float64) {
	for j, x := range point {
		box[j] = min(box[j], x)
		box[len(point)+j] = max(box[len(point)+j], x)
	}
}

// bounds returns the box of all entries of a node.
func (t *Tree) bounds(n *node) []float64 {
	box := make([]float64, 2*t.dim)
	for j := range t.dim {
		box[j], box[t.dim+j] = math.Inf(1), math.Inf(-1)
	}
	for k := range n.count() {
		lo, hi := t.entry(n, k)
		for j := range t.dim {
			box[j] = min(box[j], lo[j])
			box[t.dim+j] = max(box[t.dim+j], hi[j])
		}
	}
	return box
}

// entry returns the least and the largest coordinates of an entry.
func (t *Tree) entry(n *node, k int) (lo, hi []float64) {
	if n.isLeaf() {
		lo = n.box[t.dim*k : t.dim*(k+1)]
		return lo, lo
	}
	b := n.box[2*t.dim*k : 2*t.dim*(k+1)]
	return b[:t.dim], b[t.dim:]
}
