// Package outlier scores how isolated rows are among their nearest neighbours.
package outlier

import (
	"context"
	"fmt"
	"math"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// Scores are the outlier scores of n rows.
type Scores struct {
	LOF       []float64 // about 1 within clusters, larger for outliers; never NaN
	KDistance []float64 // distance to the k-th nearest other row
}

// LOF returns the local outlier factor of every row (Breunig, Kriegel, Ng &
// Sander, SIGMOD 2000): the mean of the local reachability densities of its k
// nearest others, divided by its own, which is one over the mean of
// max(k-distance of the other, distance).
//
// Nothing is added to means: where that of a row is 0, as among more than k
// duplicates, its factor is 1, and where one of its neighbours has such, it is
// +Inf. Sums are in the order of the neighbours, by (d², row), so that every
// joiner has the same bits. Errors wrap neighbors.ErrRequest, ErrCoordinate or
// ErrMemory.
func LOF(ctx context.Context, points *neighbors.Points, metric neighbors.Metric, k int, opt Options) (*Scores, error) {
	if points == nil {
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	l, err := newLists(ctx, points, metric, k, opt)
	if err != nil {
		return nil, err
	}
	n, threads := points.Len(), par.Threads(opt.Threads)
	s := &Scores{LOF: make([]float64, n), KDistance: make([]float64, n)}
	each := func(visit func(row int, index []uint32, dist []float64)) {
		par.Chunks(threads, n, func(_, lo, hi int) {
			for row := lo; row < hi; row++ {
				index, dist := l.of(row)
				visit(row, index, dist)
			}
		})
	}
	each(func(row int, _ []uint32, dist []float64) { s.KDistance[row] = dist[k-1] })
	density := make([]float64, n) // +Inf among duplicates
	each(func(row int, index []uint32, dist []float64) {
		sum := 0.0
		for i, q := range index {
			sum += max(s.KDistance[q], dist[i])
		}
		density[row] = 1 / (sum / float64(len(index)))
	})
	each(func(row int, index []uint32, _ []float64) {
		if math.IsInf(density[row], 1) {
			s.LOF[row] = 1
			return
		}
		sum := 0.0
		for _, q := range index {
			sum += density[q]
		}
		s.LOF[row] = sum / float64(len(index)) / density[row]
		if math.IsNaN(s.LOF[row]) { // all are infinitely far
			s.LOF[row] = 1
		}
	})
	return s, ctx.Err()
}
