package hybrid

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// Visit implements neighbors.Visitor.
func (j *Joiner) Visit(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) error {
	return j.run(ctx, p, work, job{visit: visit})
}

// Count implements neighbors.Counter.
func (j *Joiner) Count(ctx context.Context, p *neighbors.Plan, work neighbors.Work, count []int64) error {
	if p.Within() == nil {
		return fmt.Errorf("%w: counts are of neighbours within a radius", neighbors.ErrRequest)
	}
	if len(count) != p.Len() {
		return fmt.Errorf("%w: room for %d counts, there are %d rows", neighbors.ErrRequest, len(count), p.Len())
	}
	return j.run(ctx, p, work, job{count: count})
}

// Join implements neighbors.Joiner.
func (j *Joiner) Join(ctx context.Context, p *neighbors.Plan, work neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	return neighbors.Stream(ctx, j, p, work)
}

// run carries out a job for all rows of work.
func (j *Joiner) run(ctx context.Context, p *neighbors.Plan, work neighbors.Work, do job) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.check(); err != nil {
		return err
	}
	if j.report.Sides == nil {
		j.report.Sides = summaries(j.sides())
	}
	start := time.Now()
	sides := j.sides()
	if j.began.IsZero() {
		j.began = start
	}
	do.plan, do.trace, do.traced, do.start = p, j.tracer(start), j.Trace != nil, start
	before := usageOf(sides)
	var split par.Group
	split.Go(func() { splitUp(p, sides) }) // asking a driver for free memory takes a while
	chosen := j.choose(p, sides, do.count != nil)
	split.Wait()
	err := j.carry(ctx, work, do, sides, &chosen)
	for i, b := range usageOf(sides) {
		sides[i].stats.Transfer = b.seconds - before[i].seconds
		sides[i].stats.Reindexed = b.indexes - before[i].indexes
		if j.partition() == Adaptive {
			sides[i].estimate(do)
		}
	}
	j.report.Why, j.report.Expected = chosen.why, chosen.by
	j.report.add(sides, time.Since(start), len(chosen.active) > 1)
	return err
}

// carry lets the chosen sides share the work; afterwards the other sides, one after
// another, do what failed sides have left.
func (j *Joiner) carry(ctx context.Context, work neighbors.Work, do job, sides []*side, chosen *choice) error {
	var lost []error
	var err error
	if len(chosen.active) > 1 {
		err = j.share(ctx, work, do, chosen)
	} else {
		err = do.alone(ctx, chosen.active[0], work)
	}
	var left *leftError
	for _, s := range sides {
		if !errors.As(err, &left) {
			return err
		}
		if s.lost == nil {
			lost = append(lost, left.lost...)
			err = do.alone(ctx, s, work)
		}
	}
	if errors.As(err, &left) {
		return errors.Join(append(lost, left.lost...)...)
	}
	return err
}
