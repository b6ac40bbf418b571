//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"sync"

	"skyjoin/internal/cuda"
	"skyjoin/internal/par"
)

// span is a run of entries whose lists go into one batch.
type span struct{ lo, hi int }

func (s span) parts() bool { return s.hi-s.lo > 1 }

func (s span) split() (span, span) {
	mid := s.lo + (s.hi-s.lo)/2
	return span{s.lo, mid}, span{mid, s.hi}
}

func (span) end() {}

// A portion is work that can be split in two, if it has several parts. end is called
// when it is done or has failed, but not when it is split.
type portion[P any] interface {
	parts() bool
	split() (P, P)
	end()
}

// drain lets the lanes do all portions, and those that more returns whenever half of
// its last result is left, until there are no more; more may be nil. When do fails,
// it has removed from the portion what is done. A portion that does not fit, because
// do says so or because memory runs out, is split in two and done again; in the
// second case the lane is marked as short of memory. The first other error ends the
// run; portions not done by then are returned.
func drain[P portion[P]](ctx context.Context, lanes []*lane, portions []P, more func() []P, do func(worker int, l *lane, p *P) (fits bool, err error)) ([]P, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if more == nil {
		more = func() []P { return nil }
	}
	var wg par.Group
	q := newPortions(portions, func() (got []P) {
		if ctx.Err() == nil {
			wg.Call(func() { got = more() })
		}
		return got
	})
	undone := make([][]P, len(lanes))
	wg.Go(q.ask)
	for worker, l := range lanes {
		wg.Go(func() {
			l.short = false
			for p, ok := q.take(); ok; p, ok = q.take() {
				fits, err := true, context.Cause(ctx)
				if err == nil {
					err = wg.Do(func() (err error) { fits, err = do(worker, l, &p); return err })
				}
				if errors.Is(err, cuda.ErrMemory) && p.parts() {
					fits, err = false, nil
					_ = l.st.Do(func() error { l.shed(); return nil })
					l.short = true
				}
				switch {
				case err != nil:
					undone[worker] = append(undone[worker], p)
					cancel(err)
					p.end()
				case fits:
					p.end()
				default:
					q.put(p.split())
				}
				q.done()
			}
		})
	}
	wg.Wait()
	var left []P
	for _, u := range undone {
		left = append(left, u...)
	}
	return left, context.Cause(ctx)
}

// portions are those that are handed out, and the halves of those that were split.
// They end when none is left or being done, and more returns none.
type portions[P any] struct {
	mu   sync.Mutex
	turn *sync.Cond
	left []P
	more func() []P // nil: there are none
	few  int        // how few are left when more is called
	busy int
}

func newPortions[P any](left []P, more func() []P) *portions[P] {
	q := &portions[P]{left: left, more: more, few: len(left) / 2}
	q.turn = sync.NewCond(&q.mu)
	return q
}

// ask gets more portions while there are still some to do, until there are none.
func (q *portions[P]) ask() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.more != nil {
		if len(q.left) > q.few {
			q.turn.Wait()
			continue
		}
		q.mu.Unlock()
		got := q.more()
		q.mu.Lock()
		if len(got) == 0 {
			q.more = nil
		}
		q.left, q.few = append(q.left, got...), len(got)/2
		q.turn.Broadcast()
	}
}

func (q *portions[P]) take() (p P, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.left) == 0 && (q.more != nil || q.busy > 0) {
		q.turn.Wait()
	}
	if len(q.left) == 0 {
		return p, false
	}
	p = q.left[0]
	q.left = q.left[1:]
	q.busy++
	if len(q.left) <= q.few {
		q.turn.Broadcast()
	}
	return p, true
}

func (q *portions[P]) put(p ...P) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.left = append(q.left, p...)
	q.turn.Broadcast()
}

func (q *portions[P]) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy--
	q.turn.Broadcast()
}
