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

// A Search finds points in a tree. It belongs to one goroutine.
type Search struct {
	// Rows and D2 are the rows found last, in any order, and their d².
	Rows []uint32
	D2   []float64
	// Tested counts the points that have been looked at, in all searches.
	Tested int64

	t     *Tree
	stack []*node
}

// NewSearch returns a Search in the tree.
func (t *Tree) NewSearch() *Search { return &Search{t: t} }

// Within finds all rows with d² ≤ t from a point, d² being summed in the order
// of the coordinates.
func (s *Search) Within(point []float64, t float64) {
	dim := s.t.dim
	s.Rows, s.D2 = s.Rows[:0], s.D2[:0]
	s.stack = append(s.stack[:0], s.t.root)
	for len(s.stack) > 0 {
		n := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if !n.isLeaf() {
			for k, child := range n.children {
				if boxSquare(point, n.box[2*dim*k:2*dim*(k+1)]) <= t {
					s.stack = append(s.stack, child)
				}
			}
			continue
		}
		s.Tested += int64(len(n.rows))
		for k, row := range n.rows {
			var d2 float64
			for j, y := range n.box[dim*k : dim*(k+1)] {
				x := point[j] - y
				d2 += float64(x * x)
			}
			if d2 <= t {
				s.Rows = append(s.Rows, row)
				s.D2 = append(s.D2, d2)
			}
		}
	}
}

// boxSquare is a lower bound of the computed d² of a point and any point in a
// box: every difference is rounded, squared and added in the same order, and
// rounding keeps order.
func boxSquare(point, box []float64) float64 {
	var sum float64
	for j, x := range point {
		d := max(box[j]-x, x-box[len(point)+j], 0)
		sum += float64(d * d)
	}
	return sum
}

// splitIfOver splits a node that has too many entries in two, and returns the
// second. Entries are sorted along one dimension and cut where the boxes of
// both parts have the smallest sides together: of all dimensions and cuts, the
// best.
//
// Source: Beckmann et al., The R*-tree (SIGMOD 1990), §4.2, with the sum of the
// sides alone to decide.
func (t *Tree) splitIfOver(n *node) *node {
	count := n.count()
	if count <= most {
		return nil
	}
	order, best := make([]int, count), make([]int, count)
	bestCut, bestSize := count/2, math.Inf(1)
	for j := range t.dim {
		for k := range order {
			order[k] = k
		}
		slices.SortFunc(order, func(a, b int) int {
			aLo, aHi := t.entry(n, a)
			bLo, bHi := t.entry(n, b)
			return cmp.Or(cmp.Compare(aLo[j], bLo[j]), cmp.Compare(aHi[j], bHi[j]), cmp.Compare(a, b))
		})
		if j == 0 {
			copy(best, order)
		}
		ahead, behind := t.sizes(n, order, false), t.sizes(n, order, true)
		for cut := least; cut <= count-least; cut++ {
			if size := ahead[cut-1] + behind[cut]; size < bestSize {
				bestCut, bestSize = cut, size
				copy(best, order)
			}
		}
	}
	first, second := t.part(n, best[:bestCut]), t.part(n, best[bestCut:])
	*n = *first
	return second
}

// sizes returns, for every place in an order of entries, the sum of the sides
// of the box of all entries up to it, or from it on if reverse.
func (t *Tree) sizes(n *node, order []int, reverse bool) []float64 {
	sizes := make([]float64, len(order))
	box := make([]float64, 2*t.dim)
	for j := range t.dim {
		box[j], box[t.dim+j] = math.Inf(1), math.Inf(-1)
	}
	for i := range order {
		if reverse {
			i = len(order) - 1 - i
		}
		lo, hi := t.entry(n, order[i])
		for j := range t.dim {
			box[j] = min(box[j], lo[j])
			box[t.dim+j] = max(box[t.dim+j], hi[j])
			sizes[i] += (box[t.dim+j] - box[j]) / t.extent[j]
		}
	}
	return sizes
}

// part returns a node of some of the entries of n.
func (t *Tree) part(n *node, entries []int) *node {
	wide := 2 * t.dim
	if n.isLeaf() {
		wide = t.dim
	}
	p := &node{box: make([]float64, 0, wide*(most+1))}
	for _, k := range entries {
		p.box = append(p.box, n.box[wide*k:wide*(k+1)]...)
		if n.isLeaf() {
			p.rows = append(p.rows, n.rows[k])
		} else {
			p.children = append(p.children, n.children[k])
		}
	}
	return p
}
