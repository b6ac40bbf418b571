package dbscan

import (
	"context"
	"time"

	"skyjoin/internal/used"
	"skyjoin/neighbors"
)

// A Clusterer is a joiner that carries out DBSCAN itself, without streaming
// neighbours, such as a GPU that keeps them. See [Device].
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

// runDevice has a Clusterer fill in the result.
func (r *Result) runDevice(ctx context.Context, plan *neighbors.Plan, opt *Options) error {
	used.Note(ctx, string(Device))
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
	minPoints := newThreshold(opt).minRows
	if err := opt.joiner().(Clusterer).Cluster(ctx, plan, minPoints, opt.Star, r.Labels, r.Core, r.Counts, pairs); err != nil {
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
