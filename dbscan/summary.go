package dbscan

import (
	"context"
	"fmt"
	"math"

	"skyjoin/neighbors"
)

// Summarize describes the clusters of a result, in the order of their labels.
// points and metric are those of the run. Centres are exact sums, rounded
// once and divided: they do not depend on the order of the rows.
func Summarize(ctx context.Context, points *neighbors.Points, metric neighbors.Metric, r *Result, join Join) ([]Cluster, error) {
	if points == nil || points.Len() != len(r.Labels) {
		return nil, fmt.Errorf("%w: not the %d points of the run", neighbors.ErrRequest, len(r.Labels))
	}
	clusters := make([]Cluster, r.Clusters())
	if len(clusters) == 0 {
		return clusters, nil
	}
	for k := range clusters {
		clusters[k] = Cluster{Label: int32(k), Nearest: Noise, Separation: math.NaN()}
	}
	for i, label := range r.Labels {
		if label == Noise {
			continue
		}
		clusters[label].Size++
		if r.Core[i] {
			clusters[label].Core++
		}
	}
	f := newFrame(points, metric)
	if err := f.centres(ctx, r.Labels, clusters); err != nil {
		return nil, err
	}
	centres, err := centrePoints(clusters, points.Dim())
	if err != nil {
		return nil, err
	}
	if err := f.spread(ctx, r.Labels, clusters, centres); err != nil {
		return nil, err
	}
	return clusters, nearestCentres(ctx, clusters, centres, metric, join)
}

// centrePoints returns the centres as points.
func centrePoints(clusters []Cluster, dim int) (*neighbors.Points, error) {
	cols := make([]neighbors.Column, dim)
	for j := range cols {
		v := make([]float64, len(clusters))
		for k := range clusters {
			v[k] = clusters[k].Centre[j]
		}
		cols[j] = neighbors.Float64s(v)
	}
	return neighbors.NewPoints(cols...)
}

// nearestCentres finds the nearest other centre of each.
func nearestCentres(ctx context.Context, clusters []Cluster, centres *neighbors.Points, metric neighbors.Metric, join Join) error {
	if len(clusters) < 2 {
		return nil
	}
	join.Progress = nil
	in := neighbors.Input{Query: centres, Metric: metric}
	return join.visit(ctx, in, neighbors.Nearest{K: 1}, func(_ *neighbors.Plan, b *neighbors.Batch) {
		for i, row := range b.Rows {
			clusters[row].Nearest = int32(b.List(i)[0])
			clusters[row].Separation = b.Dists(i)[0]
		}
	})
}
