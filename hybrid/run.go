package hybrid

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"skyjoin/internal/par"
	"skyjoin/internal/workq"
	"skyjoin/neighbors"
)

// A job is what to do with the rows: visit their lists, or count.
type job struct {
	plan  *neighbors.Plan
	visit func(worker int, b *neighbors.Batch) error
	count []int64
	trace func(s *side, worker, rows, neighbours int)
	start time.Time

	traced bool // whether Trace is set
}

// share lets the active sides carry out the job together, and makes the choice if it
// is open. Rows that nobody has done are put back into work; the error is a
// leftError if all sides failed.
func (j *Joiner) share(ctx context.Context, work neighbors.Work, do job, chosen *choice) error {
	sides := chosen.active
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		q := newQueue(sides, nil, do.plan.Len(), j.newPolicy(do.plan.Nearest() != nil, sides))
		q.start, q.counts, q.expected = do.start, do.count != nil, chosen.by.share()
		var rows []uint32
		if all := remaining(work); all == do.plan.Len() && all > 0 && !q.alive(false) {
			// Allocating memory for them is slow, and GPUs have other things to do
			// first.
			q.rows, q.fetch = all, func() []uint32 { return takeAll(work) }
		} else if rows = takeAll(work); len(rows) == 0 {
			return nil
		} else {
			q.rows, q.early.left = len(rows), rows
		}
		if chosen.later == nil { // a GPU that may end up alone counts on its own
			q.tally = j.tally(do.plan, sides, q.rows)
		}
		err := j.drive(ctx, q, rows, do, chosen)
		work.Put(q.rest())
		if err != nil {
			return err
		}
	}
}

// drive runs the joiners of all sides until the queue is done.
func (j *Joiner) drive(ctx context.Context, q *queue, rows []uint32, do job, chosen *choice) error {
	defer q.room()()
	caller := ctx
	ctx, cancel := context.WithCancelCause(caller)
	defer cancel(nil)
	defer q.cut(ctx)()
	var prepared, done par.Group
	prepare, stop := context.WithCancel(ctx)
	defer stop()
	prepares := func(f func()) {
		prepared.Go(func() {
			if err := prepared.Do(func() error { f(); return nil }); err != nil {
				q.fail(err)
				cancel(err)
			}
		})
	}
	switch {
	case chosen.later != nil:
		choosing, hurry := context.WithCancel(prepare)
		q.undecided, q.hurry = true, hurry
		prepares(func() {
			*chosen = chosen.later(choosing)
			hurry()
			if q.decide(*chosen) {
				j.open(prepare, q, rows, do.plan)
			}
		})
	case !q.alive(false):
	case j.partition() == Adaptive:
		prepares(func() { j.open(prepare, q, rows, do.plan) })
	default:
		j.open(prepare, q, rows, do.plan)
	}
	for _, s := range q.sides {
		done.Go(func() {
			for q.await(s) {
				err := done.Do(func() error { return do.on(ctx, q, s) })
				if err == par.ErrPanic {
					q.fail(err)
				}
				if cause := context.Cause(ctx); err != nil && cause != nil {
					q.fail(cause) // q.cut may not have done so yet: it is no failure of the side
				}
				q.end(s, err)
				if err != nil && q.failed() != nil {
					cancel(err)
				}
			}
		})
	}
	done.Wait()
	stop() // GPUs may have finished before the index was built
	prepared.Wait()
	q.beginFetch() // in case no side had the time to
	q.fetching.Wait()
	q.early.wait()
	if err := q.failed(); err != nil {
		return err
	}
	if !q.empty() {
		if err := context.Cause(caller); err != nil { // q.cut may not have done so yet
			return err
		}
		left := &leftError{}
		for _, s := range q.sides {
			left.lost = append(left.lost, s.lost)
		}
		return left
	}
	return nil
}

// failed returns what ended the run early.
func (q *queue) failed() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.fatal
}

// open builds the index of the CPU and, unless it does all rows, the deque.
func (j *Joiner) open(ctx context.Context, q *queue, rows []uint32, p *neighbors.Plan) {
	err := neighbors.Index(ctx, q.sides[len(q.sides)-1].joiner, p)
	if ctx.Err() != nil { // the run has ended, which is no failure of the CPU
		return
	}
	if err != nil {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, s := range q.sides {
			if !s.gpu {
				s.lost, s.stats.Lost = err, err.Error()
			}
		}
		q.turn.Broadcast()
		return
	}
	rows = inIndexOrder(p, rows)
	switch {
	case q.leaveToCPU(rows):
	case j.partition() == Adaptive:
		q.open(workq.Given(rows), nil)
	default:
		deque := j.deque(p, rows)
		if p.Within() != nil {
			q.ends = j.byResults(ctx, q, deque, p)
		}
		q.open(deque, deque.RowWork)
	}
}

// deque returns the rows by falling work.
func (j *Joiner) deque(p *neighbors.Plan, rows []uint32) *workq.Deque {
	if p.Nearest() != nil && j.Nearest.OwnCells {
		if d, err := ownCells(p, rows, 0); d != nil && err == nil {
			return d
		}
	}
	return dequeOf(p, rows, true)
}

// inIndexOrder returns some of the query rows in the order of the index.
func inIndexOrder(p *neighbors.Plan, rows []uint32) []uint32 {
	order := indexOrder(p)
	if len(rows) == len(order) {
		return order
	}
	some := newBitmap(p.Len())
	some.fill(rows)
	ordered := make([]uint32, 0, len(rows))
	for _, r := range order {
		if some.has(r) {
			ordered = append(ordered, r)
		}
	}
	return ordered
}

// on runs the joiner of a side.
func (do job) on(ctx context.Context, q *queue, s *side) error {
	w := sideWork{q, s}
	if do.count != nil {
		if !do.traced {
			return neighbors.Count(ctx, s.joiner, do.plan, w, do.count)
		}
		traced := &tracedWork{sideWork: w, report: func(rows int) { do.trace(s, s.worker, rows, 0) }}
		defer traced.end()
		return neighbors.Count(ctx, s.joiner, do.plan, traced, do.count)
	}
	q.mu.Lock()
	cost := q.cost
	q.mu.Unlock()
	done := make([]delivery, s.workers)
	defer func() {
		for i := range done {
			q.deliver(s, &done[i])
		}
	}()
	return neighbors.Visit(ctx, s.joiner, do.plan, w, func(worker int, b *neighbors.Batch) error {
		if err := do.visit(s.worker+worker, b); err != nil {
			q.fail(err)
			return err
		}
		do.trace(s, s.worker+worker, len(b.Rows), len(b.Index))
		if d := &done[worker]; d.add(b, cost) {
			q.deliver(s, d)
		}
		return nil
	})
}

// alone lets one side do all the work. A leftError says that it failed.
func (do job) alone(ctx context.Context, s *side, work neighbors.Work) error {
	if s.lost != nil { // it cannot hold the points, not even in slabs
		return &leftError{[]error{s.lost}}
	}
	var consumer atomic.Bool
	var err error
	if do.count != nil {
		before := remaining(work)
		err = neighbors.Count(ctx, s.joiner, do.plan, work, do.count)
		counted := before - remaining(work)
		s.stats.Rows += int64(counted)
		if counted > 0 {
			do.trace(s, s.worker, counted, 0)
		}
	} else {
		done := make([]delivery, s.workers)
		batches := make([]int, s.workers)
		err = neighbors.Visit(ctx, s.joiner, do.plan, work, func(worker int, b *neighbors.Batch) error {
			if err := do.visit(s.worker+worker, b); err != nil {
				consumer.Store(true)
				return err
			}
			done[worker].add(b, nil)
			batches[worker]++
			do.trace(s, s.worker+worker, len(b.Rows), len(b.Index))
			return nil
		})
		for i, d := range done {
			s.stats.Rows += int64(d.rows)
			s.stats.Neighbours += int64(d.neighbours)
			s.stats.Batches += batches[i]
		}
	}
	if s.stats.Rows > 0 {
		s.stats.end = time.Since(do.start)
	}
	switch {
	case err == nil || consumer.Load() || context.Cause(ctx) != nil || errors.Is(err, neighbors.ErrRequest):
		return err
	}
	s.lost, s.stats.Lost = err, err.Error()
	return &leftError{[]error{err}}
}

// A leftError says that sides have failed and left work undone.
type leftError struct{ lost []error }

func (e *leftError) Error() string { return errors.Join(e.lost...).Error() }

// tally returns the tally in which the sides count together, nil if each should
// count its own rows.
func (j *Joiner) tally(p *neighbors.Plan, sides []*side, rows int) *tally {
	if p.Within() == nil || rows < p.Len() || j.partition() != Adaptive && j.CPU != nil {
		return nil
	}
	n := gpus(sides)
	if n == 0 {
		return nil
	}
	if cpu := sides[len(sides)-1]; !cpu.gpu && !j.all {
		// A GPU would count all pairs, and its own rows only each pair from both
		// sides.
		if c, g := j.forecasts(p, false, float64(cpu.workers)); g.all > c.all {
			return nil
		}
	}
	return newTally(p.Len(), n)
}
