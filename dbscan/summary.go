package dbscan

import (
	"context"
	"fmt"
	"math"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

// Summarize describes the clusters of a result, in the order of their labels.
// points and metric are those of the run. Centres and deviations are exact sums,
// rounded once and divided: they do not depend on the order of the rows. In a periodic
// box clusters are unwrapped along the Links of the result, or without these along the
// links of their core rows, which are at most Eps long.
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
	if metric.Kind().Box {
		var err error
		if f.winding, err = f.unwrap(ctx, r, join); err != nil {
			return nil, err
		}
		for k := range clusters {
			clusters[k].Wraps = f.winding.wraps[k]
		}
	}
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
	err = nearestCentres(ctx, clusters, centres, metric, join)
	for k := range clusters {
		clusters[k].forget()
	}
	return clusters, err
}

// forget makes the centre of a cluster that wraps around the box, and what is
// measured from it, NaN.
func (c *Cluster) forget() {
	if !c.Wraps {
		return
	}
	c.Extent, c.Separation, c.Nearest = math.NaN(), math.NaN(), Noise
	for j := range c.Centre {
		c.Centre[j], c.Deviation[j] = math.NaN(), math.NaN()
	}
}

// centrePoints returns the centres as points.
func centrePoints(clusters []Cluster, dim int) (*neighbors.Points, error) {
	cols := make([]neighbors.Column, dim)
	for j := range cols {
		v := each.To(len(clusters), func(k int) float64 { return clusters[k].Centre[j] })
		cols[j] = neighbors.Float64s(v)
	}
	return neighbors.NewPoints(cols...)
}

// nearestCentres finds the nearest other centre of each that has one.
func nearestCentres(ctx context.Context, clusters []Cluster, centres *neighbors.Points, metric neighbors.Metric, join Join) error {
	var with []uint32 // clusters with a centre
	for k := range clusters {
		if !clusters[k].Wraps {
			with = append(with, uint32(k))
		}
	}
	if len(with) < 2 {
		return nil
	}
	join.Progress = nil
	in := neighbors.Input{Query: centres.Subset(with), Metric: metric}
	return join.visit(ctx, in, neighbors.Nearest{K: 1}, func(_ *neighbors.Plan, b *neighbors.Batch) {
		for i, row := range b.Rows {
			clusters[with[row]].Nearest = int32(with[b.List(i)[0]])
			clusters[with[row]].Separation = b.Dists(i)[0]
		}
	})
}
