//go:build cuda && linux

package gpu

import (
	"context"

	"skyjoin/internal/costmodel"
	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// publishedBatch is the buffer of a batch in pairs, as in the papers.
const publishedBatch = 50_000_000

// batches divides the entries into batches that are expected to fit the buffers, at
// least so many. Batches of the work queue, whose entries have decreasing work, follow
// each other in its order: of equal numbers of rows in LBJOIN, of about equal results if
// asked for, as in HEGJOIN. In the others rows are dealt out in turn.
func (pt *pattern) batches(q *sequence, least, streams int, equal bool) (spans []span, capacity uint64) {
	var total uint64
	var sample *costmodel.Sample
	if pt.cfg.Order == OrderWorkQueue && equal {
		sample = pt.sample(q)
		total = sample.Total()
	} else {
		total = pt.estimate(q)
	}
	if q.err != nil {
		return nil, 0
	}
	n := len(pt.rows)
	capacity = min(uint64(pt.cfg.Batch), max(total, smallRoom))
	if capacity == 0 {
		capacity = min(max(total/uint64(least), smallRoom), publishedBatch)
		if pt.cfg.Memory > 0 { // 8 bytes per pair, 4 in the lists made of them, 4 pinned
			capacity = max(min(capacity, uint64(pt.cfg.Memory)/uint64(16*streams)), 1)
		}
	}
	lo := 0
	cut := func(hi int) {
		spans = append(spans, span{lo, hi})
		lo = hi
	}
	if sample != nil {
		for _, hi := range sample.Batches(capacity, least) {
			cut(hi)
		}
		return spans, capacity
	}
	count := int(min(max((total+capacity-1)/capacity, uint64(least)), uint64(n)))
	if pt.cfg.Order == OrderWorkQueue {
		for i := range count {
			cut((i + 1) * n / count)
		}
		return spans, capacity
	}
	if pt.sort(q, count); q.err != nil {
		return nil, 0
	}
	for hi := 1; hi <= n; hi++ {
		if hi == n || pt.rows[hi]%uint32(count) != pt.rows[lo]%uint32(count) {
			cut(hi)
		}
	}
	return spans, capacity
}

// run finds the pairs of all batches on all lanes, at least one for each, and deliver
// takes them from the lane's buffer. Batches not delivered are returned.
func (pt *pattern) run(ctx context.Context, lanes []*lane, deliver func(worker int, l *lane, sp span, pairs int) error) ([]span, error) {
	var spans []span
	err := sequenceOn(pt.stream, func(q *sequence) { spans, pt.capacity = pt.batches(q, len(lanes), len(lanes), false) })
	if err != nil {
		return []span{{0, len(pt.rows)}}, err
	}
	return drain(ctx, lanes, spans, nil, func(worker int, l *lane, sp *span) (bool, error) {
		found, fits, err := pt.fit(l, *sp)
		if err != nil || !fits {
			return fits, err
		}
		return true, deliver(worker, l, *sp, found)
	})
}

// fit finds the pairs of a batch, or says that it does not fit and is to be split in
// two. A single entry gets the buffer that it needs, as does every batch if memory is
// short, once a small buffer has told how large that is.
func (pt *pattern) fit(l *lane, sp span) (pairs int, fits bool, err error) {
	room := pt.capacity
	if l.short {
		room = min(room, smallRoom)
	}
	found, err := pt.find(l, sp, room)
	switch {
	case err == nil && found > pt.capacity && sp.parts():
		return 0, false, nil
	case err == nil && found > room:
		_, err = pt.find(l, sp, found)
	}
	return int(found), true, err
}

// find writes the pairs of a batch to the lane's buffer, and returns how many
// there are; only capacity of them are written.
func (pt *pattern) find(l *lane, sp span, capacity uint64) (found uint64, err error) {
	err = l.sequence(func(q *sequence) {
		pt.pairs(q, l, sp, capacity)
		found = first(q, l.total)
	})
	return found, err
}

// pairs writes the pairs of a batch, and their number, to the lane's buffers.
func (pt *pattern) pairs(q *sequence, l *lane, sp span, capacity uint64) {
	grow(q, &l.pairs, int(capacity))
	grow(q, &l.total, 1)
	grow(q, &l.next, 1)
	p := pt.p
	p.Pairs, p.Total, p.Capacity = l.pairs.Ptr, l.total.Ptr, capacity
	fill(q, l.total, 0)
	pt.ran(pt.launch(q, "pairs", p, sp.lo, sp.hi, 1, l.next))
}

// collect makes lists of the pairs in the lane's buffer and copies them to the host
// as the lane's batch.
func (pt *pattern) collect(l *lane, sp span, pairs int) (*neighbors.Batch, error) {
	n := sp.hi - sp.lo
	b := &l.batch
	b.Rows = pt.rows[sp.lo:sp.hi]
	offset := make([]uint64, n+1)
	err := l.sequence(func(q *sequence) {
		grow(q, &l.out, pairs)
		growPinned(q, &l.pinned, pairs)
		grow(q, &l.cursor, n)
		grow(q, &l.offset, n+1)
		sums, cursor := newSorter(q, n), slice(q, l.cursor, 0, n)
		p := placeParams{Pairs: l.pairs.Ptr, Cursor: cursor.Ptr, Offset: l.offset.Ptr, Out: l.out.Ptr, N: uint64(pairs)}
		fill(q, cursor, 0)
		each(q, "pair_lengths", pairs, &p)
		sums.scan(cursor, cuda.Buffer[uint32]{}, l.offset)
		fill(q, cursor, 0)
		each(q, "pair_places", pairs, &p)
		pull(q, offset, l.offset)
		q.do(func() error { return firstError(cuda.Download(l.st, l.pinned[:pairs], l.out), l.st.Sync()) })
	})
	if err != nil {
		return nil, err
	}
	b.Offset = b.Offset[:0]
	for _, o := range offset {
		b.Offset = append(b.Offset, int64(o))
	}
	b.Index = l.pinned[:pairs]
	return b, nil
}
