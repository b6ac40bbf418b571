package neighbors

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"skyjoin/internal/par"
	"skyjoin/internal/size"
)

// CPU is the joiner that runs on all cores. The zero value uses every core and
// chooses the algorithm: a sparse grid for Within, and for Nearest where the
// points are spread evenly in up to 3 dimensions; else a flat k-d tree.
//
// CPU implements Joiner, Visitor, Counter and Indexer.
type CPU struct {
	Threads   int       // goroutines; 0: GOMAXPROCS
	Memory    int64     // bytes of the plan and all batches together; 0: no cap
	Algorithm Algorithm // Auto, unless one is to be tried
}

const (
	batchEntries = 1 << 17 // neighbours that a batch has room for, unless one row has more
	minEntries   = 1 << 12 // fewer would be all overhead
	takeRows     = 2048    // query rows that a worker takes at once
)

// Index implements Indexer.
func (c CPU) Index(ctx context.Context, p *Plan) error {
	w, err := c.begin(ctx, p)
	if err == nil {
		_, err = w.newEngine(ctx, p, 0, 0)
	}
	return err
}

// begin returns the way to carry out a plan, whose own index, which rows are
// handed out in the order of, is built then if the way leaves that order be.
func (c CPU) begin(ctx context.Context, p *Plan) (*way, error) {
	w, err := c.way(ctx, p)
	if err == nil && (w.share == nil || p.near != nil) {
		err = p.ownIndex(ctx)
	}
	return w, err
}

// Workers implements Visitor.
func (c CPU) Workers() int { return par.Threads(c.Threads) }

// rooms returns the neighbours that each of n batches has room for, and the
// most that a single list may have.
func (c CPU) rooms(p *Plan, w *way, n int) (room, most int, err error) {
	entry, entries := int64(4), int64(minEntries)
	if p.near != nil || p.within.Distance {
		entry = 12
	}
	if p.near != nil { // a list is never longer, nor shorter
		entries = max(entries, int64(p.near.K))
	}
	// A small join needs no more room than it can fill.
	room, most = max(minEntries, min(batchEntries, p.take(n)*p.DataLen())), MaxRows
	if c.Memory <= 0 {
		return room, most, nil
	}
	held := w.memory(p)
	least := held + int64(n)*entries*entry
	if c.Memory < least {
		need, allowed := size.Texts(least, c.Memory)
		return 0, 0, fmt.Errorf("%w: the join needs %s, %s are allowed", ErrMemory, need, allowed)
	}
	share := int((c.Memory - held) / int64(n) / entry)
	return min(room, share), min(most, share), nil
}

// Visit implements Visitor.
func (c CPU) Visit(ctx context.Context, p *Plan, work Work, visit func(worker int, b *Batch) error) error {
	w, err := c.begin(ctx, p)
	if err != nil {
		return err
	}
	room, most, err := c.rooms(p, w, c.Workers())
	if err != nil {
		return err
	}
	work, release, err := w.workOf(ctx, p, work)
	if err != nil {
		return err
	}
	defer release()
	return c.each(ctx, p, w, room, most, func(ctx context.Context, worker int, e engine) error {
		return joinAll(ctx, e, p.take(c.Workers()), work, func(b *Batch) (*Batch, error) {
			if err := visit(worker, b); err != nil {
				return nil, err
			}
			return b, nil
		})
	})
}

// Count implements Counter.
func (c CPU) Count(ctx context.Context, p *Plan, work Work, count []int64) error {
	if p.within == nil {
		return fmt.Errorf("%w: counts are of neighbours within a radius", ErrRequest)
	}
	if len(count) != p.Len() {
		return fmt.Errorf("%w: room for %d counts, there are %d rows", ErrRequest, len(count), p.Len())
	}
	w, err := c.begin(ctx, p)
	if err != nil {
		return err
	}
	if tell, ok := takeHalf(p, c.Workers(), w, work); ok {
		err := countHalf(ctx, p, c.Workers(), tell, func(rows, counts []uint32) {
			for i, row := range rows {
				count[row] = int64(counts[i])
			}
		})
		if err != nil {
			work.Put(p.order())
		}
		return err
	}
	work, release, err := w.workOf(ctx, p, work)
	if err != nil {
		return err
	}
	defer release()
	return c.each(ctx, p, w, 0, 0, func(ctx context.Context, _ int, e engine) error {
		for rows := work.Take(p.take(c.Workers()), 0); rows != nil; rows = work.Take(p.take(c.Workers()), 0) {
			if err := e.count(ctx, rows, count); err != nil {
				work.Put(rows)
				return err
			}
		}
		return nil
	})
}

// Join implements Joiner.
func (c CPU) Join(ctx context.Context, p *Plan, work Work) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		workers := c.Workers()
		w, err := c.begin(ctx, p)
		if err != nil {
			yield(nil, err)
			return
		}
		// A worker fills one batch, while others are at the consumer or wait.
		room, most, err := c.rooms(p, w, 2*workers+1)
		if err != nil {
			yield(nil, err)
			return
		}
		work, release, err := w.workOf(ctx, p, work)
		if err != nil {
			yield(nil, err)
			return
		}
		defer release()
		ctx, cancel := context.WithCancel(ctx)
		full, free := make(chan *Batch), make(chan *Batch, 2*workers+1)
		for range workers + 1 {
			free <- &Batch{}
		}
		var failed error
		var done sync.WaitGroup
		done.Go(func() {
			defer close(full)
			failed = c.each(ctx, p, w, room, most, func(ctx context.Context, _ int, e engine) error {
				return joinAll(ctx, e, p.take(workers), work, func(b *Batch) (*Batch, error) {
					select {
					case full <- b:
						return <-free, nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				})
			})
		})
		finish := func() {
			cancel()
			for b := range full { // not seen by the consumer
				work.Put(slices.Clone(b.Rows))
				free <- b
			}
			done.Wait()
		}
		defer finish()
		for b := range full {
			if !yield(b, nil) {
				free <- b
				return
			}
			free <- b
		}
		if failed != nil {
			yield(nil, failed)
		}
	}
}

// each runs f on every worker, each with an engine of its own, until all are
// done. The first failure cancels the others and is returned.
func (c CPU) each(ctx context.Context, p *Plan, w *way, room, most int, f func(ctx context.Context, worker int, e engine) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	engines := make([]engine, c.Workers())
	for i := range engines {
		var err error
		if engines[i], err = w.newEngine(ctx, p, room, most); err != nil {
			return err
		}
	}
	var wg sync.WaitGroup
	for i, e := range engines {
		wg.Go(func() {
			if err := f(ctx, i, e); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// joinAll gives an engine all the work there is. Rows that it could not
// deliver go back.
func joinAll(ctx context.Context, e engine, take int, work Work, flush func(*Batch) (*Batch, error)) error {
	for rows := work.Take(take, 0); rows != nil; rows = work.Take(take, 0) {
		if undone, err := e.join(ctx, rows, flush); err != nil {
			work.Put(slices.Clone(undone))
			return err
		}
	}
	return nil
}

// take returns how many rows a worker takes at once: enough to spare overhead,
// few enough that all have something to do until the end.
func (p *Plan) take(workers int) int {
	return min(takeRows, max(64, p.Len()/(16*workers)))
}

// way returns the way to carry out a plan.
func (c CPU) way(ctx context.Context, p *Plan) (*way, error) {
	a := c.Algorithm
	if a == Auto {
		if err := p.ownIndex(ctx); err != nil {
			return nil, err
		}
		a = p.Algorithm()
	}
	a, err := ParseAlgorithm(string(a))
	if err != nil {
		return nil, err
	}
	can := func(w *way) bool {
		if p.near != nil {
			return w.nearest != nil
		}
		return !(w.open && p.query.Side != nil)
	}
	for i := range ways {
		w := &ways[i]
		switch {
		case w.name != a:
		case can(w):
			return w, nil
		case p.near != nil:
			return nil, fmt.Errorf("%w: %s finds neighbours within a radius, not the nearest; use %s", ErrRequest, a, names(can))
		default:
			return nil, fmt.Errorf("%w: %s does not know periodic axes; use %s", ErrRequest, a, names(can))
		}
	}
	panic("neighbors: algorithm " + a + " has no way")
}
