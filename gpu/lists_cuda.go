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

// Kernels list many neighbours at once, which leave the card in batches: a
// kernel over few rows keeps little of the card busy, for as long as its slowest
// row takes, while pinned memory need only be large enough for copies at full
// speed.
const (
	listRoom  = 64 << 20 // neighbours that a kernel lists: 256 MB on the card, per stream
	listShare = 16       // of the free memory of the card all streams take one part
	smallRoom = 1 << 16
	batchRoom = 2 << 20 // neighbours of a batch: 8 MB pinned
	underWay  = 2       // batches of a stream that are on their way, or at the consumer
)

// lists delivers the lists of the rows in hand, or of a part of them where all
// are. Then it goes on with the parts that come next, so that no stream waits for
// the others at the end of each, until rows come that do not follow each other:
// they are returned. Rows not delivered go back.
func (j *Joiner) lists(ctx context.Context, s *session, part span, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) (next []uint32, err error) {
	s.room = j.room(s)
	s.batch = j.batch(min(batchRoom, s.room))
	s.room = max(s.room, s.batch)
	if s.table.N > 0 && j.cfg.Batch > 0 {
		s.room = s.batch // the lists are there; one buffer a stream, as published
	}
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
		return s.shares(sp, len(j.lanes))
	}
	left, err := drain(ctx, j.lanes, s.shares(part, len(j.lanes)), more, func(worker int, l *lane, sp *span) (bool, error) {
		return true, l.deliver(s, sp, func(b *neighbors.Batch) error { return visit(worker, b) })
	})
	for _, sp := range left {
		work.Put(s.rows[sp.lo:sp.hi:sp.hi])
	}
	return next, err
}

// room is the number of neighbours that a kernel lists at once: every stream gets
// several such shares, where they are worth a kernel.
func (j *Joiner) room(s *session) uint64 {
	lanes := uint64(len(j.lanes))
	room := min(max(s.offset[len(s.rows)]/(4*lanes), smallRoom), listRoom)
	held := uint64(0) // by the streams, which is not free
	for _, l := range j.lanes {
		held += uint64(l.out.N)
	}
	if held < room*lanes {
		if free, _, err := j.ctx.Free(); err == nil {
			room = min(room, max((uint64(free)/4+held)/listShare/lanes, smallRoom))
		}
	}
	if j.cfg.Memory > 0 { // 4 bytes a neighbour
		room = min(room, uint64(j.cfg.Memory)/(4*lanes))
	}
	return max(room, 1)
}

// batch is the number of neighbours that a batch has room for, unless one row
// has more: as configured, else most.
func (j *Joiner) batch(most uint64) uint64 {
	if j.cfg.Batch > 0 {
		most = uint64(j.cfg.Batch)
	}
	if j.cfg.Memory > 0 { // 4 bytes a neighbour
		most = min(most, uint64(j.cfg.Memory)/uint64(4*underWay*len(j.lanes)))
	}
	return max(most, 1)
}

// shares cuts entries in hand into what kernels list at once, several for every
// stream if they fill batches.
func (s *session) shares(all span, lanes int) []span {
	total := s.offset[all.hi] - s.offset[all.lo]
	return s.spans(all, min(s.room, max(total/uint64(4*lanes), s.batch)))
}

// deliver passes on the lists of a span, batch by batch, and cuts off what has
// been passed on. While one is visited the next is on its way.
func (l *lane) deliver(s *session, sp *span, visit func(*neighbors.Batch) error) error {
	batches := s.spans(*sp, s.batch)
	size := int(min(s.batch, s.offset[len(s.rows)]))
	for _, b := range batches {
		size = max(size, s.length(b))
	}
	// All of it on the stream's thread: passing the work from thread to thread for
	// every batch takes longer than a small batch.
	return l.st.Do(func() (err error) {
		from, base, err := l.list(s, *sp)
		if err == nil {
			err = growPinned(l.st, &l.pinned, size*min(len(batches), underWay))
		}
		if err != nil {
			return err
		}
		defer func() {
			if err != nil { // nothing may come any more
				_ = l.st.Sync()
			}
		}()
		slot := func(i int) []uint32 { return l.pinned[i%underWay*size:][:s.length(batches[i])] }
		send := func(i int) error {
			if i >= len(batches) || len(slot(i)) == 0 {
				return nil
			}
			lo := int(s.offset[batches[i].lo] - base)
			return l.slots[i%underWay].begin(l.st, func() error { return cuda.Download(l.st, slot(i), from.Slice(lo, lo+len(slot(i)))) })
		}
		for i := range underWay {
			if err := send(i); err != nil {
				return err
			}
		}
		for i, b := range batches {
			if len(slot(i)) > 0 {
				if err := l.slots[i%underWay].end(); err != nil {
					return err
				}
			}
			if err := visit(l.fetched(s, b, slot(i))); err != nil {
				return err
			}
			sp.lo = b.hi
			if err := send(i + underWay); err != nil {
				return err
			}
		}
		return nil
	})
}

// length is the number of neighbours of entries in hand.
func (s *session) length(sp span) int { return int(s.offset[sp.hi] - s.offset[sp.lo]) }

// list has the card list the neighbours of a span, and returns where they are
// and the first of the offsets there. It must run on the lane's thread.
func (l *lane) list(s *session, sp span) (cuda.Buffer[uint32], uint64, error) {
	base, n := s.offset[sp.lo], s.length(sp)
	if s.table.N > 0 || n == 0 {
		return s.table, 0, nil
	}
	if err := grow(l.st, &l.out, max(n, int(s.room))); err != nil {
		return l.out, base, err
	}
	return l.out, base, s.fillEntries(l.st, s.list, s.first+sp.lo, s.first+sp.hi, s.offsetD.Slice(sp.lo, sp.hi+1), base, l.out)
}

// fetched makes a batch of entries in hand, given their lists.
func (l *lane) fetched(s *session, sp span, index []uint32) *neighbors.Batch {
	b := &l.batch
	b.Rows, b.Index = s.rows[sp.lo:sp.hi], index
	b.Offset = b.Offset[:0]
	for _, o := range s.offset[sp.lo : sp.hi+1] {
		b.Offset = append(b.Offset, int64(o-s.offset[sp.lo]))
	}
	s.measure(b)
	return b
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
