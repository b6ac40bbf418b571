package neighbors

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"skyjoin/internal/grid"
	"skyjoin/internal/par"
	"skyjoin/internal/size"
)

// CPU is the joiner that runs on all cores. The zero value uses every core and
// chooses the algorithm: for Within a sparse grid, of a single cell where more would
// not pay; for Nearest a grid where the points are spread evenly in up to 3
// dimensions, and a flat k-d tree otherwise.
//
// CPU implements Joiner, Visitor, Counter and Indexer.
type CPU struct {
	Threads   int       // goroutines; 0: GOMAXPROCS
	Memory    int64     // bytes of the plan and all batches together; 0: no cap
	Algorithm Algorithm // Auto, except to try another one
}

const (
	batchEntries = 1 << 17 // neighbours that a batch has room for, unless a single row has more
	minEntries   = 1 << 12 // with fewer the overhead would dominate
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

// begin returns the implementation of the algorithm that carries out a plan. It
// builds the index of the plan, in whose order rows are handed out, unless the
// algorithm has an order of its own.
func (c CPU) begin(ctx context.Context, p *Plan) (*implementation, error) {
	w, err := c.implementation(ctx, p)
	if err == nil && (w.share == nil || p.near != nil) {
		err = p.ownIndex(ctx)
	}
	return w, err
}

// Workers implements Visitor.
func (c CPU) Workers() int { return par.Threads(c.Threads) }

// rooms returns how many neighbours the batch of each worker has room for, and how
// many a single list may have.
func (c CPU) rooms(p *Plan, w *implementation) (room, most int, err error) {
	n := c.Workers()
	entry, entries := int64(4), int64(minEntries)
	if p.near != nil || p.within.Distance {
		entry = 12
	}
	if p.near != nil { // all lists have this length
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
	w.note(ctx)
	room, most, err := c.rooms(p, w)
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
	w.note(ctx)
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
	return Stream(ctx, c, p, work)
}

// each runs f on every worker, each with an engine of its own, and waits for all.
// The first failure cancels the others and is returned.
func (c CPU) each(ctx context.Context, p *Plan, w *implementation, room, most int, f func(ctx context.Context, worker int, e engine) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	engines := make([]engine, c.Workers())
	for i := range engines {
		var err error
		if engines[i], err = w.newEngine(ctx, p, room, most); err != nil {
			return err
		}
	}
	var wg par.Group
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

// joinAll gives an engine all the rows of work. Rows that it cannot deliver are put
// back.
func joinAll(ctx context.Context, e engine, take int, work Work, flush func(*Batch) (*Batch, error)) error {
	for rows := work.Take(take, 0); rows != nil; rows = work.Take(take, 0) {
		if undone, err := e.join(ctx, rows, flush); err != nil {
			work.Put(slices.Clone(undone))
			return err
		}
	}
	return nil
}

// take returns how many rows a worker takes at a time: many enough to keep the
// overhead low, few enough to keep all workers busy until the end.
func (p *Plan) take(workers int) int {
	return min(takeRows, max(64, p.Len()/(16*workers)))
}

// implementation returns that of the chosen algorithm, or of the one that the plan
// chooses; an error if it cannot carry out the plan.
func (c CPU) implementation(ctx context.Context, p *Plan) (*implementation, error) {
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
	can := func(w *implementation) bool {
		if p.near != nil {
			return w.nearest != nil
		}
		return !(w.open && p.query.Side != nil)
	}
	for i := range implementations {
		w := &implementations[i]
		switch {
		case w.name != a:
		case can(w):
			return w, nil
		case p.near != nil:
			return nil, fmt.Errorf("%w: %s finds neighbours within a radius, not the nearest; use %s", ErrRequest, a, names(can))
		default:
			return nil, fmt.Errorf("%w: %s does not support periodic axes; use %s", ErrRequest, a, names(can))
		}
	}
	panic("neighbors: algorithm " + a + " is not implemented")
}

// Candidates returns how many pairs of a query row and a data row the algorithm
// considers to carry out a Within plan for all rows, including each row with itself:
// it measures how well the index prunes. Pairs that are decided for whole cells at
// once are counted too.
func (c CPU) Candidates(ctx context.Context, p *Plan) (int64, error) {
	w, err := c.implementation(ctx, p)
	switch {
	case err != nil:
		return 0, err
	case p.near != nil:
		return 0, fmt.Errorf("%w: candidates are of neighbours within a radius", ErrRequest)
	case w.cells == nil:
		return w.tested(p, ctx)
	}
	all, err := w.cells(p, ctx)
	if err != nil {
		return 0, err
	}
	sums := make([]int64, c.Workers())
	par.Chunks(len(sums), len(all.start)-1, func(chunk, lo, hi int) {
		find := all.finder()
		for cell := lo; cell < hi && ctx.Err() == nil; cell++ {
			f := find(cell)
			queries := int64(all.start[cell+1] - all.start[cell])
			sums[chunk] += queries * int64(grid.Points(f.direct)+grid.Points(f.wrap)+grid.Points(f.whole))
		}
	})
	total := int64(0)
	for _, s := range sums {
		total += s
	}
	return total, ctx.Err()
}
