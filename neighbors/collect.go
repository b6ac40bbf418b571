package neighbors

import (
	"context"
	"fmt"
	"math"

	"skyjoin/internal/fresh"
)

// pad appends n places without a neighbour.
func (p *Plan) pad(b *Batch, n int) {
	for range n {
		b.Index = append(b.Index, None)
		b.Dist = append(b.Dist, math.Inf(1))
	}
}

// Collect carries out the whole plan and returns all lists, list i belonging
// to query row i, ordered by neighbour for Within and by (d², row) for
// Nearest. limit, if positive, bounds the number of neighbours held; a larger
// result is an error that wraps ErrMemory and names both numbers.
//
// The lists of a Within plan are counted first and written to their places
// then, so that memory holds them once.
func Collect(ctx context.Context, j Joiner, p *Plan, limit int64) (*Table, error) {
	t := &Table{Offset: make([]int64, p.Len()+1)}
	if p.near != nil {
		for i := range t.Offset {
			t.Offset[i] = int64(i) * int64(p.near.K)
		}
	} else {
		if err := Count(ctx, j, p, p.Work(), t.Offset[1:]); err != nil {
			return nil, err
		}
		for i := range p.Len() {
			t.Offset[i+1] += t.Offset[i]
		}
	}
	total := t.Offset[p.Len()]
	if limit > 0 && total > limit {
		return nil, fmt.Errorf("%w: there are %d neighbours, %d are allowed", ErrMemory, total, limit)
	}
	t.Index = fresh.Make[uint32](Workers(j), int(total))
	if p.near != nil || p.within.Distance {
		t.Dist = fresh.Make[float64](Workers(j), int(total))
	}
	sorters := make([]sorter, Workers(j))
	err := Visit(ctx, j, p, p.Work(), func(worker int, b *Batch) error {
		for i, r := range b.Rows {
			list, dist := t.List(int(r)), t.Dists(int(r))
			if got := b.Offset[i+1] - b.Offset[i]; got != int64(len(list)) {
				return fmt.Errorf("row %d has %d neighbours but was counted to have %d", r, got, len(list))
			}
			if p.within != nil {
				sorters[worker].order(list, dist, b.List(i), b.Dists(i), 0)
				continue
			}
			copy(list, b.List(i))
			copy(dist, b.Dists(i))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}
