package par

import (
	"context"
)

// InOrder does the work for item after item, several at once, and passes the
// results on in the order of the items. next is called by one goroutine and
// says with false that there is none left.
func InOrder[T, R any](ctx context.Context, p Pool, next func() (item T, ok bool, err error), work func(T) (R, error), visit func(R) error) error {
	type result struct {
		value R
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	queue := make(chan chan result, cap(p)) // bounds what is done ahead
	var wg Group
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer close(queue)
		for {
			item, ok, err := next()
			if !ok && err == nil {
				return
			}
			done := make(chan result, 1)
			select {
			case queue <- done:
			case <-ctx.Done():
				return
			}
			if err != nil {
				done <- result{err: err}
				return
			}
			if !p.Enter(ctx) {
				done <- result{err: context.Cause(ctx)}
				return
			}
			wg.Go(func() {
				defer p.Leave()
				r := result{err: errPanic}
				defer func() { done <- r }()
				r.value, r.err = work(item)
			})
		}
	})
	for done := range queue {
		r := <-done
		if r.err == nil {
			r.err = visit(r.value)
		}
		if r.err != nil {
			return r.err
		}
	}
	return context.Cause(ctx)
}
