//go:build cuda && linux

package gpu

import (
	"context"

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

// failedShare is the part of a batch beyond which failures ask for a larger
// search distance (§4.5).
const failedShare = 0.25

// byRadius reports whether the nearest are searched for within a radius: as
// HYBRIDKNN-JOIN does, or with one of its kernels.
func (r *nearestRun) byRadius() bool { return r.j.cfg.Linear || r.j.cfg.Pattern != PatternDefault }

// choose chooses the first ε. It must run on the preparing thread.
func (r *nearestRun) choose() (err error) {
	if r.least == 0 {
		r.least, err = r.epsilon()
		r.search = r.least
	}
	return err
}

// first builds the index of the first ε, if there is one.
func (r *nearestRun) first() error {
	if err := r.choose(); err != nil || r.least == 0 {
		return err
	}
	return r.index(r.search)
}

// linear is rounds as published: the rows in hand within ε; ε grows by ε_min/2,
// with a new index, when more than a quarter of them fail. Failed rows are
// returned where others share the work, and else searched for again.
func (r *nearestRun) linear(ctx context.Context, rows []uint32, shared bool) (rest []uint32, err error) {
	there := r.p.DataLen()
	if r.p.Self() {
		there--
	}
	if r.p.Nearest().K > there {
		return rows, nil
	}
	if err := r.j.roomy(r.choose); err != nil {
		return rows, err
	}
	if r.least == 0 {
		return rows, nil
	}
	all, vain := len(rows), 0
	var crowded []uint32
	for range maxLinear {
		if len(rows) == 0 || len(rows) <= all/restShare || vain == maxVain {
			break
		}
		if err := r.j.roomy(func() error { return r.hold(rows, r.search) }); err != nil {
			return append(crowded, rows...), err
		}
		few, many, err := r.within(ctx)
		crowded = append(crowded, many...)
		if err != nil {
			return append(crowded, few...), err
		}
		if vain++; len(few)+len(many) < len(rows) {
			vain = 0
		}
		if float64(len(few)) > failedShare*float64(len(rows)) {
			r.search += r.least / 2
		}
		rows = few
		if shared {
			break
		}
		if len(few) > 0 && float64(len(few)) <= failedShare*float64(all) {
			r.search += r.least / 2 // the same again would fail again
		}
	}
	return append(crowded, rows...), nil
}

// maxLinear is after how many batches of a portion the tail is left to the CPU:
// there would be many more of few rows each. maxVain is after how many of them in
// a row that found nothing it is: what is that far from all others takes as many
// batches as it is times ε_min away.
const (
	maxLinear = 64
	maxVain   = 8
)
