package dbscan

import (
	"context"
	"fmt"

	"skyjoin/neighbors"
)

// KDistances returns the distance of each row to its k-th nearest other row,
// in the unit of the metric. Sorted, it is the curve that Ester et al. read ε
// from, for MinPoints = k + 1: a row is core exactly from that radius on. See
// [FindKnee].
func KDistances(ctx context.Context, points *neighbors.Points, metric neighbors.Metric, k int, join Join) ([]float64, error) {
	if points == nil {
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	plan, err := neighbors.Prepare(ctx, neighbors.Input{Query: points, Metric: metric, Threads: join.Threads, Memory: join.Memory}, neighbors.Nearest{K: k})
	if err != nil {
		return nil, err
	}
	dist := make([]float64, points.Len())
	done := newMeter(join.Progress, StageJoin, int64(points.Len()))
	err = neighbors.Visit(ctx, join.joiner(), plan, plan.Work(), func(_ int, b *neighbors.Batch) error {
		for i, row := range b.Rows {
			dist[row] = b.Dists(i)[k-1]
		}
		done.add(len(b.Rows))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return dist, nil
}
