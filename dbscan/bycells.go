package dbscan

import (
	"context"
	"time"

	"skyjoin/neighbors"
)

// runCells fills in the result cell by cell.
func (r *Result) runCells(ctx context.Context, plan *neighbors.Plan, opt *Options) error {
	start := time.Now()
	minRows := newThreshold(opt).minRows
	enough, err := r.enoughFirst(ctx, plan, opt, minRows)
	if err != nil {
		return err
	}
	n := int64(plan.Len())
	c := newCellRun(plan, minRows, neighbors.Workers(opt.joiner()), enough)
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
	r.Sizes = sizes
	for _, size := range sizes {
		r.CoreCount += size
	}
	r.Cluster = time.Since(start)

	start = time.Now()
	borders := !opt.Star && r.CoreCount > 0 && r.CoreCount < n
	if borders && opt.Border == BorderFirst {
		if r.BorderCount, err = c.borders(ctx, byPosition, r.Sizes, newMeter(opt.Progress, StageBorder, n)); err != nil {
			return err
		}
	}
	r.Labels, r.Core = c.byRow(byPosition)
	if borders && opt.Border != BorderFirst {
		if err := r.attach(ctx, plan, opt); err != nil {
			return err
		}
	}
	r.Join += time.Since(start)
	r.NoiseCount = n - r.CoreCount - r.BorderCount
	return nil
}

// withoutCounts reports whether a joiner is one to find core rows without
// counting the rows in all balls, and neither counts nor pairs are asked for.
func (o *Options) withoutCounts() bool {
	cpu, ok := o.joiner().(neighbors.CPU)
	return ok && o.SkipPairs && !o.Counts && (cpu.Algorithm == neighbors.Auto || cpu.Algorithm == neighbors.Grid)
}

// enoughFirst finds the rows with at least minRows in their balls, themselves
// included, and the number of pairs, where they have to be counted; it returns
// nil otherwise.
func (r *Result) enoughFirst(ctx context.Context, plan *neighbors.Plan, opt *Options, minRows int64) ([]bool, error) {
	if opt.withoutCounts() {
		r.Pairs = -1
		return nil, nil
	}
	enough := make([]bool, plan.Len())
	if opt.Counts {
		count, err := r.countFirst(ctx, plan, opt)
		for row, n := range count {
			enough[row] = n >= minRows
		}
		r.Counts = count
		return enough, err
	}
	done := newMeter(opt.Progress, StageJoin, int64(plan.Len()))
	found, err := neighbors.AtLeast(ctx, opt.joiner(), plan, neighbors.Watch(plan.Work(), done.add), minRows-1, enough)
	r.Pairs = found / 2
	return enough, err
}

// countFirst counts the rows in the balls of all rows, themselves included, and
// the pairs.
func (r *Result) countFirst(ctx context.Context, plan *neighbors.Plan, opt *Options) ([]int64, error) {
	count := make([]int64, plan.Len())
	done := newMeter(opt.Progress, StageJoin, int64(plan.Len()))
	if err := neighbors.Count(ctx, opt.joiner(), plan, neighbors.Watch(plan.Work(), done.add), count); err != nil {
		return nil, err
	}
	for i, n := range count {
		r.Pairs += n
		count[i]++ // the row itself
	}
	r.Pairs /= 2
	return count, nil
}
