package dbscan

import (
	"context"
	"fmt"
	"math"

	"skyjoin/neighbors"
)

// A Cluster describes one cluster. Values per column are in the order and the
// unit of the columns of the points; RA and Dec are in degrees.
type Cluster struct {
	Label int32
	Size  int64 // rows, border rows included
	Core  int64 // core rows

	// Centre is the mean of each column. On the sky it is the direction of the
	// mean of the unit vectors, RA in [0, 360) and Dec; with a distance column,
	// the mean of the positions in space. On a periodic axis it is the mean of
	// the nearest images to the lowest row of the cluster, which is what one
	// expects of clusters shorter than half the box.
	Centre []float64

	// Deviation is the standard deviation of each column about the centre
	// (division by Size). On the sky the first two are those of the offsets to
	// the east and to the north in degrees.
	Deviation []float64

	// Extent is the largest distance of a row from the centre, in the unit of
	// the metric: radians on the sky without scales.
	Extent float64

	// Nearest is the cluster whose centre is nearest, Noise if there is no
	// other, and Separation the distance of the centres in the unit of the
	// metric, then NaN.
	Nearest    int32
	Separation float64
}

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
	plan, err := neighbors.Prepare(ctx, neighbors.Input{Query: centres, Metric: metric, Threads: join.Threads, Memory: join.Memory}, neighbors.Nearest{K: 1})
	if err != nil {
		return err
	}
	return neighbors.Visit(ctx, join.joiner(), plan, plan.Work(), func(_ int, b *neighbors.Batch) error {
		for i, row := range b.Rows {
			clusters[row].Nearest = int32(b.List(i)[0])
			clusters[row].Separation = b.Dists(i)[0]
		}
		return nil
	})
}
