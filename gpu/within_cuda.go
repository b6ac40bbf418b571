//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"

	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// The published search is a join within one distance for all current rows: a row is
// done if it has at least K neighbours there, the K nearest of which are then the
// answer (Gowanlock, HybridKNN-Join, §4.2.2).
const (
	restShare  = 200     // a round does not pay for fewer than one in this many rows
	crowdedBy  = 16      // times K neighbours, beyond which a row is crowded …
	leastCrowd = 1 << 11 // … but not below this number
	leastBatch = 1 << 14 // neighbours from which a batch pays; fewer are moved instead

	withinBytes = 2 * (4 + 8) // on the card, for a neighbour found and one returned
)

// hold makes rows current, with their neighbours within the radius counted. It must
// run on the preparing thread.
func (r *nearestRun) hold(rows []uint32, radius float64) error {
	if err := r.index(radius); err != nil {
		return err
	}
	if r.j.cfg.Pattern == PatternDefault {
		return r.session.take(rows)
	}
	return r.session.takeBy(r.j.cfg, rows)
}

// index builds the index for the radius, unless it exists.
func (r *nearestRun) index(radius float64) error {
	s := r.session
	if err := r.upload(); err != nil {
		return err
	}
	if r.radius == radius {
		return nil
	}
	if r.radius > 0 {
		r.j.used.indexes.Add(1)
	}
	s.release()
	s.list, s.place, s.order = cuda.Buffer[uint32]{}, cuda.Buffer[uint32]{}, nil
	s.t, r.radius = radius*radius, radius
	l := layout{reach: 1} // a single cell
	if r.j.cfg.Pattern != PatternBrute {
		l = newLayout(r.extents, radius*slack, 1, querySpace(r.p).Side, coordinate(spaces(r.p)...))
	}
	q := begin(s.stream)
	q.do(func() error { return s.join.build(&s.memory, l, r.sides) })
	q.do(func() error {
		n := uint32(s.data.n)
		s.numbers = kept[uint32](q, &s.memory, s.data.n)
		if r.j.cfg.Pattern == PatternDefault {
			each(q, "positions", s.data.n, &positionsParams{Out: s.numbers.Ptr, N: n})
		} else { // any distance between a row and an image
			each(q, "places", s.data.n, &mapParams{In: s.data.id.Ptr, Out: s.numbers.Ptr, N: n})
		}
		return q.err
	})
	if q.err != nil {
		r.radius = 0
	}
	return q.err
}

// within delivers the current rows that have K neighbours, and returns those that
// have fewer, or were not delivered, and those that have too many.
func (r *nearestRun) within(ctx context.Context) (few, many []uint32, err error) {
	s, k := r.session, uint32(r.p.Nearest().K)
	tooMany := max(crowdedBy*k, leastCrowd)
	room := min(r.j.room(s, nearestRoom), r.j.batch(nearestRoom), uint64(r.j.spare(withinBytes)))
	left, err := drain(ctx, r.j.lanes, s.calm(room, tooMany, k), nil, func(worker int, l *lane, sp *span) (bool, error) {
		if err := l.rank(s, *sp, int(room)); err != nil {
			return true, err
		}
		return true, l.visitRanked(s, sp, func(b *neighbors.Batch) error { return r.visit(worker, b) })
	})
	undone := make(map[int]bool)
	for _, sp := range left {
		for i := sp.lo; i < sp.hi; i++ {
			undone[i] = true
		}
	}
	for i, row := range s.rows {
		switch n := s.found(i); {
		case n > tooMany:
			many = append(many, row)
		case n < k || len(undone) > 0 && undone[i]:
			few = append(few, row)
		}
	}
	return few, many, err
}

// calm divides the entries into spans that have, and ask for, at most room
// neighbours, leaving out entries with too many.
func (s *session) calm(room uint64, tooMany, k uint32) []span {
	most := max(int(room/uint64(k)), 1)
	var spans []span
	for lo := 0; lo < len(s.rows); {
		if s.found(lo) > tooMany {
			lo++
			continue
		}
		hi := lo + 1
		for hi < len(s.rows) && hi-lo < most && s.found(hi) <= tooMany && s.offset[hi+1]-s.offset[lo] <= room {
			hi++
		}
		if s.offset[hi] > s.offset[lo] {
			spans = append(spans, span{lo, hi})
		}
		lo = hi
	}
	return spans
}

// rank lists the neighbours of a span and copies the K nearest to the host, for the
// rows that have as many. Memory is allocated for spans of room neighbours, unless
// it is short.
func (l *lane) rank(s *session, sp span, room int) error {
	k := s.plan.Nearest().K
	base := s.offset[sp.lo]
	n, m := int(s.offset[sp.hi]-base), sp.hi-sp.lo
	return l.sequence(func(q *sequence) {
		listed := l.room(n, room)
		grow(q, &l.out, listed)
		grow(q, &l.d2, listed)
		l.makeRoom(q, l.room(m*k, room))
		offset := s.offsetD.Slice(sp.lo, sp.hi+1)
		p := rankParams{Query: s.query.params(), Data: s.data.params(), List: s.list.Ptr, Offset: offset.Ptr, Found: l.out.Ptr, D2: l.d2.Ptr,
			RowOut: l.rowOut.Ptr, DistOut: l.distOut.Ptr, Base: base, Lo: uint32(s.first + sp.lo), Hi: uint32(s.first + sp.hi), K: uint32(k)}
		kernel := "rank_%d"
		if s.box != nil {
			p.Box = *s.box
			kernel = "rank_wrapped_%d"
		}
		if s.pattern == nil {
			s.fillPositions(q, s.list, s.first+sp.lo, s.first+sp.hi, offset, base, l.out, s.numbers)
		} else {
			s.pattern.fillPositions(q, l, sp, n, offset, base)
		}
		launch(q, fmt.Sprintf(kernel, s.data.dim), ceilDiv(m, 4), 128, 0, &p)
		l.watch.transfer(q, func() {
			q.do(func() error {
				return firstError(cuda.Download(l.st, l.pinned[:m*k], l.rowOut), cuda.Download(l.st, l.pinnedDist[:m*k], l.distOut))
			})
		})
	})
}

// visitRanked passes on what the lane has copied to the host for a span: consecutive
// rows in place, and rows between others that are left out moved together. It
// removes from the span what has been passed on.
func (l *lane) visitRanked(s *session, sp *span, visit func(*neighbors.Batch) error) error {
	k, lo, n := s.plan.Nearest().K, sp.lo, sp.hi-sp.lo
	b := &l.near
	begin := 0 // place of the first row of the batch
	b.Rows, b.Offset = b.Rows[:0], append(b.Offset[:0], 0)
	flush := func(next int) error {
		from, to := begin*k, (begin+len(b.Rows))*k
		b.Index, b.Dist = l.pinned[from:to:to], l.pinnedDist[from:to:to]
		s.angles(b)
		if len(b.Rows) > 0 {
			if err := visit(b); err != nil {
				return err
			}
		}
		sp.lo = lo + next
		begin, b.Rows, b.Offset = next, b.Rows[:0], b.Offset[:1]
		return nil
	}
	for i := range n {
		if s.found(lo+i) < uint32(k) {
			if len(b.Rows) == 0 || len(b.Rows)*k >= leastBatch {
				if err := flush(i + 1); err != nil {
					return err
				}
			}
			continue
		}
		if at := begin + len(b.Rows); at < i {
			copy(l.pinned[at*k:(at+1)*k], l.pinned[i*k:(i+1)*k])
			copy(l.pinnedDist[at*k:(at+1)*k], l.pinnedDist[i*k:(i+1)*k])
		}
		b.Rows = append(b.Rows, s.rows[lo+i])
		b.Offset = append(b.Offset, int64(len(b.Rows)*k))
	}
	return flush(n)
}
