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
	refined int   // rounds in which points of the data with equal keys were refined

	publishedSearch
}

// A publishedSearch is what the published search keeps on the card, and its radii.
type publishedSearch struct {
	points  memory // the coordinates
	sides   [][]cuda.Buffer[float64]
	extents []extent
	radius  float64 // of the index; 0: there is none
	least   float64 // ε_min; 0: not chosen yet
	search  float64 // ε
}

// plant builds the tree, unless it exists. It must run on the preparing thread.
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
		// Queries that run at the same time only need to be near each other.
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

// upload copies the coordinates to the card, unless they are there.
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

// byRadius reports whether the nearest are searched for within a radius: as
// HYBRIDKNN-JOIN does, or with one of its kernels.
func (r *nearestRun) byRadius() bool { return r.j.cfg.Linear || r.j.cfg.Pattern != PatternDefault }
