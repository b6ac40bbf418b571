//go:build cuda && linux

package gpu

import (
	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// deliver passes on the lists of a share batch by batch, and removes from the share
// what has been passed on. While one batch is visited, the next is being copied.
func (l *lane) deliver(s *session, p *share, visit func(*neighbors.Batch) error) error {
	batches := p.spans(p.span, p.batch)
	size := l.room(0, int(min(p.batch, p.offset[len(p.rows)])))
	for _, b := range batches {
		size = max(size, p.length(b))
	}
	// All of it runs on the stream's thread: passing the work between threads for
	// every batch takes longer than a small batch.
	return l.sequence(func(q *sequence) {
		defer func() {
			if q.err != nil { // no copy may still be running
				_ = l.st.Sync()
			}
		}()
		from, base := l.list(q, s, p)
		growPinned(q, &l.pinned, size*min(len(batches), underWay))
		slot := func(i int) []uint32 { return l.pinned[i%underWay*size:][:p.length(batches[i])] }
		send := func(i int) {
			if q.err != nil || i >= len(batches) || len(slot(i)) == 0 {
				return
			}
			lo := int(p.offset[batches[i].lo] - base)
			l.slots[i%underWay].begin(q, func() { pull(q, slot(i), from.Slice(lo, lo+len(slot(i)))) })
		}
		for i := range underWay {
			send(i)
		}
		for i, b := range batches {
			q.do(func() error {
				if len(slot(i)) == 0 {
					return nil
				}
				return l.slots[i%underWay].end()
			})
			q.do(func() error { return visit(l.fetched(s, p.inHand, b, slot(i))) })
			if q.err != nil {
				return
			}
			p.lo = b.hi
			send(i + underWay)
		}
	})
}

// list lets the card list the neighbours of a share, and returns where the lists are
// and the first of their offsets.
func (l *lane) list(q *sequence, s *session, p *share) (cuda.Buffer[uint32], uint64) {
	base, n := p.offset[p.lo], p.length(p.span)
	if n == 0 {
		return cuda.Buffer[uint32]{}, 0
	}
	grow(q, &l.out, l.room(n, int(p.room)))
	s.fillEntries(q, p.list, p.first+p.lo, p.first+p.hi, p.offsetD.Slice(p.lo, p.hi+1), base, l.out)
	return l.out, base
}

// fetched makes a batch of entries from their lists.
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
