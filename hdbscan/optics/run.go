package optics

import (
	"context"
	"fmt"
	"math"
	"sync"

	"skyjoin/hdbscan/internal/cores"
	"skyjoin/internal/kernel"
	"skyjoin/internal/mst"
	"skyjoin/neighbors"
)

// Noise is the label of rows that are in no cluster.
const Noise int32 = -1

// Options say how Run orders. Only MinSamples has to be set.
type Options struct {
	// MinSamples is the rows that the ball of a core distance holds, the row
	// itself included, or with Weights their sum: at least 1 and a whole number,
	// or positive with Weights.
	MinSamples float64

	// Weights has one finite weight per row, none negative; nil counts every
	// row once.
	Weights []float64

	// MaxEps is the largest distance that is looked at; 0 is all. Rows whose
	// core distances are larger reach no others.
	MaxEps float64

	// Joiner finds the nearest neighbours; nil is neighbors.CPU with the
	// Threads and Memory below. The walk itself is of one thread.
	Joiner neighbors.Joiner

	// Threads and Memory are for the index, see neighbors.Input; 0 is all cores
	// and no cap.
	Threads int
	Memory  int64

	// Progress, if set, is told about the rows that have their neighbours, and
	// then about those that are ordered. Calls never overlap.
	Progress func(stage string, done, total int64)
}

// An Ordering is the order of n rows, and what they are reached by.
type Ordering struct {
	Order []uint32 // rows, the first one first

	// Of every row, not in the order.
	Reachability []float64 // from its predecessor; +Inf if it has none
	CoreDistance []float64 // +Inf if it is above MaxEps
	Predecessor  []int64   // the earliest row that reaches it from so near, -1 if none does

	minSamples float64
	maxEps     float64
}

// Run orders the points. Errors wrap neighbors.ErrRequest, ErrCoordinate or
// ErrMemory; a cancelled context ends the run with its error.
func Run(ctx context.Context, points *neighbors.Points, metric neighbors.Metric, opt Options) (*Ordering, error) {
	limit := opt.MaxEps
	switch {
	case math.IsNaN(limit) || limit < 0:
		return nil, fmt.Errorf("%w: max-eps %v, it must be positive, or 0 for none", neighbors.ErrRequest, limit)
	case limit == 0 || math.IsInf(limit, 1):
		limit = math.MaxFloat64
	}
	r := cores.Request{
		Points: points, Metric: metric, MinSamples: opt.MinSamples, Weights: opt.Weights, Alpha: 1,
		Joiner: opt.Joiner, Threads: opt.Threads, Memory: opt.Memory,
	}
	tell := func(string, int, int) {}
	if opt.Progress != nil {
		var mu sync.Mutex
		done := int64(0)
		r.Progress = func(rows int) {
			mu.Lock()
			defer mu.Unlock()
			done += int64(rows)
			opt.Progress("neighbours", done, int64(points.Len()))
		}
		tell = func(stage string, done, total int) { opt.Progress(stage, int64(done), int64(total)) }
	}
	g, err := r.Build(ctx)
	if err != nil {
		return nil, err
	}
	g.To = nil
	for p, c := range g.From {
		if c > limit {
			g.From[p] = math.Inf(1)
		}
	}
	if err := g.Sort(ctx); err != nil {
		return nil, err
	}
	n := points.Len()
	rows := g.Tree.Rows()
	o := &Ordering{Order: make([]uint32, 0, n), Reachability: make([]float64, n), CoreDistance: make([]float64, n), Predecessor: make([]int64, n),
		minSamples: opt.MinSamples, maxEps: opt.MaxEps}
	for p, c := range g.From {
		o.CoreDistance[rows[p]] = c
	}
	err = g.Walk(ctx, limit, func(s mst.Step) error {
		row := rows[s.At]
		o.Order = append(o.Order, row)
		o.Reachability[row], o.Predecessor[row] = s.Weight, -1
		if s.From != kernel.None {
			o.Predecessor[row] = int64(rows[s.From])
		}
		if done := len(o.Order); done%4096 == 0 || done == n {
			tell("order", done, n)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}

// Cut returns the clusters of DBSCAN at eps, in the order: a row that is not
// reached within eps begins a cluster if its core distance is at most eps and is
// noise if not, all others are in the cluster of the row before. Border rows that
// come before their core rows are noise, unlike those of DBSCAN. eps must be at
// most the MaxEps of the run. Errors wrap neighbors.ErrRequest.
func (o *Ordering) Cut(eps float64) ([]int32, error) {
	if !(eps >= 0) {
		return nil, fmt.Errorf("%w: eps %v, it must be positive", neighbors.ErrRequest, eps)
	}
	if o.maxEps > 0 && eps > o.maxEps {
		return nil, fmt.Errorf("%w: eps %v is above max-eps %v of the order", neighbors.ErrRequest, eps, o.maxEps)
	}
	labels := make([]int32, len(o.Order))
	label, next := Noise, int32(0)
	for _, row := range o.Order {
		if o.Reachability[row] > eps {
			label = Noise
			if o.CoreDistance[row] <= eps {
				label = next
				next++
			}
		}
		labels[row] = label
	}
	return labels, nil
}
