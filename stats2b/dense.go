package stats2b

import (
	"sort"

	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
)

// denseCell is the number of points from which it pays to treat a cell as a whole:
// bounds on its distances cost as much as a few distances.
const denseCell = 32

// binOf returns i with edges[i] ≤ d2 < edges[i+1], the number of bins if d2 is
// beyond them. edges[0] is 0.
func binOf(edges []float64, d2 float64) int {
	return sort.Search(len(edges)-1, func(i int) bool { return edges[i+1] > d2 })
}

// denseCells finds the dense cells in runs of points: pairs of cells that fall into one
// bin as a whole need no distances. Without this, 100,000 points in one place would
// take 5·10⁹ distances.
type denseCells struct {
	data  *grid.Grid
	query kernel.Box // of the current queries
	boxes kernel.Box // of the dense cells, one after another, computed when first needed
	known []bool
}

func newDenseCells(query, data *grid.Grid) denseCells {
	return denseCells{data: data, query: kernel.NewBox(query.Points.Dim)}
}

// split appends the part of a run whose pairs have to be compared. whole gets the
// box of each dense cell and its number of pairs, and returns true if it has counted
// them.
func (d *denseCells) split(left []kernel.Run, r kernel.Run, queries int, whole func(kernel.Box, uint64) bool) []kernel.Run {
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
func (d *denseCells) box(cell int) kernel.Box {
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
