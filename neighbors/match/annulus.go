package match

import (
	"context"
	"slices"

	"skyjoin/neighbors"
)

// firstLook is how many of the nearest rows are looked for at first. With an
// inner radius it is one more than K: often a row itself is within it.
func (o *Options) firstLook(rowsB int) int {
	if o.Min > 0 {
		return min(o.K+1, rowsB)
	}
	return o.K
}

// visit collects the candidates of the rows of A in work. Where the K nearest
// outside an inner radius are asked for, rows of A with too few of them among
// the nearest rows that the plan finds are visited again, with the plan of four
// times as many that wider makes, until there are enough.
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

// beyondRadius is a factor above the rounding of distances: what is farther by
// d² may have the same distance, but none less than that by so much.
const beyondRadius = 1 + 1e-9

// enough reports whether a list of nearest rows has all candidates of its row:
// K of them outside the inner radius, or all rows, or all within the radius.
func (c *collector) enough(rows []uint32, distances []float64) bool {
	n := len(rows)
	if n == len(c.timesB) || n == 0 || rows[n-1] == neighbors.None {
		return true
	}
	if c.o.Radius > 0 && distances[n-1] > c.o.Radius*beyondRadius {
		return true
	}
	beyond := 0
	for _, d := range distances {
		if d >= c.o.Min {
			beyond++
		}
	}
	return beyond >= c.o.K
}
