//go:build cuda && linux

package gpu

import (
	"context"

	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// takeBy makes query rows current in the order of a published kernel, which counts
// their neighbours and will list them.
func (s *session) takeBy(cfg Config, rows []uint32) error {
	if s.pattern != nil {
		s.pattern.release()
		s.pattern = nil
	}
	if err := s.hand(rows); err != nil {
		return err
	}
	pt, err := s.newPattern(cfg)
	if err != nil {
		return err
	}
	s.pattern, s.rows, s.list, s.whole = pt, pt.rows, pt.order, false
	q := begin(s.stream)
	defer q.end()
	s.count = pt.counts(q, &q.memory)
	s.sumUp(q, s.recalled(q))
	s.count = cuda.Buffer[uint32]{}
	return q.err
}

// fillPositions lists the n neighbours of a span of the current rows, as positions
// of the data, in the buffer of the lane.
func (pt *pattern) fillPositions(q *sequence, l *lane, sp span, n int, offset cuda.Buffer[uint64], base uint64) {
	pt.pairs(q, l, sp, uint64(n))
	grow(q, &l.cursor, sp.hi-sp.lo)
	cursor, wide := slice(q, l.cursor, 0, sp.hi-sp.lo), temp[uint64](q, n)
	fill(q, cursor, 0)
	each(q, "pair_places", n, &placeParams{Pairs: l.pairs.Ptr, Cursor: cursor.Ptr, Offset: offset.Ptr, Out: l.out.Ptr, N: uint64(n), Base: base})
	each(q, "lookup", n, &lookupParams{Place: pt.s.numbers.Ptr, Rows: l.out.Ptr, Keys: wide.Ptr, N: uint32(n)})
	each(q, "narrow", n, &mapParams{In: wide.Ptr, Out: l.out.Ptr, N: uint32(n)})
}

// publishedCounts counts with a published kernel.
func (j *Joiner) publishedCounts(s *session, work neighbors.Work, count []int64) error {
	err := j.roomy(func() error {
		pt, err := s.newPattern(j.cfg)
		if err != nil {
			return err
		}
		defer pt.release()
		q := begin(pt.stream)
		defer q.end()
		n, err := s.rowsToHost(q, pt.counts(q, &q.memory), &j.pinned)
		if err != nil {
			return err
		}
		for _, r := range s.rows {
			count[r] = int64(n[r])
		}
		return nil
	})
	if err != nil {
		work.Put(s.rows)
	}
	return err
}

// published delivers the lists of the current rows with a published kernel. Rows
// that it has taken after them, but not made current, are returned; rows not
// delivered are put back.
func (j *Joiner) published(ctx context.Context, s *session, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) (next []uint32, err error) {
	var pt *pattern
	err = j.roomy(func() (err error) { pt, err = s.newPattern(j.cfg); return err })
	if err != nil {
		work.Put(s.rows)
		return nil, err
	}
	defer func() {
		if pt != nil {
			j.releases(pt)
		}
	}()
	if isShared(work) {
		defer func() { pt = nil }() // it is released with its batches
		return nil, j.onStreams(ctx, s, pt, work, visit)
	}
	if pt.half {
		return nil, j.halfLists(ctx, s, pt, work, visit)
	}
	left, err := pt.run(ctx, j.lanes, func(worker int, l *lane, sp span, pairs int) error {
		b, err := pt.collect(l, sp, pairs)
		if err != nil {
			return err
		}
		s.measure(b)
		return visit(worker, b)
	})
	for _, sp := range left {
		work.Put(pt.rows[sp.lo:sp.hi:sp.hi])
	}
	return nil, err
}
