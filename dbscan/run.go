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
	r := &Result{Eps: eps}
	a, err := opt.choose(algorithms, plan)
	if err != nil {
		return nil, err
	}
	if r.Algorithm = a.name; a.name != Device { // which does not use the index of the plan
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
