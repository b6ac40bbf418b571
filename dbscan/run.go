package dbscan

import (
	"context"
	"fmt"
	"time"

	"skyjoin/neighbors"
)

// Run clusters the points. eps is the radius in the unit of the metric. Errors
// wrap neighbors.ErrRequest, ErrCoordinate or ErrMemory; a cancelled context
// ends the run with its error.
func Run(ctx context.Context, points *neighbors.Points, metric neighbors.Metric, eps float64, opt Options) (*Result, error) {
	if points == nil {
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	if err := opt.check(points.Len()); err != nil {
		return nil, err
	}
	start := time.Now()
	plan, err := neighbors.Prepare(ctx, neighbors.Input{Query: points, Metric: metric, Threads: opt.Threads, Memory: opt.Memory}, neighbors.Within{Radius: eps})
	if err != nil {
		return nil, err
	}
	r := &Result{}
	a, err := opt.choose(algorithms, plan)
	if err != nil {
		return nil, err
	}
	if r.Algorithm = a.name; a.name != Device { // which needs no index of the plan
		if err := neighbors.Index(ctx, opt.joiner(), plan); err != nil {
			return nil, err
		}
	}
	r.Index = time.Since(start)
	if err := a.run(r, ctx, plan, &opt); err != nil {
		return nil, err
	}
	return r, nil
}

// runUnionFind streams the neighbours of all rows, and those of the rows that
// are not core once more.
func (r *Result) runUnionFind(ctx context.Context, plan *neighbors.Plan, opt *Options) error {
	start := time.Now()
	f, err := r.join(ctx, plan, opt)
	if err != nil {
		return err
	}
	r.Join = time.Since(start)

	start = time.Now()
	r.Core = make([]bool, plan.Len())
	if r.Labels, r.Sizes, err = f.labels(r.Core); err != nil {
		return err
	}
	for _, n := range r.Sizes {
		r.CoreCount += n
	}
	r.Cluster = time.Since(start)

	if !opt.Star && r.CoreCount > 0 {
		start = time.Now()
		if err := r.attach(ctx, plan, opt); err != nil {
			return err
		}
		r.Join += time.Since(start)
	}
	r.NoiseCount = int64(plan.Len()) - r.CoreCount - r.BorderCount
	return nil
}

// join streams the neighbours of all rows once: it counts them, finds the core
// rows and connects them.
func (r *Result) join(ctx context.Context, plan *neighbors.Plan, opt *Options) (*forest, error) {
	j := opt.joiner()
	f := newForest(plan.Len())
	t := newThreshold(opt)
	if opt.Counts {
		r.Counts = make([]int64, plan.Len())
	}
	found := make([]counter, neighbors.Workers(j)) // ordered pairs, per worker
	done := newMeter(opt.Progress, StageJoin, int64(len(opt.rows(plan))))
	err := neighbors.Visit(ctx, j, plan, opt.work(plan), func(worker int, b *neighbors.Batch) error {
		found[worker].n += b.Offset[len(b.Rows)] - b.Offset[0]
		for i, row := range b.Rows {
			list := b.List(i)
			if r.Counts != nil {
				r.Counts[row] = int64(len(list)) + 1
			}
			if t.core(row, list) {
				f.enter(row)
				f.uniteAll(row, list)
			}
		}
		done.add(len(b.Rows))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.found = total(found)
	r.Pairs = r.found / 2
	return f, nil
}

// A counter is the count of one worker, on a cache line of its own.
type counter struct {
	n int64
	_ [56]byte
}

func total(counters []counter) int64 {
	var sum int64
	for _, c := range counters {
		sum += c.n
	}
	return sum
}
