package catalog

import (
	"context"
	"sync"
)

// A flow is what a source is asked to pass on in order, a block of rows after
// the other, so that memory does not grow with the file.
type flow struct {
	refs   []ref
	fields []Field // as the values are wanted, one for each of refs; Lists whole
	pool   pool

	sentinels bool // some values are sentinels, which texts know

	// skip reports that none of the n rows from row first of the file is
	// wanted. nil skips none.
	skip func(first, n int64) bool

	// visit takes the next n rows, with their columns, which are its own then;
	// nil for rows that skip holds for.
	visit func(n int64, cols []Column) error
}

const (
	flowRows     = 1 << 16 // of a block, if its rows are not large
	flowElements = 1 << 20 // of the lists of a block, about
)

// columns returns columns for the values of n rows: lists without any yet.
func (w *flow) columns(n int64) []Column {
	cols := make([]Column, len(w.fields))
	for i, f := range w.fields {
		if f.Type == List {
			cols[i] = *newListColumn(f).Column
		} else {
			cols[i] = makeColumn(f, n, f.Nullable)
			if w.sentinels {
				cols[i].sentinels = make([]bool, n)
			}
		}
	}
	return cols
}

// inOrder does the work for item after item, several at once, and passes the
// results on in the order of the items. next is called by one goroutine and
// says with false that there is none left.
func inOrder[T, R any](ctx context.Context, p pool, next func() (item T, ok bool, err error), work func(T) (R, error), visit func(R) error) error {
	type result struct {
		value R
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	queue := make(chan chan result, cap(p)) // bounds what is done ahead
	var wg sync.WaitGroup
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
			if !p.enter(ctx) {
				done <- result{err: context.Cause(ctx)}
				return
			}
			wg.Go(func() {
				defer func() { <-p }()
				var r result
				r.value, r.err = work(item)
				done <- r
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
