package knnclass

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

// Folds divides n rows into parts of nearly equal size at random and returns
// the part of each row. With labels, one per row, the parts have nearly equal
// numbers of every class, too: the rows of each class in turn are shuffled
// (Fisher and Yates) by the PCG-DXSM generator of math/rand/v2, seeded with
// (seed, 0), and dealt to the parts one after another. The same arguments give
// the same parts everywhere.
func Folds(n, parts int, labels []int32, seed uint64) ([]int32, error) {
	if parts < 2 || parts > n {
		return nil, fmt.Errorf("%w: %d parts for cross-validation of %d rows, there must be at least 2 and no more than rows", neighbors.ErrRequest, parts, n)
	}
	if labels != nil && len(labels) != n {
		return nil, fmt.Errorf("%w: %d labels for %d rows", neighbors.ErrRequest, len(labels), n)
	}
	rows := each.Row(n)
	if labels != nil {
		slices.SortStableFunc(rows, func(a, b uint32) int { return int(labels[a]) - int(labels[b]) })
	}
	random := rand.NewPCG(seed, 0)
	fold := make([]int32, n)
	for lo := 0; lo < n; {
		hi := n
		if labels != nil {
			for hi = lo + 1; hi < n && labels[rows[hi]] == labels[rows[lo]]; {
				hi++
			}
		}
		class := rows[lo:hi]
		for i := len(class) - 1; i > 0; i-- {
			j, _ := bits.Mul64(random.Uint64(), uint64(i+1))
			class[i], class[j] = class[j], class[i]
		}
		for i, row := range class {
			fold[row] = int32((lo + i) % parts)
		}
		lo = hi
	}
	return fold, nil
}

// CrossValidate predicts every training row by a model of the rows of other
// folds, for each k of ks; Options.K is not used. learn returns the metric for
// a training set, so that what it takes from the rows, such as scales, never
// comes from those that are predicted; nil keeps the metric of the model.
func (m *Model) CrossValidate(ctx context.Context, fold []int32, ks []int, learn func(train *neighbors.Points) (neighbors.Metric, error), o Options) ([]*Prediction, error) {
	n := m.points.Len()
	if len(fold) != n {
		return nil, fmt.Errorf("%w: folds of %d rows for %d training rows", neighbors.ErrRequest, len(fold), n)
	}
	if row := slices.IndexFunc(fold, func(part int32) bool { return part < 0 }); row >= 0 {
		return nil, fmt.Errorf("%w: row %d is in part %d of the cross-validation, parts are numbered from 0", neighbors.ErrRequest, row, fold[row])
	}
	if len(ks) == 0 {
		return nil, fmt.Errorf("%w: no k to cross-validate", neighbors.ErrRequest)
	}
	out := m.newPredictions(len(ks), n, o.Probabilities)
	for part := range slices.Max(fold) + 1 {
		var train, test []uint32
		for row, f := range fold {
			if f == part {
				test = append(test, uint32(row))
			} else {
				train = append(train, uint32(row))
			}
		}
		if len(test) == 0 || len(train) == 0 {
			return nil, fmt.Errorf("%w: part %d of the cross-validation has %d of %d rows", neighbors.ErrRequest, part, len(test), n)
		}
		sub := m.subset(train, m.metric)
		if learn != nil {
			metric, err := learn(sub.points)
			if err != nil {
				return nil, err
			}
			sub.metric = metric
		}
		got := m.newPredictions(len(ks), len(test), o.Probabilities)
		if err := sub.predict(ctx, m.points.Subset(test), ks, o, got, 0); err != nil {
			return nil, err
		}
		for i, p := range got {
			out[i].scatter(p, test, m.classes)
		}
	}
	return out, nil
}

// scatter writes the predictions of some rows to their places.
func (p *Prediction) scatter(some *Prediction, rows []uint32, classes int) {
	for i, row := range rows {
		if p.Value != nil {
			p.Value[row] = some.Value[i]
			continue
		}
		p.Class[row], p.Tie[row], p.Share[row] = some.Class[i], some.Tie[i], some.Share[i]
		if p.Probability != nil {
			copy(p.Probability[int(row)*classes:][:classes], some.Probability[i*classes:])
		}
	}
	p.Ties += some.Ties
	p.Outliers += some.Outliers
}
