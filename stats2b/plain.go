package stats2b

import (
	"sort"

	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
)

// A plain counts pairs with the histogram kernels.
type plain struct {
	*sweep
	fn     *kernel.Funcs
	h      *kernel.Histogram
	edges  []float64
	counts []uint64  // of pairs that the kernel does not see
	side   []float64 // kernel.Sides of the periods
	dense  dense
	left   []kernel.Run
	buffer [wrapBlock]float64
}

func newPlain(s *sweep, table *kernel.Bins, edges []float64) *plain {
	return &plain{
		sweep: s, fn: kernel.Best(), h: kernel.NewHistogram(table), edges: edges,
		counts: make([]uint64, len(edges)-1), side: kernel.Sides(querySpace(s.plan).Side),
		dense: newDense(s.query, s.data),
	}
}

func (c *plain) direct(lo, hi, end int, runs []kernel.Run) {
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
		c.left = c.dense.sift(c.left, r, hi-lo, c.whole)
	}
	if end > 0 || len(c.left) > 0 {
		c.fn.Hist(q, lo, hi, end, d, c.left, c.h)
	}
}

// whole counts so many pairs of the queries with points of a box if they are
// all in one bin.
func (c *plain) whole(box kernel.Box, pairs uint64) bool {
	i := binOf(c.edges, c.dense.query.Nearest(box))
	if i != binOf(c.edges, c.dense.query.Farthest(box)) {
		return false
	}
	if i < len(c.counts) {
		c.counts[i] += pairs
	}
	return true
}

func (c *plain) wrapped(i int, runs []kernel.Run) {
	for _, r := range runs {
		for ; r.Lo < r.Hi; r.Lo += min(wrapBlock, r.Hi-r.Lo) {
			d2 := c.buffer[:min(wrapBlock, r.Hi-r.Lo)]
			kernel.WrappedSquares(&c.query.Points, i, &c.data.Points, int(r.Lo), c.side, d2)
			c.h.Add(d2)
		}
	}
}

// addTo adds the counts to sum.
func (c *plain) addTo(sum []uint64) {
	bins, _, _ := c.h.Counts()
	for i := range sum {
		sum[i] += bins[i] + c.counts[i]
	}
}

// wrapBlock is how many pairs that wrap are measured at once.
const wrapBlock = 256

// fromZero returns edges with 0 before the first, so that the pairs below it
// are counted too, and how many have been put there: none if it is 0 itself.
func fromZero(squared []float64) (edges []float64, more int) {
	if squared[0] == 0 {
		return squared, 0
	}
	return append([]float64{0}, squared...), 1
}

// denseCell is the number of points from which a cell is worth a look as a
// whole: the bounds of its distances cost as much as a few of these.
const denseCell = 32

// binOf returns i with edges[i] ≤ d2 < edges[i+1], the number of bins if d2 is
// beyond them. edges[0] is 0.
func binOf(edges []float64, d2 float64) int {
	return sort.Search(len(edges)-1, func(i int) bool { return edges[i+1] > d2 })
}

// A dense finds the dense cells in runs of points: pairs of cells that are in
// one bin as a whole need no distances. It is what keeps 100,000 points in one
// place from costing 5·10⁹ of them.
type dense struct {
	data  *grid.Grid
	query kernel.Box // of the queries at hand
	boxes kernel.Box // of the dense cells, one after another, made when first asked for
	known []bool
}

func newDense(query, data *grid.Grid) dense {
	return dense{data: data, query: kernel.NewBox(query.Points.Dim)}
}

// sift appends the part of a run that has to be looked at: whole, given the box
// of a cell and the number of pairs with it, has taken what it returns true
// for.
func (d *dense) sift(left []kernel.Run, r kernel.Run, queries int, whole func(kernel.Box, uint64) bool) []kernel.Run {
	start := d.data.Start
	for cell := d.data.Cell(int(r.Lo)); r.Lo < r.Hi; cell++ {
		end := min(start[cell+1], r.Hi)
		if end-r.Lo >= denseCell && whole(d.box(cell), uint64(queries)*uint64(end-r.Lo)) {
			r.Lo = end
			continue
		}
		left = kernel.Extend(left, r.Lo, end)
		r.Lo = end
	}
	return left
}

// box returns the box of a cell.
func (d *dense) box(cell int) kernel.Box {
	dim := d.data.Points.Dim
	if d.known == nil {
		d.known = make([]bool, d.data.Cells())
		d.boxes = kernel.NewBox(dim * d.data.Cells())
	}
	b := kernel.Box{Least: d.boxes.Least[cell*dim:][:dim], Most: d.boxes.Most[cell*dim:][:dim]}
	if !d.known[cell] {
		b.Around(&d.data.Points, int(d.data.Start[cell]), int(d.data.Start[cell+1]))
		d.known[cell] = true
	}
	return b
}
