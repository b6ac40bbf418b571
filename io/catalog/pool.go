package catalog

import (
	"context"
	"sync"
)

// A pool bounds how much work runs at once, over all callers of its run.
type pool chan struct{}

// newPool returns a pool of the given number of threads.
func newPool(threads int) pool { return make(pool, threads) }

// run calls unit(0), …, unit(n-1), each in a place of the pool and several at
// once. It returns the first error, after which no further unit is begun, or
// that of ctx. Units must not call run of the same pool.
func (p pool) run(ctx context.Context, n int, unit func(i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for i := range n {
		if !p.enter(ctx) {
			break
		}
		wg.Go(func() {
			defer func() { <-p }()
			if err := unit(i); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// enter waits for a place, which is to be left by a receive; false, without a
// place, once ctx is done.
func (p pool) enter(ctx context.Context) bool {
	select {
	case p <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	if ctx.Err() != nil { // both were ready
		<-p
		return false
	}
	return true
}
