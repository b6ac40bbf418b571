package kdtree

import (
	"math"

	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// A Measure turns squared distances into heights, which are what is compared.
type Measure interface {
	// Height returns the height of point i of q and point j of p, whose squared
	// distance is d2. It does not decrease with d2 but for rounding.
	Height(q *kernel.Points, i int, p *kernel.Points, j int, d2 float64) float64
	// Within returns a squared distance beyond which no height is at most h.
	Within(h float64) float64
}

// Mixed is the group of a node whose points are in several.
const Mixed uint32 = math.MaxUint32

// A Reach says how far the points of a tree are from others: the reach of a
// query with the floor f and of point j is max(f, Floor[j], height), the mutual
// reachability distance where floors are core distances.
type Reach struct {
	Measure Measure
	Side    []float64 // of the periods, nil if there are none
	Floor   []float64 // of every point, in the order of the leaves; nil: 0
	Group   []uint32  // of every point: those of a query's own are left out; nil: none are

	t     *Tree
	least []float64 // floor of a node
	group []uint32  // of a node, or Mixed
}

// NewReach returns a Reach in t. side, floor and group are as in [Reach].
func NewReach(t *Tree, m Measure, side, floor []float64, group []uint32, threads int) *Reach {
	r := &Reach{Measure: m, Side: kernel.Sides(side), Floor: floor, Group: group, t: t}
	if floor != nil {
		r.least = make([]float64, len(t.least))
		t.fold(threads, func(node, lo, hi int) {
			v := math.Inf(1)
			for _, f := range floor[lo:hi] {
				v = min(v, f)
			}
			r.least[node] = v
		}, func(node int) { r.least[node] = min(r.least[2*node+1], r.least[2*node+2]) })
	}
	if group != nil {
		r.group = make([]uint32, len(t.least))
	}
	return r
}

// Regroup reads Group anew.
func (r *Reach) Regroup(threads int) {
	r.t.fold(threads, func(node, lo, hi int) {
		g := r.Group[lo]
		for _, o := range r.Group[lo:hi] {
			if o != g {
				g = Mixed
				break
			}
		}
		r.group[node] = g
	}, r.join)
}

// join sets the group of an inner node by those of its children.
func (r *Reach) join(node int) {
	r.group[node] = r.group[2*node+1]
	if r.group[2*node+2] != r.group[node] {
		r.group[node] = Mixed
	}
}

// Move puts a leaf, all points of which are in one group now, and the nodes
// above of which that is true, into that group.
func (r *Reach) Move(leaf int) {
	node := r.t.Leaves() - 1 + leaf
	r.group[node] = r.Group[r.t.Start[leaf]]
	for node > 0 {
		node = (node - 1) / 2
		if r.join(node); r.group[node] == Mixed {
			return
		}
	}
}

// fold visits all leaves, with their points [lo, hi), and then the nodes above,
// children first.
func (t *Tree) fold(threads int, leaf func(node, lo, hi int), inner func(node int)) {
	first := t.Leaves() - 1
	par.Chunks(threads, t.Leaves(), func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			leaf(first+k, int(t.Start[k]), int(t.Start[k+1]))
		}
	})
	for node := first - 1; node >= 0; node-- {
		inner(node)
	}
}

// A Closest finds the point of the least (reach, row). It belongs to one
// goroutine.
type Closest struct {
	r     *Reach
	near  *Nearest // whose bounds of d² it uses
	query *kernel.Points
	i     int
	floor float64
	group uint32

	best Found
	row  uint32
	t    float64 // squared distances beyond which nothing is better
	d2   []float64
}

// A Found is a point by its position in the tree, and its reach. A reach that is
// looked for without success has the position None.
type Found struct {
	Position uint32
	Reach    float64
}

// NewClosest returns a search in r.
func NewClosest(r *Reach) *Closest {
	most := 0
	for i := range r.t.Leaves() {
		most = max(most, int(r.t.Start[i+1]-r.t.Start[i]))
	}
	near := &Nearest{t: r.t, side: r.Side, x: make([]float64, r.t.Points.Dim)}
	return &Closest{r: r, near: near, d2: make([]float64, most)}
}

// Find returns the point of the least reach from point i of q, which has the
// given floor and group, ties going to the lowest row. Its reach must be at most
// the limit. The search starts in a leaf, which should be near the point.
func (s *Closest) Find(q *kernel.Points, i int, floor float64, group uint32, leaf int, limit float64) Found {
	s.query, s.i, s.floor, s.group = q, i, floor, group
	s.best, s.row = Found{kernel.None, limit}, kernel.None
	if floor > limit {
		return s.best
	}
	s.near.begin(q, i, kernel.None)
	s.t = s.r.Measure.Within(limit)
	node := s.r.t.Leaves() - 1 + leaf
	s.descend(node)
	for node > 0 {
		sibling := node + 1 - 2*(1-node&1)
		s.descend(sibling)
		node = (node - 1) / 2
	}
	return s.best
}

// Leaf returns the leaf that point i of q is in or near.
func (s *Closest) Leaf(q *kernel.Points, i int) int { return s.near.Leaf(q, i) }

// useful reports whether a node can hold a point better than the best.
func (s *Closest) useful(node int, d2 float64) bool {
	if d2 > s.t || s.r.group != nil && s.r.group[node] == s.group {
		return false
	}
	floor := s.floor
	if s.r.least != nil {
		floor = max(floor, s.r.least[node])
	}
	return floor < s.best.Reach || floor == s.best.Reach && s.r.t.least[node] < s.row
}

// descend searches below a node, near children first.
func (s *Closest) descend(node int) {
	n := s.near
	firstLeaf := s.r.t.Leaves() - 1
	n.stack = append(n.stack[:0], visit{node, n.bound(node)})
	for len(n.stack) > 0 {
		v := n.stack[len(n.stack)-1]
		n.stack = n.stack[:len(n.stack)-1]
		if !s.useful(v.node, v.d2) {
			continue
		}
		if v.node >= firstLeaf {
			s.scan(v.node - firstLeaf)
			continue
		}
		near := visit{2*v.node + 1, n.bound(2*v.node + 1)}
		far := visit{2*v.node + 2, n.bound(2*v.node + 2)}
		if far.d2 < near.d2 || far.d2 == near.d2 && s.r.t.least[far.node] < s.r.t.least[near.node] {
			near, far = far, near
		}
		n.stack = append(n.stack, far, near)
	}
}

// scan looks at the points of a leaf.
func (s *Closest) scan(leaf int) {
	p := &s.r.t.Points
	lo, hi := int(s.r.t.Start[leaf]), int(s.r.t.Start[leaf+1])
	d2 := s.d2[:hi-lo]
	s.near.squares(d2, lo)
	for k, v := range d2 {
		if !(v <= s.t) || s.r.Group != nil && s.r.Group[lo+k] == s.group {
			continue
		}
		reach := s.floor
		if s.r.Floor != nil {
			reach = max(reach, s.r.Floor[lo+k])
		}
		if reach > s.best.Reach {
			continue
		}
		reach = max(reach, s.r.Measure.Height(s.query, s.i, p, lo+k, v))
		row := p.ID[lo+k]
		if reach < s.best.Reach || reach == s.best.Reach && row < s.row {
			if reach < s.best.Reach {
				s.t = s.r.Measure.Within(reach)
			}
			s.best, s.row = Found{uint32(lo + k), reach}, row
		}
	}
}
