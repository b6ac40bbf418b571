package neighbors

import (
	"context"
	"fmt"
	"sync/atomic"
)

// AtLeast sets enough[row] to whether the row has at least the given number of
// neighbours within the radius, for every query row, and returns the total number of
// neighbours of all rows. It is Count for callers that need no more: on the CPU a
// row takes one byte instead of eight.
func AtLeast(ctx context.Context, j Joiner, p *Plan, work Work, least int64, enough []bool) (total int64, err error) {
	if len(enough) != p.Len() {
		return 0, fmt.Errorf("%w: room for %d answers, there are %d rows", ErrRequest, len(enough), p.Len())
	}
	if c, ok := j.(CPU); ok && p.within != nil {
		w, err := c.begin(ctx, p)
		if err != nil {
			return 0, err
		}
		if tell, ok := takeHalf(p, c.Workers(), w, work); ok {
			w.note(ctx)
			return c.atLeastHalf(ctx, p, work, tell, least, enough)
		}
	}
	count := make([]int64, p.Len())
	if err := Count(ctx, j, p, work, count); err != nil {
		return 0, err
	}
	for row, n := range count {
		enough[row] = n >= least
		total += n
	}
	return total, nil
}

func (c CPU) atLeastHalf(ctx context.Context, p *Plan, work Work, tell func(int), least int64, enough []bool) (int64, error) {
	var total atomic.Int64
	err := countHalf(ctx, p, c.Workers(), tell, func(rows, counts []uint32) {
		sum := int64(0)
		for i, row := range rows {
			n := int64(counts[i])
			enough[row] = n >= least
			sum += n
		}
		total.Add(sum)
	})
	if err != nil {
		work.Put(p.order())
	}
	return total.Load(), err
}
