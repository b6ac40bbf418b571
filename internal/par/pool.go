package par

import (
	"context"
	"errors"
	"sync/atomic"
)

// A Pool bounds how much work runs at once, over all callers of its Run. A nil
// pool does the work in the goroutine of the caller.
type Pool chan struct{}

// NewPool returns a pool of the given number of threads.
func NewPool(threads int) Pool { return make(Pool, threads) }

// Workers returns how many goroutines do n units.
func (p Pool) Workers(n int) int { return max(1, min(cap(p), n)) }

// Run calls unit(0), …, unit(n-1), each in a place of the pool and several at
// once. It returns the first error, after which no further unit is begun, or
// that of ctx. Units must not call Run of the same pool.
func (p Pool) Run(ctx context.Context, n int, unit func(i int) error) error {
	if p == nil {
		for i := range n {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := unit(i); err != nil {
				return err
			}
		}
		return context.Cause(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg Group
	for range p.Workers(n) { // each does many units: its stack grows once
		wg.Go(func() {
			for p.Enter(ctx) {
				i := int(next.Add(1)) - 1
				if i >= n {
					<-p
					return
				}
				if err := p.do(unit, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// Leave gives a place back.
func (p Pool) Leave() { <-p }

// do carries out a unit and leaves its place.
func (p Pool) do(unit func(i int) error, i int) error {
	defer p.Leave()
	return unit(i)
}

// Enter waits for a place, which is to be left with Leave; false, without a
// place, once ctx is done.
func (p Pool) Enter(ctx context.Context) bool {
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

// errPanic is what a worker that panics leaves behind; nobody sees it.
var errPanic = errors.New("a worker panicked")
