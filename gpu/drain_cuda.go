//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"sync"

	"skyjoin/internal/cuda"
)

// span is a run of entries whose lists go into one batch.
type span struct{ lo, hi int }

// drain has the lanes do all spans, and those that more returns when none is
// left, until there are no more; more may be nil. What do has done of a span when
// it fails it cuts off. A span that does not fit, as do says or because memory
// runs out, is split in two and done again. The first other error ends the run;
// spans not done by then are returned.
func drain(ctx context.Context, lanes []*lane, spans []span, more func() []span, do func(worker int, l *lane, sp *span) (fits bool, err error)) ([]span, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q := newSpanQueue(spans, func() []span {
		if more == nil || ctx.Err() != nil {
			return nil
		}
		return more()
	})
	undone := make([][]span, len(lanes))
	var wg sync.WaitGroup
	for worker, l := range lanes {
		wg.Go(func() {
			for sp, ok := q.take(); ok; sp, ok = q.take() {
				fits, err := true, context.Cause(ctx)
				if err == nil {
					fits, err = do(worker, l, &sp)
				}
				if errors.Is(err, cuda.ErrMemory) && sp.hi-sp.lo > 1 {
					fits, err = false, nil
					_ = l.st.Do(func() error { l.shed(); return nil })
				}
				switch {
				case err != nil:
					undone[worker] = append(undone[worker], sp)
					cancel(err)
				case !fits:
					mid := sp.lo + (sp.hi-sp.lo)/2
					q.put(span{sp.lo, mid}, span{mid, sp.hi})
				}
				q.done()
			}
		})
	}
	wg.Wait()
	var left []span
	for _, u := range undone {
		left = append(left, u...)
	}
	return left, context.Cause(ctx)
}

// A spanQueue hands out spans, and those that become of them. It is at its end
// when it is empty, there are no more, and no span is in work.
type spanQueue struct {
	mu    sync.Mutex
	turn  *sync.Cond
	spans []span
	more  func() []span // nil: there are none
	busy  int
}

func newSpanQueue(spans []span, more func() []span) *spanQueue {
	q := &spanQueue{spans: spans, more: more}
	q.turn = sync.NewCond(&q.mu)
	return q
}

func (q *spanQueue) take() (span, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.spans) == 0 && (q.more != nil || q.busy > 0) {
		if q.more == nil {
			q.turn.Wait()
		} else if q.spans = q.more(); len(q.spans) == 0 {
			q.more = nil
		}
	}
	if len(q.spans) == 0 {
		return span{}, false
	}
	sp := q.spans[0]
	q.spans = q.spans[1:]
	q.busy++
	return sp, true
}

func (q *spanQueue) put(spans ...span) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.spans = append(q.spans, spans...)
	q.turn.Broadcast()
}

func (q *spanQueue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy--
	q.turn.Broadcast()
}
