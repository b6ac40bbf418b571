//go:build cuda && linux

package gpu

import (
	"slices"

	"skyjoin/internal/cuda"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// deliver passes on the lists of a share, batch by batch, and cuts off what has
// been passed on. While one is visited the next is on its way.
func (l *lane) deliver(s *session, p *share, visit func(*neighbors.Batch) error) error {
	batches := p.spans(p.span, p.batch)
	size := l.room(0, int(min(p.batch, p.offset[len(p.rows)])))
	for _, b := range batches {
		size = max(size, p.length(b))
	}
	// All of it on the stream's thread: passing the work from thread to thread for
	// every batch takes longer than a small batch.
	return l.st.Do(func() (err error) {
		defer func() {
			if err != nil { // nothing may come any more
				_ = l.st.Sync()
			}
		}()
		from, base, err := l.list(s, p)
		if err == nil {
			err = growPinned(l.st, &l.pinned, size*min(len(batches), underWay))
		}
		if err != nil {
			return err
		}
		slot := func(i int) []uint32 { return l.pinned[i%underWay*size:][:p.length(batches[i])] }
		send := func(i int) error {
			if i >= len(batches) || len(slot(i)) == 0 {
				return nil
			}
			lo := int(p.offset[batches[i].lo] - base)
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
			if err := visit(l.fetched(s, p.inHand, b, slot(i))); err != nil {
				return err
			}
			p.lo = b.hi
			if err := send(i + underWay); err != nil {
				return err
			}
		}
		return nil
	})
}

// list has the card list the neighbours of a share, and returns where they are
// and the first of the offsets there. It must run on the lane's thread.
func (l *lane) list(s *session, p *share) (cuda.Buffer[uint32], uint64, error) {
	base, n := p.offset[p.lo], p.length(p.span)
	if s.table.N > 0 || n == 0 {
		return s.table, 0, nil
	}
	if err := grow(l.st, &l.out, l.room(n, int(p.room))); err != nil {
		return l.out, base, err
	}
	return l.out, base, s.fillEntries(l.st, p.list, p.first+p.lo, p.first+p.hi, p.offsetD.Slice(p.lo, p.hi+1), base, l.out)
}

// fetched makes a batch of entries, given their lists.
func (l *lane) fetched(s *session, h *inHand, sp span, index []uint32) *neighbors.Batch {
	b := &l.batch
	b.Rows, b.Index = h.rows[sp.lo:sp.hi], index
	b.Offset = b.Offset[:0]
	for _, o := range h.offset[sp.lo : sp.hi+1] {
		b.Offset = append(b.Offset, int64(o-h.offset[sp.lo]))
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
