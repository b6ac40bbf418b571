package kernel

import (
	"math"
	"slices"
)

// Candidates is room for what is looked for the nearest among. It belongs to
// one goroutine.
type Candidates struct {
	dist  []float64
	id    []uint32
	count []uint32
}

// room makes room for the candidates of so many queries.
func (c *Candidates) room(queries, total int) {
	if n := queries*total + Slack; n > len(c.dist) {
		c.dist, c.id = make([]float64, n), make([]uint32, n)
	}
	c.count = slices.Grow(c.count[:0], queries)[:queries]
}

// Nearest finds, for each of the queries [lo, hi) of q, the k nearest points of
// d that are in runs and within t, but for that with the ID of the query if
// self is set, and writes them as [Funcs.Least] does: dist and id have Slack
// more than the (hi-lo)·k results. It returns how many points of the runs each
// query has within t. A query has its results if these are at least k, k+1
// with self, and at most [MostLeast] of k.
//
// There is room for all points of the runs for every query, which should not
// be too many.
func (c *Candidates) Nearest(f *Funcs, q *Points, lo, hi int, d *Points, runs []Run, t float64, self bool, k int, dist []float64, id []uint32) []uint32 {
	c.room(hi-lo, points(runs))
	n := f.Emit(q, lo, hi, d, runs, t, c.id, c.dist, c.count)
	c.least(f, n, q, lo, hi, self, k, dist, id)
	return c.count
}

// NearestOf is [Candidates.Nearest] for runs in boxes, side being nil or
// [Sides].
func (c *Candidates) NearestOf(f *Funcs, q *Points, lo, hi int, d *Points, b *Boxes, side []float64, t float64, self bool, k int, dist []float64, id []uint32) []uint32 {
	c.room(hi-lo, points(b.Runs))
	n := f.EmitNear(q, lo, hi, d, b.Runs, b.Box, side, t, c.id, c.dist, c.count)
	c.least(f, n, q, lo, hi, self, k, dist, id)
	return c.count
}

// Thinned returns the d² within which so many candidates are wanted in dim
// dimensions, where there are found ones within t and they are spread evenly.
func Thinned(t float64, found uint32, wanted float64, dim int) float64 {
	return t * math.Pow(wanted/float64(found), 2/float64(dim))
}

func (c *Candidates) least(f *Funcs, n int, q *Points, lo, hi int, self bool, k int, dist []float64, id []uint32) {
	var skip []uint32
	if self {
		skip = q.ID[lo:hi]
	}
	f.Least(c.dist[:n], c.id[:n], c.count, skip, k, dist, id)
}

func points(runs []Run) int {
	total := 0
	for _, r := range runs {
		total += int(r.Hi - r.Lo)
	}
	return total
}
