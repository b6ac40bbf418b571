package kdtree

import (
	"math"

	"skyjoin/internal/kernel"
)

// A Nearest finds the k nearest points of a tree, in the order of (d², row).
// It belongs to one goroutine.
type Nearest struct {
	t     *Tree
	side  []float64 // periods, nil if there are none
	best  *list
	x     []float64 // the query
	skip  uint32    // row that is not to be found
	d2    []float64 // of the points of a leaf
	stack []visit
}

// NoRow is a row that no point has.
const NoRow = math.MaxUint32

// A visit is a node to be looked at, and a lower bound of d² in it.
type visit struct {
	node int
	d2   float64
}

// NewNearest returns a search for the k nearest points of t. side is nil or
// has the period of every dimension, 0 for none.
func NewNearest(t *Tree, k int, side []float64) *Nearest {
	s := &Nearest{t: t, side: side, best: newList(min(k, t.Points.N)), x: make([]float64, t.Points.Dim)}
	most := 0
	for i := range t.Leaves() {
		most = max(most, int(t.Start[i+1]-t.Start[i]))
	}
	s.d2 = make([]float64, most)
	return s
}

// Find returns the rows nearest to point i of q, but for row skip, and their
// d², in order. Both are valid until the next call. The search starts in the
// given leaf, which should be near the point.
func (s *Nearest) Find(q *kernel.Points, i int, skip uint32, leaf int) ([]uint32, []float64) {
	for c := range s.x {
		s.x[c] = q.Data[c*q.Stride+i]
	}
	s.skip = skip
	s.best.reset()
	node := s.t.Leaves() - 1 + leaf
	s.scan(leaf)
	for node > 0 {
		sibling := node + 1 - 2*(1-node&1)
		s.descend(sibling)
		node = (node - 1) / 2
	}
	return s.best.sorted()
}

// Leaf returns the leaf that point i of q is in or near.
func (s *Nearest) Leaf(q *kernel.Points, i int) int {
	for c := range s.x {
		s.x[c] = q.Data[c*q.Stride+i]
	}
	node := 0
	for node < s.t.Leaves()-1 {
		node = 2*node + 1
		if s.bound(node+1) < s.bound(node) {
			node++
		}
	}
	return node - (s.t.Leaves() - 1)
}

// useful reports whether a node can hold a point that belongs in the list.
func (s *Nearest) useful(node int, d2 float64) bool {
	return d2 < s.best.worst || d2 == s.best.worst && s.t.least[node] < s.best.worstRow
}

// descend searches below a node, near children first.
func (s *Nearest) descend(node int) {
	firstLeaf := s.t.Leaves() - 1
	s.stack = append(s.stack[:0], visit{node, s.bound(node)})
	for len(s.stack) > 0 {
		v := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if !s.useful(v.node, v.d2) {
			continue
		}
		if v.node >= firstLeaf {
			s.scan(v.node - firstLeaf)
			continue
		}
		near := visit{2*v.node + 1, s.bound(2*v.node + 1)}
		far := visit{2*v.node + 2, s.bound(2*v.node + 2)}
		if far.d2 < near.d2 || far.d2 == near.d2 && s.t.least[far.node] < s.t.least[near.node] {
			near, far = far, near
		}
		s.stack = append(s.stack, far, near)
	}
}

// bound returns a lower bound of d² of the query and the points of a node. The
// same operations in the same order as for d² make it one in floating point
// too: rounding is monotone.
func (s *Nearest) bound(node int) float64 {
	dim := s.t.Points.Dim
	box := s.t.box[2*dim*node : 2*dim*(node+1)]
	least, most := box[:dim], box[dim:]
	var sum float64
	for c, x := range s.x {
		d := max(least[c]-x, x-most[c], 0)
		if s.side != nil && s.side[c] > 0 {
			d = wrapBound(d, max(math.Abs(x-least[c]), math.Abs(x-most[c])), s.side[c])
		}
		sum += float64(d * d)
	}
	return sum
}

// wrapBound returns the least minimum image difference for absolute
// differences in [a, b].
func wrapBound(a, b, side float64) float64 { return max(min(a, side-b), 0) }

// scan looks at the points of a leaf.
func (s *Nearest) scan(leaf int) {
	p := &s.t.Points
	lo, hi := int(s.t.Start[leaf]), int(s.t.Start[leaf+1])
	d2 := s.d2[:hi-lo]
	s.squares(d2, lo)
	rows := p.ID[lo:hi]
	for i, v := range d2 {
		if v <= s.best.worst {
			if row := rows[i]; row != s.skip {
				s.best.offer(v, row)
			}
		}
	}
}

// squares sets d2 to the squared distances of the points from lo on.
func (s *Nearest) squares(d2 []float64, lo int) {
	p := &s.t.Points
	n := len(d2)
	if s.side == nil {
		switch p.Dim {
		case 2:
			x, y := s.x[0], s.x[1]
			px, py := p.Data[lo:lo+n], p.Data[p.Stride+lo:p.Stride+lo+n]
			for i := range d2 {
				a, b := x-px[i], y-py[i]
				d2[i] = float64(a*a) + float64(b*b)
			}
			return
		case 3:
			x, y, z := s.x[0], s.x[1], s.x[2]
			px, py, pz := p.Data[lo:lo+n], p.Data[p.Stride+lo:p.Stride+lo+n], p.Data[2*p.Stride+lo:2*p.Stride+lo+n]
			for i := range d2 {
				a, b, c := x-px[i], y-py[i], z-pz[i]
				d2[i] = float64(a*a) + float64(b*b) + float64(c*c)
			}
			return
		}
	}
	clear(d2)
	for c, x := range s.x {
		y := p.Data[c*p.Stride+lo : c*p.Stride+lo+n]
		if s.side != nil && s.side[c] > 0 {
			l := s.side[c]
			for i := range d2 {
				v := math.Abs(x - y[i])
				v = min(v, l-v)
				d2[i] += float64(v * v)
			}
			continue
		}
		for i := range d2 {
			v := x - y[i]
			d2[i] += float64(v * v)
		}
	}
}
