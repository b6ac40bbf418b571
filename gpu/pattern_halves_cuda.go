//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"skyjoin/internal/par"
	"skyjoin/internal/size"
	"skyjoin/neighbors"
)

// A half pattern finds each pair once and reports it both ways, so that the lists of a
// batch are parts of those of its rows (GPU-SJ, §4.2). Batches are estimated as those of
// other patterns, their pairs go to the host, and lists are put together there when all
// have come: the card never has more than the batches in flight.
type halves struct {
	mu    sync.Mutex
	pairs [][]uint64 // of each batch: a position in the upper half, a row in the lower
	bytes int64      // that pairs and lists take
}

// pairBytes is what the host has of a pair: itself, and its place in a list.
const pairBytes = 8 + 4

// gather finds all pairs. Without an error and without batches left there are all.
func (pt *pattern) gather(ctx context.Context, lanes []*lane) (h *halves, left []span, err error) {
	h = &halves{}
	left, err = pt.run(ctx, lanes, func(_ int, l *lane, _ span, pairs int) error {
		h.mu.Lock()
		h.bytes += pairBytes * int64(pairs)
		held := h.bytes
		h.mu.Unlock()
		if most := pt.cfg.Memory; most > 0 && held > most {
			return fmt.Errorf("%w: the %s pattern holds all neighbours on the host, here more than %s, %s are allowed; the full pattern does not", neighbors.ErrMemory, pt.cfg.Pattern, size.Text(held), size.Text(most))
		}
		batch := make([]uint64, pairs)
		err := l.sequence(func(q *sequence) { pull(q, batch, slice(q, l.pairs, 0, pairs)); _ = q.sync() }) // err is that of the sequence
		if err == nil {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.pairs = append(h.pairs, batch)
		}
		return err
	})
	return h, left, err
}

// lists puts the lists of n positions together, by their offsets.
func (h *halves) lists(n int) (offset []int64, index []uint32) {
	offset = make([]int64, n+1)
	for _, batch := range h.pairs {
		for _, p := range batch {
			offset[p>>32+1]++
		}
	}
	for i := range n {
		offset[i+1] += offset[i]
	}
	at := slices.Clone(offset[:n])
	index = make([]uint32, offset[n])
	for _, batch := range h.pairs {
		for _, p := range batch {
			index[at[p>>32]] = uint32(p)
			at[p>>32]++
		}
	}
	return offset, index
}

// halfLists delivers the lists of all rows by a half pattern. Rows not delivered are put
// back.
func (j *Joiner) halfLists(ctx context.Context, s *session, pt *pattern, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) error {
	h, left, err := pt.gather(ctx, j.lanes)
	if err != nil || len(left) > 0 {
		work.Put(pt.rows)
		return err
	}
	id := make([]uint32, s.query.n)
	err = sequenceOn(pt.stream, func(q *sequence) { pull(q, id, s.query.id); _ = q.sync() }) // err is that of the sequence
	if err != nil {
		work.Put(pt.rows)
		return err
	}
	offset, index := h.lists(len(id))
	var failed error
	var mu sync.Mutex
	room := int64(max(pt.capacity, 1))
	par.Chunks(len(j.lanes), len(id), func(worker, lo, hi int) {
		for lo < hi {
			end := lo + 1
			for end < hi && offset[end+1]-offset[lo] <= room {
				end++
			}
			var b neighbors.Batch
			b.Rows, b.Index = id[lo:end:end], index[offset[lo]:offset[end]:offset[end]]
			for _, o := range offset[lo : end+1] {
				b.Offset = append(b.Offset, o-offset[lo])
			}
			s.measure(&b)
			err := ctx.Err()
			if err == nil {
				err = visit(worker, &b)
			}
			if err != nil {
				mu.Lock()
				failed = firstError(failed, err)
				mu.Unlock()
				work.Put(id[lo:hi:hi])
				return
			}
			lo = end
		}
	})
	return failed
}
