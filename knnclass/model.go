package knnclass

import (
	"fmt"

	"skyjoin/neighbors"
)

// Outlier is the class of a row without a neighbour within the radius.
const Outlier int32 = -1

// A Model is a training set. It is immutable and safe for concurrent use.
type Model struct {
	points  *neighbors.Points
	metric  neighbors.Metric
	labels  []int32   // of a classifier: the class of each row
	classes int       // of a classifier
	values  []float64 // of a regressor
	weights []float64 // nil: all 1
}

// NewClassifier makes a model that predicts classes, which are numbered from
// 0; see [Encode]. weights, which may be nil, are positive. Errors wrap
// neighbors.ErrRequest.
func NewClassifier(points *neighbors.Points, metric neighbors.Metric, labels []int32, classes int, weights []float64) (*Model, error) {
	if points == nil || points.Len() == 0 {
		return nil, fmt.Errorf("%w: no training rows", neighbors.ErrRequest)
	}
	if len(labels) != points.Len() {
		return nil, fmt.Errorf("%w: %d labels for %d training rows", neighbors.ErrRequest, len(labels), points.Len())
	}
	for i, l := range labels {
		if l < 0 || int(l) >= classes {
			return nil, fmt.Errorf("%w: training row %d is of class %d, there are %d, numbered from 0", neighbors.ErrRequest, i, l, classes)
		}
	}
	if err := checkWeights(weights, points.Len()); err != nil {
		return nil, err
	}
	return &Model{points: points, metric: metric, labels: labels, classes: classes, weights: weights}, nil
}

// NewRegressor makes a model that predicts values, which are finite. weights,
// which may be nil, are positive. Errors wrap neighbors.ErrRequest.
func NewRegressor(points *neighbors.Points, metric neighbors.Metric, values, weights []float64) (*Model, error) {
	if points == nil || points.Len() == 0 {
		return nil, fmt.Errorf("%w: no training rows", neighbors.ErrRequest)
	}
	if len(values) != points.Len() {
		return nil, fmt.Errorf("%w: %d values for %d training rows", neighbors.ErrRequest, len(values), points.Len())
	}
	for i, v := range values {
		if v-v != 0 { // NaN for NaN and for infinities
			return nil, fmt.Errorf("%w: the value of training row %d is %v, it must be finite", neighbors.ErrRequest, i, v)
		}
	}
	if err := checkWeights(weights, points.Len()); err != nil {
		return nil, err
	}
	return &Model{points: points, metric: metric, values: values, weights: weights}, nil
}

// Len returns the number of training rows.
func (m *Model) Len() int { return m.points.Len() }

// subset is the model of some of the training rows, under another metric.
func (m *Model) subset(rows []uint32, metric neighbors.Metric) *Model {
	s := &Model{points: m.points.Subset(rows), metric: metric, classes: m.classes}
	s.labels, s.values, s.weights = pick(m.labels, rows), pick(m.values, rows), pick(m.weights, rows)
	return s
}

func pick[T any](v []T, rows []uint32) []T {
	if v == nil {
		return nil
	}
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = v[r]
	}
	return out
}
