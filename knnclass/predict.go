package knnclass

import (
	"context"
	"fmt"
	"slices"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

// A Prediction is what a model says of each query row.
type Prediction struct {
	Class []int32   // of a classifier: the class, or Outlier
	Tie   []bool    // whether another class had as many votes
	Share []float64 // of the votes that the class has: its probability

	// Probability has the shares of all classes of each row, row after row;
	// all 0 for an outlier. nil unless asked for.
	Probability []float64

	Value []float64 // of a regressor: the mean by votes, NaN for an outlier

	Ties     int64 // rows with a tie
	Outliers int64 // rows without a neighbour
}

// Predict predicts the query rows, a block of them after the other. Errors
// wrap neighbors.ErrRequest, ErrCoordinate or ErrMemory.
func (m *Model) Predict(ctx context.Context, query *neighbors.Points, o Options) (*Prediction, error) {
	if query == nil {
		return nil, fmt.Errorf("%w: no query points", neighbors.ErrRequest)
	}
	p := m.newPrediction(query.Len(), o.Probabilities)
	err := o.blocks(query.Len(), m.Len(), func(lo, hi int) error {
		return m.predict(ctx, query.Slice(lo, hi), nil, o, []*Prediction{p}, lo)
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// LeaveOneOut predicts every training row from the others, through one
// self-join, for each k of ks; Options.K is not used. Without ks, as with
// Options.Radius, there is one prediction by the options.
func (m *Model) LeaveOneOut(ctx context.Context, ks []int, o Options) ([]*Prediction, error) {
	out := m.newPredictions(max(len(ks), 1), m.Len(), o.Probabilities)
	return out, m.predict(ctx, nil, ks, o, out, 0)
}

func (m *Model) newPredictions(count, rows int, probabilities bool) []*Prediction {
	return each.To(count, func(i int) *Prediction { return m.newPrediction(rows, probabilities) })
}

// predict predicts query rows, or each training row from the others if query
// is nil, for each k of ks, or once by the options if there are none. The first row
// goes to place at of the predictions.
func (m *Model) predict(ctx context.Context, query *neighbors.Points, ks []int, o Options, out []*Prediction, at int) error {
	if len(ks) > 0 {
		o.K = slices.Max(ks)
		if low := slices.Min(ks); low < 1 {
			return fmt.Errorf("%w: k=%d, it must be at least 1", neighbors.ErrRequest, low)
		}
	}
	plan, err := m.plan(ctx, query, &o)
	if err != nil {
		return err
	}
	voters := make([]*voter, neighbors.Workers(o.joiner()))
	tallies := make([][]tally, len(voters))
	for i := range voters {
		voters[i], tallies[i] = newVoter(m, o.Vote), make([]tally, len(out))
	}
	err = neighbors.Visit(ctx, o.joiner(), plan, plan.Work(), func(worker int, b *neighbors.Batch) error {
		v := voters[worker]
		for i, row := range b.Rows {
			near, dist := b.List(i), b.Dists(i)
			if o.Radius != 0 {
				near, dist = v.sorted(near, dist)
			}
			scaled := v.weigh(near, dist) // else votes of the first k do not depend on the rest
			for j, p := range out {
				n := len(near)
				if len(ks) > 0 {
					n = ks[j]
				}
				if scaled {
					v.weigh(near[:n], dist[:n])
				}
				p.set(v, at+int(row), near[:n], dist[:n], &tallies[worker][j])
			}
		}
		if o.Progress != nil {
			o.Progress(int64(len(b.Rows)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, worker := range tallies {
		for j, t := range worker {
			out[j].Ties += t.ties
			out[j].Outliers += t.outliers
		}
	}
	return nil
}

// plan prepares the join of the query, or of the training rows with each
// other.
func (m *Model) plan(ctx context.Context, query *neighbors.Points, o *Options) (*neighbors.Plan, error) {
	q, err := o.query()
	if err != nil {
		return nil, err
	}
	in := neighbors.Input{Query: query, Data: m.points, Metric: m.metric, Threads: o.Threads, Memory: o.Memory}
	if query == nil {
		in.Query, in.Data = m.points, nil
	}
	return neighbors.Prepare(ctx, in, q)
}

func (m *Model) newPrediction(n int, probabilities bool) *Prediction {
	if m.values != nil {
		return &Prediction{Value: make([]float64, n)}
	}
	p := &Prediction{Class: make([]int32, n), Tie: make([]bool, n), Share: make([]float64, n)}
	if probabilities {
		p.Probability = make([]float64, n*m.classes)
	}
	return p
}

// A tally is what a worker counts.
type tally struct{ ties, outliers int64 }

// set predicts one row.
func (p *Prediction) set(v *voter, row int, near []uint32, dist []float64, t *tally) {
	if len(near) == 0 {
		t.outliers++
	}
	if p.Value != nil {
		p.Value[row] = v.value(near)
		return
	}
	var probability []float64
	if p.Probability != nil {
		probability = p.Probability[row*v.m.classes:][:v.m.classes]
	}
	p.Class[row], p.Tie[row], p.Share[row] = v.class(near, dist, probability)
	if p.Tie[row] {
		t.ties++
	}
}
