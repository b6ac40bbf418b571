package match

import (
	"context"
	"fmt"

	"skyjoin/neighbors"
)

// Cross matches the rows of a and b. Errors wrap neighbors.ErrRequest,
// ErrCoordinate or ErrMemory. The answer does not depend on the joiner or its
// threads.
func Cross(ctx context.Context, a, b *neighbors.Points, m neighbors.Metric, o Options) (*Result, error) {
	if a == nil || b == nil {
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	if err := o.check(a, b); err != nil {
		return nil, err
	}
	if a.Len() == 0 || b.Len() == 0 {
		return &Result{}, nil
	}
	o.K = min(o.K, b.Len())
	plan, err := o.prepare(ctx, a, b, m)
	if err != nil {
		return nil, err
	}
	if err := neighbors.Index(ctx, o.Joiner, plan); err != nil {
		return nil, err
	}
	wider := func(k int) (*neighbors.Plan, error) { return o.prepareNearest(ctx, a, b, m, k) }
	if err := o.foresee(ctx, plan, wider); err != nil {
		return nil, err
	}
	c := newCollector(plan, &o)
	if err := c.visit(ctx, plan, plan.Work(), wider); err != nil {
		return nil, err
	}
	return c.result(), nil
}

// foresee looks for the pairs of the sample.
func (o Options) foresee(ctx context.Context, plan *neighbors.Plan, wider func(k int) (*neighbors.Plan, error)) error {
	if o.Foresee == nil {
		return nil
	}
	o.Find, o.Progress = All, nil
	c := newCollector(plan, &o)
	if err := c.visit(ctx, plan, neighbors.NewWork(o.Sample, nil), wider); err != nil {
		return err
	}
	return o.Foresee(c.result().Pairs)
}
