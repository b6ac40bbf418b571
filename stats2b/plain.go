package stats2b

import (
	"skyjoin/internal/kernel"
)

// A plainCounter counts pairs with the histogram kernels.
type plainCounter struct {
	*sweep
	fn     *kernel.Funcs
	h      *kernel.Histogram
	edges  []float64
	counts []uint64  // of pairs that do not go through the kernel
	side   []float64 // kernel.Sides of the periods
	dense  denseCells
	left   []kernel.Run
	buffer [wrapBlock]float64
}

func newPlainCounter(s *sweep, table *kernel.Bins, edges []float64) *plainCounter {
	return &plainCounter{
		sweep: s, fn: kernel.Best(), h: kernel.NewHistogram(table), edges: edges,
		counts: make([]uint64, len(edges)-1), side: kernel.Sides(querySpace(s.plan).Side),
		dense: newDenseCells(s.query, s.data),
	}
}

func (c *plainCounter) direct(lo, hi, end int, runs []kernel.Run) {
	q, d := &c.query.Points, &c.data.Points
	if hi-lo < denseCell {
		c.fn.Hist(q, lo, hi, end, d, runs, c.h)
		return
	}
	c.dense.query.Around(q, lo, hi)
	if end > 0 && c.whole(c.dense.query, uint64(hi-lo)*uint64(hi-lo-1)/2) {
		end = 0
	}
	c.left = c.left[:0]
	for _, r := range runs {
		c.left = c.dense.split(c.left, r, hi-lo, c.whole)
	}
	if end > 0 || len(c.left) > 0 {
		c.fn.Hist(q, lo, hi, end, d, c.left, c.h)
	}
}

// whole counts the pairs of the queries with the points of a box, if they are all in
// one bin.
func (c *plainCounter) whole(box kernel.Box, pairs uint64) bool {
	i := binOf(c.edges, c.dense.query.Nearest(box))
	if i != binOf(c.edges, c.dense.query.Farthest(box)) {
		return false
	}
	if i < len(c.counts) {
		c.counts[i] += pairs
	}
	return true
}

func (c *plainCounter) wrapped(i int, runs []kernel.Run) {
	for _, r := range runs {
		for ; r.Lo < r.Hi; r.Lo += min(wrapBlock, r.Hi-r.Lo) {
			d2 := c.buffer[:min(wrapBlock, r.Hi-r.Lo)]
			kernel.WrappedSquares(&c.query.Points, i, &c.data.Points, int(r.Lo), c.side, d2)
			c.h.Add(d2)
		}
	}
}

// addTo adds the counts to sum.
func (c *plainCounter) addTo(sum []uint64) {
	bins, _, _ := c.h.Counts()
	for i := range sum {
		sum[i] += bins[i] + c.counts[i]
	}
}

// wrapBlock is how many pairs that wrap are measured at once.
const wrapBlock = 256

// fromZero returns edges that begin with 0, so that the pairs below the first edge
// are counted too, and how many edges it has added: none if the first is 0.
func fromZero(squared []float64) (edges []float64, more int) {
	if squared[0] == 0 {
		return squared, 0
	}
	return append([]float64{0}, squared...), 1
}
