package neighbors

import (
	"context"
	"fmt"

	"skyjoin/internal/grid"
	"skyjoin/internal/par"
)

// Candidates returns how many pairs of a query row and a data row the
// algorithm looks at to carry out a Within plan for all rows, a row and itself
// included: the measure of how well its index prunes. What cells as a whole
// decide, one pair being like all others, is included too.
func (c CPU) Candidates(ctx context.Context, p *Plan) (int64, error) {
	w, err := c.way(ctx, p)
	switch {
	case err != nil:
		return 0, err
	case p.near != nil:
		return 0, fmt.Errorf("%w: candidates are of neighbours within a radius", ErrRequest)
	case w.cells == nil:
		return w.tested(p, ctx)
	}
	all, err := w.cells(p, ctx)
	if err != nil {
		return 0, err
	}
	sums := make([]int64, c.Workers())
	par.Chunks(len(sums), len(all.start)-1, func(chunk, lo, hi int) {
		find := all.finder()
		for cell := lo; cell < hi && ctx.Err() == nil; cell++ {
			f := find(cell)
			queries := int64(all.start[cell+1] - all.start[cell])
			sums[chunk] += queries * int64(grid.Points(f.direct)+grid.Points(f.wrap)+grid.Points(f.whole))
		}
	})
	total := int64(0)
	for _, s := range sums {
		total += s
	}
	return total, ctx.Err()
}
