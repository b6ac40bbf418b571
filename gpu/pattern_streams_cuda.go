//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// A streamBatch is entries of a published kernel that a stream does at once. The rows
// that a work hands out together are one batch, unless they have more neighbours than
// fit.
type streamBatch struct {
	pt *pattern
	span
	j    *Joiner
	left *atomic.Int32 // batches of the pattern that have not ended
}

func (b streamBatch) split() (x, y streamBatch) {
	b.left.Add(1)
	x, y = b, b
	x.span, y.span = b.span.split()
	return x, y
}

func (b streamBatch) end() {
	if b.left.Add(-1) == 0 {
		b.j.releases(b.pt)
	}
}

// releases frees what a pattern has on the card.
func (j *Joiner) releases(pt *pattern) {
	_ = j.prepare.Do(func() error { pt.release(); return nil })
}

// onStreams delivers the lists of the rows that a pattern was set up for, and of those
// that work, which other joiners share, hands out after them: every stream does what
// was handed out together by itself, as the batches of HEGJoin (§4.2.1), and the next
// rows are prepared meanwhile. Rows not delivered are put back.
func (j *Joiner) onStreams(ctx context.Context, s *session, pt *pattern, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) error {
	batches, err := j.streamBatches(pt)
	if err != nil {
		work.Put(pt.rows)
		return err
	}
	var mu sync.Mutex
	var failed error // of rows that could not be prepared
	more := func() []streamBatch {
		rows, err := goOn(ctx, work, nil)
		if rows == nil || err != nil {
			return nil
		}
		var next *pattern
		err = j.prepare.Do(func() (err error) {
			if err = s.hand(rows); err == nil {
				next, err = s.newPattern(j.cfg)
			}
			return err
		})
		var more []streamBatch
		if err == nil {
			more, err = j.streamBatches(next)
		}
		if err != nil {
			work.Put(rows)
			if !errors.Is(err, cuda.ErrMemory) { // there may be room when the streams have ended
				mu.Lock()
				failed = err
				mu.Unlock()
			}
			return nil
		}
		return more
	}
	left, err := drain(ctx, j.lanes, batches, more, func(worker int, l *lane, b *streamBatch) (bool, error) {
		pairs, fits, err := b.pt.fit(l, b.span)
		if err != nil || !fits {
			return fits, err
		}
		list, err := b.pt.collect(l, b.span, pairs)
		if err != nil {
			return true, err
		}
		s.measure(list)
		return true, visit(worker, list)
	})
	for _, b := range left {
		work.Put(b.pt.rows[b.lo:b.hi:b.hi])
	}
	mu.Lock()
	defer mu.Unlock()
	return firstError(err, failed)
}

// streamBatches makes batches of the entries of a pattern, one if they are expected to
// fit.
func (j *Joiner) streamBatches(pt *pattern) (batches []streamBatch, err error) {
	var spans []span
	err = sequenceOn(pt.stream, func(q *sequence) { spans, pt.capacity = pt.batches(q, 1, len(j.lanes), true) })
	if err != nil {
		j.releases(pt)
		return nil, err
	}
	left := new(atomic.Int32)
	left.Store(int32(len(spans)))
	for _, sp := range spans {
		batches = append(batches, streamBatch{pt, sp, j, left})
	}
	return batches, nil
}
