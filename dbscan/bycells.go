package dbscan

import (
	"context"
	"time"

	"skyjoin/neighbors"
)

// byCells reports whether a plan can be clustered cell by cell: rows count once
// and no pair wraps round an edge. Counts, where they are asked for, are those
// of the joiner.
func (o *Options) byCells(plan *neighbors.Plan) bool {
	_, counts := o.joiner().(neighbors.Counter)
	return counts && o.Weights == nil && !plan.Periodic()
}

// clusterCells fills in the result cell by cell.
func (r *Result) clusterCells(ctx context.Context, plan *neighbors.Plan, opt *Options) error {
	start := time.Now()
	count, err := r.countFirst(ctx, plan, opt)
	if err != nil {
		return err
	}
	n := int64(plan.Len())
	c := newCellRun(plan, newThreshold(opt).minRows, neighbors.Workers(opt.joiner()), count)
	if err := c.cores(ctx, newMeter(opt.Progress, StageCore, n)); err != nil {
		return err
	}
	if err := c.unite(ctx, newMeter(opt.Progress, StageConnect, n)); err != nil {
		return err
	}
	r.Join = time.Since(start)

	start = time.Now()
	byPosition, sizes, err := c.label()
	if err != nil {
		return err
	}
	r.Labels, r.Core = c.byRow(byPosition)
	r.Sizes = sizes
	for _, size := range sizes {
		r.CoreCount += size
	}
	r.Cluster = time.Since(start)

	if !opt.Star && r.CoreCount > 0 && r.CoreCount < n {
		start = time.Now()
		if opt.Border == BorderFirst {
			r.BorderCount, err = c.borders(ctx, byPosition, r.Labels, r.Sizes, newMeter(opt.Progress, StageBorder, n))
		} else {
			err = r.attach(ctx, plan, opt)
		}
		if err != nil {
			return err
		}
		r.Join += time.Since(start)
	}
	r.NoiseCount = n - r.CoreCount - r.BorderCount
	return nil
}

// countFirst counts the rows in the balls of all rows if they, or the pairs, are asked
// for, or if the joiner is not one to do without; it returns nil otherwise.
func (r *Result) countFirst(ctx context.Context, plan *neighbors.Plan, opt *Options) ([]int64, error) {
	j := opt.joiner()
	if cpu, ok := j.(neighbors.CPU); ok && opt.SkipPairs && !opt.Counts && (cpu.Algorithm == neighbors.Auto || cpu.Algorithm == neighbors.Grid) {
		r.Pairs = -1
		return nil, nil
	}
	count := make([]int64, plan.Len())
	done := newMeter(opt.Progress, StageJoin, int64(plan.Len()))
	if err := neighbors.Count(ctx, j, plan, neighbors.Watch(plan.Work(), done.add), count); err != nil {
		return nil, err
	}
	for i, n := range count {
		r.Pairs += n
		count[i]++ // the row itself
	}
	r.Pairs /= 2
	if opt.Counts {
		r.Counts = count
	}
	return count, nil
}
