package kdtree

import (
	"math"

	"skyjoin/internal/kernel"
)

// shortList is the largest k whose lists the kernel keeps; longer ones, in
// which a place in the middle is dear to make, are heaps.
const shortList = 64

// A Nearest finds the k nearest points of a tree, in the order of (d², row).
// It belongs to one goroutine.
type Nearest struct {
	t     *Tree
	k     int
	side  []float64 // kernel.Sides of the periods, nil if there are none
	fn    *kernel.Funcs
	query *kernel.Points // where the query is
	i     int            // its position
	x     []float64      // its coordinates
	skip  uint32         // row that is not to be found

	worst    float64 // a pair that is not less than (worst, worstRow) has no place
	worstRow uint32
	room     int       // of a short list
	dist     []float64 // short lists, one after the other
	id       []uint32
	heap     *heap     // a long list, or one under periods
	d2       []float64 // of the points of a leaf, for the heap

	runs  []kernel.Run // here, as what a kernel is given escapes
	stack []visit
	group group
}

// A visit is a node to be looked at, and a lower bound of d² in it.
type visit struct {
	node int
	d2   float64
}

// NewNearest returns a search for the k nearest points of t. side is nil or
// has the period of every dimension, 0 for none.
func NewNearest(t *Tree, k int, side []float64) *Nearest {
	k = min(k, t.Points.N)
	s := &Nearest{runs: make([]kernel.Run, 0, 1), t: t, k: k, side: kernel.Sides(side), fn: kernel.Best(), x: make([]float64, t.Points.Dim)}
	s.newGroup()
	if s.side == nil && k <= shortList {
		s.room = kernel.ListLen(k)
		s.dist, s.id = make([]float64, s.room), make([]uint32, s.room)
		return s
	}
	s.heap = newHeap(k)
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
	s.begin(q, i, skip)
	if s.heap != nil {
		s.heap.reset()
	} else {
		kernel.ClearList(s.dist[:s.room], s.id[:s.room])
	}
	s.worst, s.worstRow = math.Inf(1), kernel.None
	s.scan(leaf)
	s.climb(leaf)
	if s.heap != nil {
		return s.heap.sorted()
	}
	return s.short(0)
}

// short returns the n-th short list.
func (s *Nearest) short(n int) ([]uint32, []float64) {
	id, dist := s.id[n*s.room:][:s.k], s.dist[n*s.room:][:s.k]
	found := s.k
	for found > 0 && id[found-1] == kernel.None {
		found--
	}
	return id[:found], dist[:found]
}

// begin makes point i of q the query.
func (s *Nearest) begin(q *kernel.Points, i int, skip uint32) {
	s.query, s.i, s.skip = q, i, skip
	for c := range s.x {
		s.x[c] = q.Data[c*q.Stride+i]
	}
}

// climb searches the rest of the tree, from a leaf that has been looked at
// upwards.
func (s *Nearest) climb(leaf int) {
	node := s.t.Leaves() - 1 + leaf
	for node > 0 {
		sibling := node + 1 - 2*(1-node&1)
		s.descend(sibling)
		node = (node - 1) / 2
	}
}

// Leaf returns the leaf that point i of q is in or near.
func (s *Nearest) Leaf(q *kernel.Points, i int) int {
	s.begin(q, i, kernel.None)
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
	return d2 < s.worst || d2 == s.worst && s.t.least[node] < s.worstRow
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
		if s.useful(far.node, far.d2) {
			s.stack = append(s.stack, far)
		}
		s.stack = append(s.stack, near)
	}
}

// bound returns a lower bound of d² of the query and the points of a node.
func (s *Nearest) bound(node int) float64 {
	dim := s.t.Points.Dim
	return s.boxBound(s.t.box[2*dim*node : 2*dim*(node+1)])
}

// boxBound returns a lower bound of d² of the query and points in a box. The
// same operations in the same order as for d² make it a bound in floating point
// too: rounding is monotone.
func (s *Nearest) boxBound(box []float64) float64 {
	dim := len(s.x)
	least, most := box[:dim], box[dim:2*dim]
	var sum float64
	for c, x := range s.x {
		d := 0.0
		if x < least[c] {
			d = least[c] - x
		} else if x > most[c] {
			d = x - most[c]
		}
		if s.side != nil {
			d = wrapBound(d, max(math.Abs(x-least[c]), math.Abs(x-most[c])), s.side[c])
		}
		sum += float64(d * d)
	}
	return sum
}

// wrapBound returns the least minimum image difference for absolute
// differences in [a, b]. They can be infinite where the side is.
func wrapBound(a, b, side float64) float64 {
	if side > math.MaxFloat64 {
		return a
	}
	return max(min(a, side-b), 0)
}

// scan looks at the points of a leaf.
func (s *Nearest) scan(leaf int) {
	p := &s.t.Points
	lo, hi := s.t.Start[leaf], s.t.Start[leaf+1]
	if s.heap == nil {
		s.merge(append(s.runs[:0], kernel.Run{Lo: lo, Hi: hi}), 0)
		return
	}
	d2 := s.d2[:hi-lo]
	s.squares(d2, int(lo))
	rows := p.ID[lo:hi]
	for i, v := range d2 {
		if v <= s.heap.worst {
			if row := rows[i]; row != s.skip {
				s.heap.offer(v, row)
			}
		}
	}
	s.worst, s.worstRow = s.heap.worst, s.heap.worstRow
}

// merge merges points into the n-th short list.
func (s *Nearest) merge(runs []kernel.Run, n int) {
	if s.k == 0 || len(runs) == 0 {
		return
	}
	dist, id := s.dist[n*s.room:(n+1)*s.room], s.id[n*s.room:(n+1)*s.room]
	s.fn.Nearest(s.query, s.i, &s.t.Points, runs, s.skip, s.k, dist, id)
	s.worst, s.worstRow = dist[s.k-1], id[s.k-1]
}

// squares sets d2 to the squared distances of the points from lo on.
func (s *Nearest) squares(d2 []float64, lo int) {
	p := &s.t.Points
	if s.side != nil {
		kernel.WrappedSquares(s.query, s.i, p, lo, s.side, d2)
		return
	}
	clear(d2)
	for c, x := range s.x {
		y := p.Data[c*p.Stride+lo:][:len(d2)]
		for i := range d2 {
			v := x - y[i]
			d2[i] += float64(v * v)
		}
	}
}

// A group is what searches for the nearest of many queries at once need beyond
// those of one. Queries of a leaf want much the same of the tree: the density
// near them lets guess how far their neighbours are, so the leaves within that
// distance of all of them are found once, and the kernel takes from these what
// is near each query. Queries for which the distance was too short look again
// further.
type group struct {
	need   int
	crowd  int       // and candidates that are not too many
	factor float64   // between guesses by volume and distances that suffice
	ball   []float64 // volumes of balls of radius 1
	wraps  bool      // some query can have neighbours across an edge
	boxes  kernel.Boxes
	total  int // points of the runs
	room   kernel.Candidates
	left   []int     // places of queries that are not settled: there were too few
	many   []crowded // and too many candidates
	lone   []int     // and those to be looked for one by one
	most   int       // maxTogether, less in tests
	point  []float64 // the box of one query
	dist   []float64
	id     []uint32
}

// A crowded query has too many candidates.
type crowded struct {
	n     int // its place
	found uint32
}

func (s *Nearest) newGroup() {
	g := &s.group
	g.factor, g.most, g.crowd = 1.3, maxTogether, kernel.MostLeast(s.k)
	g.dist, g.id = make([]float64, s.k+kernel.Slack), make([]uint32, s.k+kernel.Slack)
	g.ball = []float64{1, 2}
	for d := 2; d <= len(s.x); d++ {
		g.ball = append(g.ball, g.ball[d-2]*2*math.Pi/float64(d))
	}
}
