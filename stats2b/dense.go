package stats2b

import (
	"sort"

	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
)

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
