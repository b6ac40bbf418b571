//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math"

	"skyjoin/internal/cuda"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// The K nearest are searched for in a tree over the data, which takes one pass
// whatever the distribution of the points: a warp for each query, in the order
// of a curve, so that those that run at the same time go the same ways. K beyond
// maxNearest is left to the CPU's joiner.
const (
	maxNearest  = 1024    // what blocks in shared memory hold
	nearestRoom = 4 << 20 // neighbours of a batch: little to pin, enough to keep a card busy
	fewNearest  = 32      // neighbours that lanes hold in registers

	nearestBytes = 4 + 8 // on the card and pinned for a neighbour that is returned

	nearestThreads = 128
	nearestShared  = 48 << 10 // of a block, which every card has
)

// A sharer is a Work that others take from too: rows that are given back come
// to them, and need not be done here whatever it costs.
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
		if err := ctx.Err(); err != nil {
			work.Put(rows)
			return err
		}
		if rows == nil {
			rows = work.Take(math.MaxInt, 0)
		}
		if rows == nil {
			return nil
		}
		next, rest, err := r.deliver(ctx, rows, work)
		if err == nil && len(rest) > 0 && !isShared(work) {
			// The CPU puts what it does not deliver back into a work of its own.
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

// deliver delivers the nearest of the rows, and of those that follow them in the
// order of the tree, so that no lane waits for the others at the end of each
// portion. It returns the rows that come next, and those that are left.
func (r *nearestRun) deliver(ctx context.Context, rows []uint32, work neighbors.Work) (next, rest []uint32, err error) {
	k := r.p.Nearest().K
	if k > maxNearest || r.p.DataLen() == 0 {
		return nil, rows, nil
	}
	if r.j.cfg.Linear {
		rest, err = r.linear(ctx, rows, isShared(work))
		return nil, rest, err
	}
	s := r.session
	var first span
	err = r.j.prepare.Do(func() error {
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
	left, err := drain(ctx, r.j.lanes, cut(first), more, func(worker int, l *lane, sp span) (bool, error) {
		if err := l.nearest(s, r.tree, sp, min(room, len(s.rows)*k)); err != nil {
			return true, err
		}
		return true, r.visit(worker, l.ranked(s, sp))
	})
	for _, sp := range left {
		rest = append(rest, s.rows[sp.lo:sp.hi]...)
	}
	return next, rest, err
}

// arrange tells the work of the order of the rows on the card.
func (r *nearestRun) arrange(a arranger) error {
	if r.p.Len() == 0 || r.p.DataLen() == 0 {
		return nil
	}
	return r.j.prepare.Do(func() error {
		index := r.plant
		if r.j.cfg.Linear {
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

// plant builds the tree, unless it is there. It must run on the preparing
// thread.
func (r *nearestRun) plant() error {
	if r.tree != nil {
		return nil
	}
	s := r.session
	given := &memory{stream: s.stream}
	defer given.release()
	err := func() error {
		sides, e, err := s.upload(given)
		if err != nil {
			return err
		}
		c := curve{extents: e, step: slabs(len(e), r.p.Nearest().K)}
		if s.data, err = c.sorted(&s.memory, sides[len(sides)-1]); err != nil {
			return err
		}
		r.refined = c.rounds
		if s.query = s.data; len(sides) > 1 {
			// Queries that run at the same time are to be near each other: no more.
			if s.query, err = (&curve{extents: e}).sorted(&s.memory, sides[0]); err != nil {
				return err
			}
		}
		if r.tree, err = newTree(&s.memory, s.data); err != nil {
			return err
		}
		return s.stream.Sync()
	}()
	if err != nil {
		r.tree = nil
		s.release()
		return tooLarge(r.j.prepare, r.p, r.j.pointBytes(r.p), err)
	}
	return nil
}

// nearestRoom is the number of neighbours of a batch, of so many in all: enough
// batches that every lane gets several, as long as lanes have memory for them.
func (j *Joiner) nearestRoom(total int) int {
	if j.cfg.Batch > 0 {
		return j.cfg.Batch
	}
	lanes := len(j.lanes)
	room := min(max(total/(4*lanes), smallRoom), nearestRoom)
	if j.cfg.Memory > 0 {
		room = min(room, int(j.cfg.Memory/int64(nearestBytes*lanes)))
	}
	return max(min(room, j.spare(nearestBytes)), 1)
}

// spare is the number of neighbours that batches have memory for on every lane:
// what lanes hold already, or half of what is free at so many bytes each.
func (j *Joiner) spare(bytes int64) int {
	held := j.lanes[0].distOut.N
	for _, l := range j.lanes {
		held = min(held, l.distOut.N)
	}
	free, _, err := j.ctx.Free()
	if err != nil {
		return nearestRoom
	}
	return max(held, int(free/2/bytes/int64(len(j.lanes))), 1)
}

// nearest brings the K nearest of a span to the host. Memory is taken for
// that room, so that it serves other spans too.
func (l *lane) nearest(s *session, t *tree, sp span, room int) error {
	k := s.plan.Nearest().K
	m := sp.hi - sp.lo
	room = max(m*k, room)
	return l.st.Do(func() error {
		err := firstError(grow(l.st, &l.rowOut, room), grow(l.st, &l.distOut, room),
			growPinned(l.st, &l.pinned, room), growPinned(l.st, &l.pinnedDist, room))
		if err != nil {
			return err
		}
		return firstError(
			s.launchNearest(l.st, t, sp, l.rowOut, l.distOut),
			l.watch.transfer(l.st, func() error {
				err := cuda.Download(l.st, l.pinned[:m*k], l.rowOut)
				if err != nil || s.plan.IsAngle() {
					return err
				}
				return cuda.Download(l.st, l.pinnedDist[:m*k], l.distOut)
			}))
	})
}

// launchNearest runs the search for a span of the rows in hand.
func (s *session) launchNearest(st *cuda.Stream, t *tree, sp span, rows cuda.Buffer[uint32], dist cuda.Buffer[float64]) error {
	k := s.plan.Nearest().K
	p := nearestParams{Tree: t.params(), X: s.query.x.Ptr, List: s.list.Ptr, RowOut: rows.Ptr, DistOut: dist.Ptr,
		Stride: uint32(s.query.stride), Lo: uint32(s.first + sp.lo), Hi: uint32(s.first + sp.hi), K: uint32(k), Blocks: uint32(ceilDiv(k, 32))}
	if s.self {
		p.Self = 1
	}
	list, wrapped := "few", ""
	if k > fewNearest {
		list = "many"
	}
	if s.box != nil {
		p.Box = *s.box
		wrapped = "_wrapped"
	}
	each := nearestMemory(len(t.count), k)
	warps := min(nearestThreads/32, nearestShared/max(each, 1))
	return cuda.Launch(st, fmt.Sprintf("nearest_%s%s_%d", list, wrapped, s.query.dim), ceilDiv(sp.hi-sp.lo, warps), 32*warps, warps*each, &p)
}

// nearestMemory is the shared memory of a warp: the bounds of the nodes of every
// level but the first, and more neighbours than lanes hold, with 64 that wait.
func nearestMemory(levels, k int) int {
	bytes := (levels - 1) * 32 * 8
	if k > fewNearest {
		bytes += (ceilDiv(k, 32) + 2) * 32 * (8 + 4)
	}
	return bytes
}

// ranked is the batch of a span that the lane has brought to the host.
func (l *lane) ranked(s *session, sp span) *neighbors.Batch {
	k := s.plan.Nearest().K
	b := &l.near
	b.Rows, b.Offset = s.rows[sp.lo:sp.hi:sp.hi], append(b.Offset[:0], 0)
	for i := range b.Rows {
		b.Offset = append(b.Offset, int64((i+1)*k))
	}
	n := len(b.Rows) * k
	b.Index, b.Dist = l.pinned[:n:n], l.pinnedDist[:n:n]
	s.angles(b)
	return b
}

// angles writes the distances of a batch on the sky, which are not the roots of
// d².
func (s *session) angles(b *neighbors.Batch) {
	if !s.plan.IsAngle() {
		return
	}
	par.Chunks(min(par.Threads(0), 1+len(b.Index)/4096), len(b.Rows), func(_, lo, hi int) {
		for i, r := range b.Rows[lo:hi] {
			dist := b.Dists(lo + i)
			for c, q := range b.List(lo + i) {
				if dist[c] = math.Inf(1); q != neighbors.None {
					dist[c] = s.plan.Distance(r, q)
				}
			}
		}
	})
}
