package knnclass

import (
	"context"
	"fmt"

	"skyjoin/neighbors"
)

// Explain passes the neighbours behind each prediction to visit, in ascending
// order of query rows: the training rows, nearest first, their distances, and
// the share of all votes that each has. The slices are valid during the call.
// entries is about how many neighbours are held at once, 0 for a default.
func (m *Model) Explain(ctx context.Context, query *neighbors.Points, o Options, entries int64, visit func(row uint32, train []uint32, dist, share []float64) error) error {
	if query == nil {
		return fmt.Errorf("%w: no query points", neighbors.ErrRequest)
	}
	v := newVoter(m, o.Vote)
	return o.blocks(query.Len(), m.Len(), func(lo, hi int) error {
		return m.explain(ctx, query.Slice(lo, hi), o, entries, v, func(row uint32, train []uint32, dist, share []float64) error {
			return visit(uint32(lo)+row, train, dist, share)
		})
	})
}

// explain is Explain for one block.
func (m *Model) explain(ctx context.Context, query *neighbors.Points, o Options, entries int64, v *voter, visit func(row uint32, train []uint32, dist, share []float64) error) error {
	plan, err := m.plan(ctx, query, &o)
	if err != nil {
		return err
	}
	var share []float64
	return neighbors.InOrder(ctx, o.joiner(), plan, neighbors.Order{Entries: entries, Progress: o.Progress}, func(b *neighbors.Batch) error {
		for i, row := range b.Rows {
			near, dist := b.List(i), b.Dists(i) // the nearest by (d², row), those within a radius by row
			if o.Radius != 0 {
				near, dist = v.sorted(near, dist)
			}
			v.weigh(near, dist)
			total := v.total(len(near))
			share = share[:0]
			for _, w := range v.votes {
				share = append(share, w/total)
			}
			if err := visit(row, near, dist, share); err != nil {
				return err
			}
		}
		return nil
	})
}
