package neighbors

import (
	"context"
	"fmt"
)

// Fill carries out the plan for the rows of work and writes the list of each to its
// place in arrays of the caller: that of row i to index[offset[i]:offset[i+1]],
// and distances, unless dist is nil, likewise. Lists are ordered as those of
// [Collect]; a place that a padded list leaves empty gets -1. offset has one
// entry more than there are query rows and is made of what [Count] says, or of
// multiples of K. The memory that it takes besides is that of the batches.
func Fill(ctx context.Context, j Joiner, p *Plan, work Work, offset, index []int64, dist []float64) error {
	if len(offset) != p.Len()+1 {
		return fmt.Errorf("%w: %d offsets for %d rows, there must be one more than rows", ErrRequest, len(offset), p.Len())
	}
	if n := offset[p.Len()]; int64(len(index)) != n || dist != nil && int64(len(dist)) != n {
		return fmt.Errorf("%w: room for %d neighbours and %d distances, there are %d", ErrRequest, len(index), len(dist), n)
	}
	type scratch struct {
		sorter
		rows []uint32
	}
	workers := make([]scratch, Workers(j))
	return Visit(ctx, j, p, work, func(worker int, b *Batch) error {
		s := &workers[worker]
		for i, row := range b.Rows {
			list, from := b.List(i), b.Dists(i)
			lo, hi := offset[row], offset[row+1]
			if int64(len(list)) != hi-lo {
				return fmt.Errorf("%w: room for %d neighbours of row %d, it has %d", ErrRequest, hi-lo, row, len(list))
			}
			var to []float64
			if dist != nil {
				to = dist[lo:hi]
			}
			if p.near != nil { // ordered, by distance
				copy(to, from)
			} else {
				if cap(s.rows) < len(list) {
					s.rows = make([]uint32, len(list)*5/4)
				}
				sorted := s.rows[:len(list)]
				s.order(sorted, to, list, from, 0)
				list = sorted
			}
			for k, q := range list {
				if index[lo+int64(k)] = int64(q); q == None {
					index[lo+int64(k)] = -1
				}
			}
		}
		return nil
	})
}
