//go:build cuda && linux

package gpu

import (
	"context"
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

// lists delivers the lists of the rows in hand, or of a part of them where all
// are. Then it goes on with the parts that come next, so that no stream waits for
// the others at the end of each, until rows come that do not follow each other:
// they are returned. Rows not delivered go back.
func (j *Joiner) lists(ctx context.Context, s *session, part span, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) (next []uint32, err error) {
	s.room = j.room(s)
	more := func() []span {
		if !s.whole {
			return nil
		}
		rows := work.Take(math.MaxInt, 0)
		if rows == nil {
			return nil
		}
		sp, ok := s.part(rows)
		if !ok {
			next = rows
			return nil
		}
		return s.spans(sp, s.room)
	}
	left, err := drain(ctx, j.lanes, s.spans(part, s.room), more, func(worker int, l *lane, sp span) (bool, error) {
		b, err := l.fetch(s, sp)
		if err != nil {
			return true, err
		}
		return true, visit(worker, b)
	})
	for _, sp := range left {
		work.Put(s.rows[sp.lo:sp.hi:sp.hi])
	}
	return next, err
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
