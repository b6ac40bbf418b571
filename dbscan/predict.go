package dbscan

import (
	"context"
	"fmt"

	"skyjoin/neighbors"
)

// A Model attaches points to the clusters of an earlier run. It holds the core
// rows of it only: no new point becomes core, so predictions do not depend on
// each other.
type Model struct {
	core   *neighbors.Points
	labels []int32
	metric neighbors.Metric
	eps    float64
	border Border
}

// NewModel makes a model of core points, in the order of their rows, and their
// clusters, as they are read back from a labelled catalog.
func NewModel(core *neighbors.Points, labels []int32, metric neighbors.Metric, eps float64, border Border) (*Model, error) {
	if core == nil {
		return nil, fmt.Errorf("%w: no core points", neighbors.ErrRequest)
	}
	if core.Len() != len(labels) {
		return nil, fmt.Errorf("%w: %d labels for %d core points", neighbors.ErrRequest, len(labels), core.Len())
	}
	if border > BorderNearest {
		return nil, fmt.Errorf("%w: border rule %d, it must be BorderFirst or BorderNearest", neighbors.ErrRequest, border)
	}
	for i, l := range labels {
		if l < 0 {
			return nil, fmt.Errorf("%w: core point %d has label %d, core points are in clusters numbered from 0", neighbors.ErrRequest, i, l)
		}
	}
	return &Model{core, labels, metric, eps, border}, nil
}

// Model returns the model of a result. points, metric, eps and border are
// those of the run.
func (r *Result) Model(points *neighbors.Points, metric neighbors.Metric, eps float64, border Border) (*Model, error) {
	if points == nil || points.Len() != len(r.Labels) {
		return nil, fmt.Errorf("%w: not the %d points of the run", neighbors.ErrRequest, len(r.Labels))
	}
	var rows []uint32
	var labels []int32
	for i, core := range r.Core {
		if core {
			rows = append(rows, uint32(i))
			labels = append(labels, r.Labels[i])
		}
	}
	return NewModel(points.Subset(rows), labels, metric, eps, border)
}

// Predict returns the cluster of each point: that of the core point within ε
// that the border rule chooses, or Noise. Given the points of the run it
// returns the labels of the run; of a DBSCAN* run, in which border rows are
// noise, those of the core rows.
func (m *Model) Predict(ctx context.Context, points *neighbors.Points, join Join) ([]int32, error) {
	if points == nil {
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	labels := make([]int32, points.Len())
	in := neighbors.Input{Query: points, Data: m.core, Metric: m.metric}
	return labels, join.visit(ctx, in, neighbors.Within{Radius: m.eps}, func(plan *neighbors.Plan, b *neighbors.Batch) {
		for i, row := range b.Rows {
			labels[row] = m.border.choose(plan, row, b.List(i), m.labels, nil)
		}
	})
}
