package knnclass

import (
	"fmt"
	"math"

	"skyjoin/internal/each"
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
	if err := checkRows(points, len(labels), "labels", weights); err != nil {
		return nil, err
	}
	for i, l := range labels {
		if l < 0 || int(l) >= classes {
			return nil, fmt.Errorf("%w: training row %d is of class %d, there are %d, numbered from 0", neighbors.ErrRequest, i, l, classes)
		}
	}
	return &Model{points: points, metric: metric, labels: labels, classes: classes, weights: weights}, nil
}

// NewRegressor makes a model that predicts values, which are finite. weights,
// which may be nil, are positive. Errors wrap neighbors.ErrRequest.
func NewRegressor(points *neighbors.Points, metric neighbors.Metric, values, weights []float64) (*Model, error) {
	if err := checkRows(points, len(values), "values", weights); err != nil {
		return nil, err
	}
	for i, v := range values {
		if v-v != 0 { // NaN for NaN and for infinities
			return nil, fmt.Errorf("%w: the value of training row %d is %v, it must be finite", neighbors.ErrRequest, i, v)
		}
	}
	return &Model{points: points, metric: metric, values: values, weights: weights}, nil
}

// Len returns the number of training rows.
func (m *Model) Len() int { return m.points.Len() }

// subset is the model of some of the training rows, under another metric.
func (m *Model) subset(rows []uint32, metric neighbors.Metric) *Model {
	s := &Model{points: m.points.Subset(rows), metric: metric, classes: m.classes}
	s.labels, s.values, s.weights = each.At(m.labels, rows), each.At(m.values, rows), each.At(m.weights, rows)
	return s
}

// checkRows validates what there is of each training row: so many labels or
// values, and weights, which may be nil.
func checkRows(points *neighbors.Points, have int, what string, weights []float64) error {
	if points == nil || points.Len() == 0 {
		return fmt.Errorf("%w: no training rows", neighbors.ErrRequest)
	}
	n := points.Len()
	if have != n {
		return fmt.Errorf("%w: %d %s for %d training rows", neighbors.ErrRequest, have, what, n)
	}
	if weights != nil && len(weights) != n {
		return fmt.Errorf("%w: %d weights for %d training rows", neighbors.ErrRequest, len(weights), n)
	}
	for i, w := range weights {
		if !(w > 0) || math.IsInf(w, 1) {
			return fmt.Errorf("%w: the weight of training row %d is %v, it must be positive and finite", neighbors.ErrRequest, i, w)
		}
	}
	return nil
}
