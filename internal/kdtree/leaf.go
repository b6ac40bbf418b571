package kdtree

import (
	"math"
	"slices"

	"skyjoin/internal/kernel"
)

// maxLeaves is the number of candidate leaves beyond which queries go down the
// tree one by one.
const maxLeaves = 1024

// A near is a leaf that can hold neighbours of some query of a leaf, and a
// lower bound of d² between the two.
type near struct {
	leaf int
	d2   float64
}

// FindAll finds the nearest of several points of one leaf of the tree query,
// at the given positions, and calls visit for each in turn with its place in
// positions. If skip is set, a point's own row is not its neighbour.
//
// Queries of a leaf want much the same of the tree, so it is searched once for
// all: first every list is filled from one near leaf, then the leaves within
// the worst of these lists are found, and each query looks at those it needs,
// the nearest first.
func (s *Nearest) FindAll(query *Tree, leaf int, positions []uint32, skip bool, visit func(n int, rows []uint32, d2 []float64)) {
	q := &query.Points
	row := func(i uint32) uint32 {
		if skip {
			return q.ID[i]
		}
		return kernel.None
	}
	first := leaf
	if query != s.t {
		first = s.Leaf(q, int(positions[0]))
	}
	if s.heap != nil || len(positions) < 4 {
		for n, i := range positions {
			rows, d2 := s.Find(q, int(i), row(i), first)
			visit(n, rows, d2)
		}
		return
	}
	room := len(positions) * s.room
	s.dist, s.id = slices.Grow(s.dist[:0], room)[:room], slices.Grow(s.id[:0], room)[:room]
	kernel.ClearList(s.dist, s.id)
	worst := 0.0
	own := append(s.runs[:0], kernel.Run{Lo: s.t.Start[first], Hi: s.t.Start[first+1]})
	for n, i := range positions {
		s.begin(q, int(i), row(i))
		s.worst = math.Inf(1)
		s.merge(own, n)
		worst = max(worst, s.worst)
	}
	few := s.around(query, leaf, first, worst)
	for n, i := range positions {
		s.begin(q, int(i), row(i))
		s.worst, s.worstRow = math.Inf(1), kernel.None
		if s.k > 0 {
			s.worst, s.worstRow = s.dist[n*s.room+s.k-1], s.id[n*s.room+s.k-1]
		}
		if few {
			s.pick(n)
		} else {
			s.single(n, first)
		}
		rows, d2 := s.short(n)
		visit(n, rows, d2)
	}
}

// single searches the tree for the n-th query alone.
func (s *Nearest) single(n, first int) {
	dist, id := s.dist, s.id
	s.dist, s.id = s.dist[n*s.room:], s.id[n*s.room:]
	s.climb(first)
	s.dist, s.id = dist, id
}

// together is the number of leaves that one call of the kernel is given: each
// could tighten the bound for the next, but a call costs as much as a leaf.
const together = 3

// pick merges the leaves that the n-th query needs into its list.
func (s *Nearest) pick(n int) {
	dim := len(s.x)
	runs := s.runs[:0]
	for m, c := range s.leaves {
		if c.d2 > s.worst {
			break // as are all that follow
		}
		d2 := s.flatBound(s.boxes[2*dim*m : 2*dim*(m+1)])
		if d2 > s.worst || !s.useful(s.t.Leaves()-1+c.leaf, d2) {
			continue
		}
		runs = append(runs, kernel.Run{Lo: s.t.Start[c.leaf], Hi: s.t.Start[c.leaf+1]})
		if len(runs) == together {
			s.merge(runs, n)
			runs = runs[:0]
		}
	}
	s.merge(runs, n)
}

// flatBound is boxBound without periods, and without a branch on where the
// query is.
func (s *Nearest) flatBound(box []float64) float64 {
	x := s.x
	switch len(x) {
	case 2:
		box = box[:4]
		x = x[:2]
		d, e := gap(box[0]-x[0], x[0]-box[2]), gap(box[1]-x[1], x[1]-box[3])
		return float64(d*d) + float64(e*e)
	case 3:
		box = box[:6]
		x = x[:3]
		d, e, f := gap(box[0]-x[0], x[0]-box[3]), gap(box[1]-x[1], x[1]-box[4]), gap(box[2]-x[2], x[2]-box[5])
		return float64(d*d) + float64(e*e) + float64(f*f)
	}
	dim := len(x)
	least, most := box[:dim], box[dim:2*dim]
	var sum float64
	for c, x := range x {
		d := gap(least[c]-x, x-most[c])
		sum += float64(d * d)
	}
	return sum
}

// gap returns the largest of a, b and 0. As integers, the bits of numbers that
// are not negative have the order of the numbers, and those of others are
// negative: this compiles to moves on a condition, which max of numbers, that
// must mind NaN, does not.
func gap(a, b float64) float64 {
	return math.Float64frombits(uint64(max(int64(math.Float64bits(a)), int64(math.Float64bits(b)), 0)))
}

// around sets leaves to those within worst of a leaf of query, but for first,
// the nearest first. It returns false if there are too many.
func (s *Nearest) around(query *Tree, leaf, first int, worst float64) bool {
	dim := len(s.x)
	node, firstLeaf := query.Leaves()-1+leaf, s.t.Leaves()-1
	s.leaves = s.leaves[:0]
	s.stack = append(s.stack[:0], visit{node: 0})
	for len(s.stack) > 0 {
		v := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		d2 := boxDistance(query.box[2*dim*node:2*dim*(node+1)], s.t.box[2*dim*v.node:2*dim*(v.node+1)])
		switch {
		case d2 > worst || v.node == firstLeaf+first:
		case v.node < firstLeaf:
			s.stack = append(s.stack, visit{node: 2*v.node + 2}, visit{node: 2*v.node + 1})
		case len(s.leaves) == maxLeaves:
			return false
		default:
			s.leaves = append(s.leaves, near{leaf: v.node - firstLeaf, d2: d2})
		}
	}
	slices.SortFunc(s.leaves, nearer)
	s.boxes = s.boxes[:0]
	for _, c := range s.leaves {
		at := 2 * dim * (firstLeaf + c.leaf)
		s.boxes = append(s.boxes, s.t.box[at:at+2*dim]...)
	}
	return true
}

// nearer orders leaves by their bounds. These are no NaNs, which cmp.Compare
// would spend its time on.
func nearer(a, b near) int {
	switch {
	case a.d2 < b.d2:
		return -1
	case a.d2 > b.d2:
		return 1
	}
	return a.leaf - b.leaf
}

// boxDistance returns a lower bound of d² of points in two boxes, see
// [Nearest.boxBound].
func boxDistance(a, b []float64) float64 {
	dim := len(a) / 2
	b = b[:len(a)]
	var sum float64
	for c := range dim {
		d := gap(a[c]-b[dim+c], b[c]-a[dim+c])
		sum += float64(d * d)
	}
	return sum
}
