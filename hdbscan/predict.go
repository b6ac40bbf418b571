package hdbscan

import (
	"context"
	"fmt"

	"skyjoin/hdbscan/internal/cores"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// A Prediction is where new rows are in a condensed tree.
type Prediction struct {
	Labels        []int32
	Probabilities []float64
	Outliers      []float64 // GLOSH

	Cluster []int32   // that the row leaves
	Height  []float64 // and the height at which it does
}

// Predict attaches new points to the tree, and labels them by the clusters of a
// selection. The tree does not change, so that predictions do not depend on each other.
//
// The core distance of a new row is that among the rows of the tree and itself, counted
// once, with weights as one. The row joins the one of the least (mutual reachability,
// row) at that height: it leaves the cluster that this row is in there, together with
// it where it leaves no later. A new row at the position of a row of the tree gets the
// answer for that row, the lowest of several: predicting the rows of the tree gives
// their own labels. Errors wrap neighbors.ErrRequest, ErrCoordinate or ErrMemory.
func (c *Condensed) Predict(ctx context.Context, s Selection, points *neighbors.Points, join Join) (*Prediction, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	t := c.tree
	if t.graph == nil {
		return nil, fmt.Errorf("%w: a tree that was stored has no points to attach others to", neighbors.ErrRequest)
	}
	r := cores.Request{
		Points: t.points, Metric: t.metric, MinSamples: t.options.MinSamples, Weights: t.options.Weights, Alpha: t.options.Alpha,
		Joiner: join.Joiner, Threads: join.Threads, Memory: join.Memory,
	}
	if points != nil {
		r.Progress = newMeter(join.Progress, StageNeighbors, points.Len()).add
	}
	graph, place, err := t.searched(ctx, &r)
	if err != nil {
		return nil, err
	}
	reached, err := r.Reach(ctx, graph, points)
	if err != nil {
		return nil, err
	}
	n := points.Len()
	p := &Prediction{make([]int32, n), make([]float64, n), make([]float64, n), make([]int32, n), make([]float64, n)}
	l, lowest := c.labeller(s), c.lowest()
	par.Chunks(par.Threads(join.Threads), n, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			at := reached[i].Position
			if place != nil {
				at = place[at]
			}
			id, height := c.attach(at, reached[i].Height)
			p.Cluster[i], p.Height[i] = id, height
			p.Labels[i], p.Probabilities[i] = l.label(id, height)
			p.Outliers[i] = glosh(height, lowest[id])
		}
	})
	return p, nil
}

// attach returns the cluster that a row leaves which joins the one at a position
// at some height, and the height at which it does.
func (c *Condensed) attach(position uint32, height float64) (int32, float64) {
	id := c.cluster[position]
	for c.Clusters[id].Birth <= height && c.Clusters[id].Parent >= 0 {
		id = c.Clusters[id].Parent
	}
	return id, max(height, c.height[position])
}
