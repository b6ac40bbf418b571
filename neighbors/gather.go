package neighbors

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
)

// Gather carries out the whole plan and keeps its batches, in no particular
// order of rows or within lists: the cheapest whole table there is. Every query
// row is in one of the batches. limit, if positive, bounds the number of
// neighbours held; a larger result is an error that wraps ErrMemory.
func Gather(ctx context.Context, j Joiner, p *Plan, limit int64) ([]Batch, error) {
	kept := make([][]Batch, Workers(j))
	var held atomic.Int64
	err := Visit(ctx, j, p, p.Work(), func(worker int, b *Batch) error {
		if n := held.Add(int64(len(b.Index))); limit > 0 && n > limit {
			return fmt.Errorf("%w: there are more than %d neighbours", ErrMemory, limit)
		}
		kept[worker] = append(kept[worker], Batch{
			Rows:  slices.Clone(b.Rows),
			Table: Table{Offset: slices.Clone(b.Offset), Index: slices.Clone(b.Index), Dist: slices.Clone(b.Dist)},
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return slices.Concat(kept...), nil
}
