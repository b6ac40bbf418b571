package neighbors

import (
	"context"
	"fmt"
	"math"
)

// Collect carries out the whole plan and returns all lists, list i belonging
// to query row i, ordered by neighbour for Within and by (d², row) for
// Nearest. limit, if positive, bounds the number of neighbours held; a larger
// result is an error that wraps ErrMemory and names both numbers.
//
// The lists of a Within plan are counted first and written to their places
// then, so that memory holds them once.
func Collect(ctx context.Context, j Joiner, p *Plan, limit int64) (*Table, error) {
	counts, err := counts(ctx, j, p)
	if err != nil {
		return nil, err
	}
	ps := pass{plan: p, order: Order{Entries: math.MaxInt64}}
	if total := ps.begin(0, counts); limit > 0 && total > limit {
		return nil, fmt.Errorf("%w: there are %d neighbours, %d are allowed", ErrMemory, total, limit)
	}
	ps.room(Workers(j))
	if err := ps.run(ctx, j); err != nil {
		return nil, err
	}
	return &ps.Table, nil
}
