//go:build cuda && linux

package gpu

import (
	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// A nearestRun is a Nearest plan on the card.
type nearestRun struct {
	j       *Joiner
	p       *neighbors.Plan
	visit   func(worker int, b *neighbors.Batch) error
	session *session
	tree    *tree // over the data; nil: not built yet
	refined int   // rounds that told points of the data apart

	publishedSearch
}

// A publishedSearch is what the published search has on the card, and its radii.
type publishedSearch struct {
	points  memory // the coordinates
	sides   [][]cuda.Buffer[float64]
	extents []extent
	radius  float64 // of the index; 0: there is none
	least   float64 // ε_min; 0: not chosen yet
	search  float64 // ε
}

// plant builds the tree, unless it is there. It must run on the preparing
// thread.
func (r *nearestRun) plant() error {
	if r.tree != nil {
		return nil
	}
	s := r.session
	q := begin(s.stream)
	defer q.end()
	sides, e := s.upload(q, &q.memory)
	sorted := func(c *curve, side int) (ix *index) {
		q.do(func() (err error) { ix, err = c.sorted(&s.memory, sides[side]); return err })
		return ix
	}
	c := curve{extents: e, step: layers(len(e), r.p.Nearest().K)}
	s.data = sorted(&c, len(sides)-1)
	r.refined = c.rounds
	if s.query = s.data; len(sides) > 1 {
		// Queries that run at the same time should be near each other: no more.
		s.query = sorted(&curve{extents: e}, 0)
	}
	q.do(func() error { r.tree = newTree(q, &s.memory, s.data); return nil })
	if q.sync() != nil {
		r.tree = nil
		s.release()
		return tooLarge(r.j.prepare, r.p, r.j.pointBytes(r.p), q.err)
	}
	return nil
}

// upload brings the coordinates to the card, unless they are there.
func (r *nearestRun) upload() error {
	if r.sides != nil {
		return nil
	}
	q := begin(r.session.stream)
	defer q.end()
	r.sides, r.extents = r.session.upload(q, &r.points)
	if q.err != nil {
		r.sides = nil
	}
	return tooLarge(r.j.prepare, r.p, r.j.pointBytes(r.p), q.err)
}

// A tree is a bounding volume tree over the points of one side, on the device:
// points that are near follow each other, 32 of them are a leaf, 32 nodes that
// follow each other a node of the next level. The least row of each node lets a
// search leave out nodes that are as near as its K-th neighbour is.
type tree struct {
	*index
	low, high cuda.Buffer[float64] // [dim][nodes], leaves first
	least     cuda.Buffer[uint32]
	first     []int // where the nodes of a level begin
	count     []int
}

const treeWidth = 32

// newTree builds the tree over points that are in order. It lives as long as m.
func newTree(q *sequence, m *memory, points *index) *tree {
	t := &tree{index: points}
	nodes := 0
	for n := points.n; n > 0 && (len(t.count) == 0 || n > treeWidth); {
		n = ceilDiv(n, treeWidth)
		t.first, t.count = append(t.first, nodes), append(t.count, n)
		nodes += n
	}
	t.low, t.high, t.least = kept[float64](q, m, points.dim*nodes), kept[float64](q, m, points.dim*nodes), kept[uint32](q, m, nodes)
	p := levelParams{Low: points.x.Ptr, High: points.x.Ptr, Least: points.id.Ptr, N: uint32(points.n), Stride: uint32(points.stride), Nodes: uint32(nodes), Dim: int32(points.dim)}
	for level, first := range t.first {
		p.LowOut, p.HighOut, p.LeastOut = slice(q, t.low, first, t.low.N).Ptr, slice(q, t.high, first, t.high.N).Ptr, slice(q, t.least, first, nodes).Ptr
		each(q, "tree_level", int(p.N), &p)
		p.Low, p.High, p.Least, p.N, p.Stride = p.LowOut, p.HighOut, p.LeastOut, uint32(t.count[level]), uint32(nodes)
	}
	return t
}

// params is the tree as the kernels see it.
func (t *tree) params() treeParams {
	p := treeParams{X: t.x.Ptr, ID: t.id.Ptr, Low: t.low.Ptr, High: t.high.Ptr, Least: t.least.Ptr,
		N: uint32(t.n), Stride: uint32(t.stride), Nodes: uint32(t.least.N), Levels: uint32(len(t.count))}
	for level := range t.count {
		p.First[level], p.Count[level] = uint32(t.first[level]), uint32(t.count[level])
	}
	return p
}
