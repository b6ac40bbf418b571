package dbscan

import (
	"context"
	"math"
	"time"

	"skyjoin/neighbors"
)

// A Clusterer is a joiner that carries out DBSCAN itself, without streaming
// neighbours: a GPU that need not ship them. [Run] uses it for rows without
// weights and [BorderFirst].
type Clusterer interface {
	neighbors.Joiner
	// Cluster clusters the rows of the plan, a self-join within a radius. A row
	// is core with at least minPoints rows in its ball, itself included. labels
	// and core have one element per row and are filled as those of Result; with
	// star, border rows are noise. counts, unless nil, is filled likewise, and
	// *pairs, unless nil, is set to the number of unordered pairs within the
	// radius.
	Cluster(ctx context.Context, p *neighbors.Plan, minPoints int64, star bool, labels []int32, core []bool, counts []int64, pairs *int64) error
}

// clusterer returns the joiner if it can do all that the options ask for.
func (o *Options) clusterer() (Clusterer, bool) {
	if o.Weights != nil || o.Border != BorderFirst && !o.Star {
		return nil, false
	}
	c, ok := o.joiner().(Clusterer)
	return c, ok
}

// cluster has a Clusterer fill in the result.
func (r *Result) cluster(ctx context.Context, c Clusterer, plan *neighbors.Plan, opt *Options) error {
	start := time.Now()
	n := plan.Len()
	r.Labels, r.Core = make([]int32, n), make([]bool, n)
	pairs := &r.Pairs
	if opt.Counts {
		r.Counts = make([]int64, n)
	} else if opt.SkipPairs {
		r.Pairs, pairs = -1, nil
	}
	done := newMeter(opt.Progress, StageJoin, int64(n))
	minPoints := int64(math.MaxInt64)
	if m := math.Ceil(opt.MinPoints); m < math.MaxInt64 {
		minPoints = int64(m)
	}
	if err := c.Cluster(ctx, plan, minPoints, opt.Star, r.Labels, r.Core, r.Counts, pairs); err != nil {
		return err
	}
	done.add(n)
	r.Join = time.Since(start)

	start = time.Now()
	for i, label := range r.Labels {
		if label == Noise {
			r.NoiseCount++
			continue
		}
		for int(label) >= len(r.Sizes) {
			r.Sizes = append(r.Sizes, 0)
		}
		r.Sizes[label]++
		if r.Core[i] {
			r.CoreCount++
		} else {
			r.BorderCount++
		}
	}
	r.Cluster = time.Since(start)
	return nil
}
