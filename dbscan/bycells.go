package dbscan

import (
	"context"
	"time"

	"skyjoin/internal/kernel"
	"skyjoin/internal/used"
	"skyjoin/neighbors"
)

// joinCells finds the core rows, among own (nil: all), and the clusters that they
// form.
func (r *Result) joinCells(ctx context.Context, plan *neighbors.Plan, opt *Options, own []bool) (*cellRun, error) {
	minRows, n := newThreshold(opt).minRows, int64(plan.Len())
	used.Note(ctx, string(Cells), kernel.Best().Name)
	enough, err := r.enoughFirst(ctx, plan, opt, minRows)
	if err != nil {
		return nil, err
	}
	c := newCellRun(plan, minRows, neighbors.Workers(opt.joiner()), enough, own)
	if err := c.cores(ctx, newMeter(opt.Progress, StageCore, n)); err != nil {
		return nil, err
	}
	return c, c.unite(ctx, newMeter(opt.Progress, StageConnect, n))
}

// runCells fills in the result cell by cell.
func (r *Result) runCells(ctx context.Context, plan *neighbors.Plan, opt *Options) error {
	start, n := time.Now(), int64(plan.Len())
	c, err := r.joinCells(ctx, plan, opt, nil)
	if err != nil {
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

// withoutCounts reports whether core rows can be found without counting the rows in
// all balls: the joiner is the CPU, and neither counts nor pairs are wanted.
func (o *Options) withoutCounts() bool {
	cpu, ok := o.joiner().(neighbors.CPU)
	return ok && o.SkipPairs && !o.Counts && (cpu.Algorithm == neighbors.Auto || cpu.Algorithm == neighbors.Grid)
}

// enoughFirst finds the rows with at least minRows in their balls, themselves
// included, and the number of pairs, if they have to be counted; otherwise it
// returns nil.
func (r *Result) enoughFirst(ctx context.Context, plan *neighbors.Plan, opt *Options, minRows int64) ([]bool, error) {
	if opt.withoutCounts() {
		r.Pairs = -1
		return nil, nil
	}
	n := plan.Len()
	enough := make([]bool, n)
	done := newMeter(opt.Progress, StageJoin, int64(n))
	work := neighbors.Watch(plan.Work(), done.add)
	var err error
	if opt.Counts {
		r.Counts = make([]int64, n)
		err = neighbors.Count(ctx, opt.joiner(), plan, work, r.Counts)
		for row, count := range r.Counts {
			r.Pairs += count
			r.Counts[row]++ // the row itself
			enough[row] = count+1 >= minRows
		}
	} else {
		r.Pairs, err = neighbors.AtLeast(ctx, opt.joiner(), plan, work, minRows-1, enough)
	}
	r.Pairs /= 2
	return enough, err
}
