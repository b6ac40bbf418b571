//go:build cuda && linux

package gpu

import (
	"context"
	"math"

	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// The K nearest are found in a tree over the data, in one pass for any distribution
// of the points: a warp for each query, in the order of a curve, so that queries
// that run at the same time visit the same nodes. K beyond maxNearest is left to the
// CPU's joiner.
const maxNearest = 1024 // as many as shared memory holds per block

// A sharer is a Work that other joiners take from too: they can do rows that are put
// back, so that these need not be done here at any cost.
type sharer interface{ Shared() bool }

func isShared(work neighbors.Work) bool {
	w, ok := work.(sharer)
	return ok && w.Shared()
}

// nearest carries out a Nearest plan.
func (j *Joiner) nearest(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) error {
	r := &nearestRun{j: j, p: p, visit: visit, session: &session{memory: memory{stream: j.prepare}, plan: p, used: &j.used, kept: j.keep()}, publishedSearch: publishedSearch{points: memory{stream: j.prepare}}}
	defer func() {
		_ = j.prepare.Do(func() error {
			r.session.release()
			r.points.release()
			return nil
		})
	}()
	if a, ok := work.(arranger); ok {
		if err := r.arrange(a); err != nil {
			return err
		}
	}
	var rows []uint32
	for {
		var err error
		if rows, err = goOn(ctx, work, rows); rows == nil {
			return err
		}
		next, rest, err := r.deliver(ctx, rows, work)
		if err == nil && len(rest) > 0 && !isShared(work) {
			// The CPU puts rows that it does not deliver back into a work of its
			// own.
			own := neighbors.NewWork(rest, nil)
			err = neighbors.CPU{Threads: len(j.lanes)}.Visit(ctx, p, own, visit)
			rest = nil
			for left := own.Take(math.MaxInt, 0); left != nil; left = own.Take(math.MaxInt, 0) {
				rest = append(rest, left...)
			}
		}
		work.Put(rest)
		if err != nil {
			work.Put(next)
			return err
		}
		rows = next
	}
}

// deliver delivers the nearest of the rows, and of those that follow them in the
// order of the tree, so that no lane waits for the others at the end of each
// portion. It returns the rows to continue with, and the remaining ones.
func (r *nearestRun) deliver(ctx context.Context, rows []uint32, work neighbors.Work) (next, rest []uint32, err error) {
	k := r.p.Nearest().K
	if k > maxNearest || r.p.DataLen() == 0 {
		return nil, rows, nil
	}
	if r.byRadius() {
		rest, err = r.linear(ctx, rows, isShared(work))
		return nil, rest, err
	}
	s := r.session
	var first span
	err = r.j.roomy(func() error {
		if err := r.plant(); err != nil {
			return err
		}
		var ok bool
		if s.order != nil {
			first, ok = s.part(rows)
		}
		if ok {
			s.rows, s.list, s.first, s.whole = s.order, cuda.Buffer[uint32]{}, 0, true
			return nil
		}
		first, s.whole = span{0, len(rows)}, false
		return s.follow(rows)
	})
	if err != nil {
		return nil, rows, err
	}
	room := r.j.nearestRoom(len(rows) * k)
	cut := func(part span) (spans []span) {
		for lo, most := part.lo, max(room/k, 1); lo < part.hi; lo += most {
			spans = append(spans, span{lo, min(lo+most, part.hi)})
		}
		return spans
	}
	more := func() []span {
		if !s.whole {
			return nil
		}
		rows := work.Take(math.MaxInt, 0)
		if rows == nil {
			return nil
		}
		part, ok := s.part(rows)
		if !ok {
			next = rows
			return nil
		}
		return cut(part)
	}
	left, err := drain(ctx, r.j.lanes, cut(first), more, func(worker int, l *lane, sp *span) (bool, error) {
		if err := l.nearest(s, r.tree, *sp, min(room, len(s.rows)*k)); err != nil {
			return true, err
		}
		return true, r.visit(worker, l.ranked(s, *sp))
	})
	for _, sp := range left {
		rest = append(rest, s.rows[sp.lo:sp.hi]...)
	}
	return next, rest, err
}

// arrange tells the work the order of the rows on the card.
func (r *nearestRun) arrange(a arranger) error {
	if r.p.Len() == 0 || r.p.DataLen() == 0 {
		return nil
	}
	return r.j.roomy(func() error {
		index := r.plant
		if r.byRadius() {
			index = r.first
		}
		if err := index(); err != nil || r.session.query == nil {
			return err
		}
		order, err := r.session.ordered()
		if err == nil {
			a.Arrange(order)
		}
		return err
	})
}
