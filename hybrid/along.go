package hybrid

import (
	"math"

	"skyjoin/internal/column"
	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
	"skyjoin/internal/space"
)

// along returns all rows ordered by a coordinate, then by row.
func along(c column.Column) []uint32 {
	n := c.Len()
	keys, rows := make([]uint64, n), make([]uint32, n+kernel.Slack)
	par.Chunks(par.Threads(0), n, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			keys[i], rows[i] = ascending(c.At(i)), uint32(i)
		}
	})
	_, rows = grid.SortByKey(par.Threads(0), keys, rows)
	return rows[:n:n]
}

// ascending maps floats to integers of the same order.
func ascending(x float64) uint64 {
	b := math.Float64bits(x + 0) // turns -0 into 0
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// widest returns the axis with the largest extent.
func widest(s *space.Space) int {
	best, most := 0, -1.0
	for j, c := range s.Columns {
		low, high := 0.0, 0.0
		for i := range c.Len() {
			if x := c.At(i); i == 0 {
				low, high = x, x
			} else {
				low, high = min(low, x), max(high, x)
			}
		}
		if extent := high/2 - low/2; extent > most {
			best, most = j, extent
		}
	}
	return best
}
