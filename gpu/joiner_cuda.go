//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"skyjoin/internal/cuda"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

const (
	defaultRoom = 8 << 20 // neighbours of a batch: 32 MB pinned and on the device, per stream
	smallRoom   = 1 << 16
)

// Workers implements neighbors.Visitor.
func (j *Joiner) Workers() int { return len(j.lanes) }

// supports refuses what the GPU does not do.
func supports(p *neighbors.Plan) error {
	if d := p.QuerySpace().Dim(); d > maxDim {
		return fmt.Errorf("%w: %d dimensions, the GPU has kernels for up to %d", errors.ErrUnsupported, d, maxDim)
	}
	return nil
}

// Visit implements neighbors.Visitor: one worker per stream.
func (j *Joiner) Visit(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) error {
	if err := supports(p); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if p.Nearest() != nil {
		return j.nearest(ctx, p, work, visit)
	}
	return j.each(ctx, p, work, true, j.take, func(s *session) error {
		if j.cfg.Pattern != PatternDefault && p.DataLen() > 0 {
			return j.published(ctx, s, work, visit)
		}
		return j.lists(ctx, s, work, visit)
	})
}

// Count implements neighbors.Counter.
func (j *Joiner) Count(ctx context.Context, p *neighbors.Plan, work neighbors.Work, count []int64) error {
	if err := supports(p); err != nil {
		return err
	}
	if p.Within() == nil {
		return fmt.Errorf("%w: a count needs a radius", neighbors.ErrRequest)
	}
	if len(count) != p.Len() {
		return fmt.Errorf("%w: room for %d counts, there are %d rows", neighbors.ErrRequest, len(count), p.Len())
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	take := j.take
	if j.cfg.Pattern == PatternDefault {
		take = func(s *session, rows []uint32) error {
			if s.known != nil {
				s.rows = rows
				return nil
			}
			if len(rows) < p.Len() {
				return s.take(rows)
			}
			found, err := s.counts(&j.pinned)
			if err == nil {
				widen(count, found)
				s.rows = nil // nothing is left to do for them
			}
			return err
		}
	}
	return j.each(ctx, p, work, false, take, func(s *session) error {
		if j.cfg.Pattern != PatternDefault && p.DataLen() > 0 {
			return j.publishedCounts(s, work, count)
		}
		par.Chunks(par.Threads(0), len(s.rows), func(_, lo, hi int) {
			for i, r := range s.rows[lo:hi] {
				if s.known != nil {
					count[r] = int64(s.known[r])
				} else {
					count[r] = int64(s.found(lo + i))
				}
			}
		})
		return nil
	})
}

// widen copies counts.
func widen(to []int64, from []uint32) {
	par.Chunks(par.Threads(0), len(from), func(_, lo, hi int) {
		for i, n := range from[lo:hi] {
			to[lo+i] = int64(n)
		}
	})
}

// take puts rows in hand for the configured kernels.
func (j *Joiner) take(s *session, rows []uint32) error {
	if j.cfg.Pattern != PatternDefault {
		return s.hand(rows)
	}
	return s.take(rows)
}

// publishedCounts counts with a published kernel.
func (j *Joiner) publishedCounts(s *session, work neighbors.Work, count []int64) error {
	err := j.prepare.Do(func() error {
		pt, err := s.newPattern(j.cfg)
		if err != nil {
			return err
		}
		defer pt.release()
		found, err := pt.counts(&pt.memory)
		if err != nil {
			return err
		}
		n, err := s.byRow(found, &j.pinned)
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

// published delivers the lists of the rows in hand by a published kernel.
// Rows not delivered go back.
func (j *Joiner) published(ctx context.Context, s *session, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) error {
	var pt *pattern
	err := j.prepare.Do(func() (err error) { pt, err = s.newPattern(j.cfg); return err })
	if err != nil {
		work.Put(s.rows)
		return err
	}
	defer func() { _ = j.prepare.Do(func() error { pt.release(); return nil }) }()
	if pt.half {
		if err := pt.tabulate(ctx, j.lanes); err != nil {
			work.Put(s.rows)
			return err
		}
		return j.lists(ctx, s, work, visit)
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
	return err
}

// each builds the index and calls f, which makes lists or counts, for every
// portion of work that take has put in hand. Rows of a portion where that
// failed go back.
func (j *Joiner) each(ctx context.Context, p *neighbors.Plan, work neighbors.Work, lists bool, take func(*session, []uint32) error, f func(*session) error) error {
	var s *session
	defer func() {
		if s != nil {
			_ = j.prepare.Do(func() error { s.release(); return nil })
		}
	}()
	index := func() (err error) {
		if s == nil {
			if s, err = newSession(j.prepare, p, j.lay, &j.used); err == nil {
				s.kept = j.keep()
			}
		}
		return err
	}
	if w, ok := work.(tallier); ok && p.DataLen() > 0 {
		err := j.prepare.Do(index)
		if err == nil {
			err = j.tally(s, w)
		}
		if err != nil && !errors.Is(err, cuda.ErrMemory) { // then the first portion tries again
			return err
		}
	}
	if a, ok := work.(arranger); ok && s != nil && (lists || s.known == nil) {
		var order []uint32
		err := j.prepare.Do(func() (err error) { order, err = s.ordered(); return err })
		if err == nil { // otherwise the first portion will fail as well
			a.Arrange(order)
		}
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := work.Take(math.MaxInt, 0)
		if rows == nil {
			return nil
		}
		hand := func() (err error) {
			if p.DataLen() == 0 {
				return nil
			}
			if err := index(); err != nil {
				return err
			}
			return take(s, rows)
		}
		err := j.prepare.Do(hand)
		if errors.Is(err, cuda.ErrMemory) {
			j.shed()
			err = j.prepare.Do(hand)
		}
		if err != nil {
			work.Put(rows)
			return err
		}
		current := s
		if current == nil { // no data rows: empty lists
			current = &session{plan: p, rows: rows, offset: make([]uint64, len(rows)+1)}
		}
		if err := f(current); err != nil {
			return err
		}
	}
}

// keep returns where offsets are kept between joins; nil if pinned memory is
// capped.
func (j *Joiner) keep() *[]uint64 {
	if j.cfg.Memory > 0 {
		return nil
	}
	return &j.offsets
}

// none is no cells: brute force needs none, and wants no point to stand twice.
func none(*memory, *neighbors.Plan, []extent, [][]cuda.Buffer[float64]) (layout, error) {
	return layout{reach: 1}, nil
}

// laying returns the layout of joins within a radius. The published kernels
// are for cells as wide as that.
func (c *Config) laying() laying {
	switch c.Pattern {
	case PatternDefault:
		return fine
	case PatternBrute:
		return none
	}
	return wide
}

// shed frees what the lanes keep between joins.
func (j *Joiner) shed() {
	for _, l := range j.lanes {
		_ = l.st.Do(func() error { l.shed(); return nil })
	}
}

// lists delivers the lists of the rows in hand. Rows not delivered go back.
func (j *Joiner) lists(ctx context.Context, s *session, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) error {
	s.room = j.room(s)
	left, err := drain(ctx, j.lanes, s.spans(s.room), func(worker int, l *lane, sp span) (bool, error) {
		b, err := l.fetch(s, sp)
		if err != nil {
			return true, err
		}
		return true, visit(worker, b)
	})
	for _, sp := range left {
		work.Put(s.rows[sp.lo:sp.hi:sp.hi])
	}
	return err
}

// room is the number of neighbours a batch has room for: enough batches that
// every stream gets several, none larger than defaultRoom.
func (j *Joiner) room(s *session) uint64 {
	if j.cfg.Batch > 0 {
		return uint64(j.cfg.Batch)
	}
	total := s.offset[len(s.rows)]
	room := min(max(total/uint64(4*len(j.lanes)), smallRoom), defaultRoom)
	if j.cfg.Memory > 0 { // 4 bytes a neighbour, on the card and pinned
		room = max(min(room, uint64(j.cfg.Memory)/uint64(8*len(j.lanes))), 1)
	}
	return room
}

// fetch brings the lists of a span to the host.
func (l *lane) fetch(s *session, sp span) (*neighbors.Batch, error) {
	b := &l.batch
	base := s.offset[sp.lo]
	n := int(s.offset[sp.hi] - base)
	b.Rows = s.rows[sp.lo:sp.hi]
	b.Offset = b.Offset[:0]
	for _, o := range s.offset[sp.lo : sp.hi+1] {
		b.Offset = append(b.Offset, int64(o-base))
	}
	if n > 0 {
		err := l.st.Do(func() error {
			if err := l.reserve(max(n, int(s.room))); err != nil {
				return err
			}
			if s.table.N > 0 {
				return l.watch.transfer(l.st, func() error {
					return cuda.Download(l.st, l.pinned[:n], s.table.Slice(int(base), int(base)+n))
				})
			}
			offset := s.offsetD.Slice(sp.lo, sp.hi+1)
			if err := s.fillEntries(l.st, s.list, s.first+sp.lo, s.first+sp.hi, offset, base, l.out); err != nil {
				return err
			}
			return l.watch.transfer(l.st, func() error { return cuda.Download(l.st, l.pinned[:n], l.out) })
		})
		if err != nil {
			return nil, err
		}
	}
	b.Index = l.pinned[:n]
	s.measure(b)
	return b, nil
}

// measure adds the distances to a batch, if the plan asks for them.
func (s *session) measure(b *neighbors.Batch) {
	if !s.plan.Within().Distance {
		return
	}
	b.Dist = slices.Grow(b.Dist[:0], len(b.Index))[:len(b.Index)]
	par.Chunks(min(par.Threads(0), 1+len(b.Index)/4096), len(b.Rows), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			dist := b.Dists(i)
			for k, q := range b.List(i) {
				dist[k] = s.plan.Distance(b.Rows[i], q)
			}
		}
	})
}

// Join implements neighbors.Joiner.
func (j *Joiner) Join(ctx context.Context, p *neighbors.Plan, work neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	return neighbors.Stream(ctx, j, p, work)
}
