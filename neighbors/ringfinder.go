package neighbors

import (
	"math"

	"skyjoin/internal/grid"
	"skyjoin/internal/kdtree"
	"skyjoin/internal/kernel"
)

const (
	ringMaxDim = 3  // in more dimensions rings have too many cells
	ringMaxK   = 64 // and longer lists are not for the kernel
)

// pointsPerCell returns how many points a cell of a grid for rings should
// have: the first ring then mostly holds the nearest.
func pointsPerCell(dim, k int) float64 {
	if dim < 3 {
		return max(1, float64(k)/2)
	}
	return max(1, float64(k)/3)
}

// A ringFinder finds nearest neighbours in the cells around a query: those up
// to one cell away, up to two if these do not settle it, and else in a tree.
// It is for points that are spread evenly.
type ringFinder struct {
	k     int
	self  bool
	query *grid.Grid
	data  *grid.Grid
	fn    *kernel.Funcs
	rings []*grid.Sweep // of one cell, of two
	cell  int           // that of the queries last asked for
	tree  func() *kdtree.Tree
	rest  *kdtree.Nearest // made when first needed
	dist  []float64
	id    []uint32
}

func (p *Plan) newRingFinder(query, data *grid.Grid, tree func() *kdtree.Tree) *ringFinder {
	k := min(p.near.K, data.Points.N)
	f := &ringFinder{k: k, self: p.self, query: query, data: data, fn: kernel.Best(), tree: tree}
	f.rings = []*grid.Sweep{grid.NewRingSweep(query, data, 1), grid.NewRingSweep(query, data, 2)}
	f.dist, f.id = make([]float64, kernel.ListLen(k)), make([]uint32, kernel.ListLen(k))
	return f
}

func (f *ringFinder) together(positions []uint32) int {
	end := f.query.Start[f.cellOf(positions[0])+1]
	n := 1
	for n < len(positions) && positions[n] < end {
		n++
	}
	return n
}

// cellOf returns the cell of a position, which is mostly that of the position
// asked for before, or the next.
func (f *ringFinder) cellOf(at uint32) int {
	start := f.query.Start
	if f.cell+2 < len(start) && at >= start[f.cell+1] {
		f.cell++
	}
	if at < start[f.cell] || at >= start[f.cell+1] {
		f.cell = f.query.Cell(int(at))
	}
	return f.cell
}

func (f *ringFinder) find(positions []uint32, visit func(n int, rows []uint32, d2 []float64)) {
	cell := f.cellOf(positions[0])
	f.rings[0].Visit(cell)
	wide := false
	for n, i := range positions {
		if !f.ring(int(i), 0) {
			if !wide {
				f.rings[1].Visit(cell)
				wide = true
			}
			if !f.ring(int(i), 1) {
				rows, d2 := f.search(int(i))
				visit(n, rows, d2)
				continue
			}
		}
		visit(n, f.id[:f.k], f.dist[:f.k])
	}
}

// ring fills the list of query i from a ring that has been visited, and
// reports whether nothing outside can belong in it.
func (f *ringFinder) ring(i, level int) bool {
	runs := f.rings[level].Direct
	if grid.Points(runs) < f.k {
		return false
	}
	kernel.ClearList(f.dist, f.id)
	f.fn.Nearest(&f.query.Points, i, &f.data.Points, runs, f.skip(i), f.k, f.dist, f.id)
	margin := f.query.Margin(i, level+1)
	// Coordinates outside the margin differ by more than it, and so do their
	// squares when computed: the margin is rounded down by far more.
	return f.dist[f.k-1] <= float64(margin*margin) && !math.IsInf(f.dist[f.k-1], 1)
}

func (f *ringFinder) skip(i int) uint32 {
	if f.self {
		return f.query.Points.ID[i]
	}
	return kernel.None
}

// search finds the neighbours of query i in a tree.
func (f *ringFinder) search(i int) ([]uint32, []float64) {
	if f.rest == nil {
		f.rest = kdtree.NewNearest(f.tree(), f.k, nil)
	}
	q := &f.query.Points
	return f.rest.Find(q, i, f.skip(i), f.rest.Leaf(q, i))
}
