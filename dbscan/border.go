package dbscan

import (
	"context"

	"skyjoin/neighbors"
)

// attach labels the rows that are not core but have core neighbours. It streams only
// the lists of rows that are not core, which are short: they did not reach
// MinPoints.
func (r *Result) attach(ctx context.Context, plan *neighbors.Plan, opt *Options) error {
	n := int64(plan.Len()) - r.CoreCount
	if n == 0 {
		return nil
	}
	left := make([]uint32, 0, n)
	for _, row := range plan.Work().Take(plan.Len(), 0) { // all rows, in the order of the index
		if !r.Core[row] {
			left = append(left, row)
		}
	}
	j := opt.joiner()
	done := newMeter(opt.Progress, StageBorder, int64(len(left)))
	// Labels of core rows are only read here; those of other rows are only written,
	// each by the one worker that has the row.
	err := neighbors.Visit(ctx, j, plan, neighbors.NewWork(left, plan.Cost), func(_ int, b *neighbors.Batch) error {
		for i, row := range b.Rows {
			r.Labels[row] = opt.Border.choose(plan, row, b.List(i), r.Labels, r.Core)
		}
		done.add(len(b.Rows))
		return nil
	})
	if err != nil {
		return err
	}
	for i, label := range r.Labels {
		if !r.Core[i] && label != Noise {
			r.Sizes[label]++
			r.BorderCount++
		}
	}
	return nil
}

// choose returns the cluster that a query row of the plan joins, given its
// neighbours and the labels of the data rows: Noise if none of the neighbours is
// core. A nil core means that all are.
func (b Border) choose(plan *neighbors.Plan, row uint32, list []uint32, labels []int32, core []bool) int32 {
	label := Noise
	if b == BorderFirst {
		for _, j := range list {
			if (core == nil || core[j]) && (label == Noise || labels[j] < label) {
				label = labels[j]
			}
		}
		return label
	}
	var nearest uint32
	var smallest float64
	for _, j := range list {
		if core != nil && !core[j] {
			continue
		}
		d2 := plan.SquaredDistance(row, j)
		if label == Noise || d2 < smallest || d2 == smallest && j < nearest {
			label, nearest, smallest = labels[j], j, d2
		}
	}
	return label
}
