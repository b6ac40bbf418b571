package match

import (
	"context"
	"slices"

	"skyjoin/neighbors"
)

// visit collects the candidates of the rows of A in work. Where the K nearest outside
// an inner radius are asked for, rows of A that have too few of them among the nearest
// rows of the plan are visited again, with a plan of four times as many nearest rows,
// which wider makes, until there are enough.
func (c *collector) visit(ctx context.Context, plan *neighbors.Plan, work neighbors.Work, wider func(k int) (*neighbors.Plan, error)) error {
	if c.o.K == 0 || c.o.Min == 0 {
		return neighbors.Visit(ctx, c.o.Joiner, plan, work, c.batch)
	}
	for k := plan.Nearest().K; ; {
		c.short = make([][]uint32, len(c.kept))
		if err := neighbors.Visit(ctx, c.o.Joiner, plan, work, c.batch); err != nil {
			return err
		}
		again := slices.Concat(c.short...)
		if len(again) == 0 {
			return nil
		}
		slices.Sort(again)
		k = min(4*k, plan.DataLen())
		var err error
		if plan, err = wider(k); err != nil {
			return err
		}
		work = neighbors.NewWork(again, plan.Cost)
	}
}
