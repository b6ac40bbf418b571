package dbscan

import (
	"context"
	"sync/atomic"

	"skyjoin/internal/fresh"
	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// A cellRun clusters the points of a grid cell by cell, without listing the
// neighbours of most of them: cells whose surroundings hold too few points have no
// core point; the points of a cell that is small enough are core together and in one
// cluster (Gunawan, 2013; Gan & Tao, SIGMOD 2015); pairs of cells already known to
// be in one cluster are not compared again. The result is the one that lists of all
// neighbours would give.
//
// Everything is stored by position in the grid, where points that are near each
// other are mostly near each other in memory.
type cellRun struct {
	grid      *grid.Grid
	points    kernel.Points // of the grid, with positions as IDs
	fn        *kernel.Funcs
	t         float64 // largest d² within ε
	minPoints int64
	threads   int
	enough    []bool // the rows with minPoints in their balls, if known
	own       []bool // the rows that may be core; nil: all

	forest *forest  // of positions
	kind   []uint8  // of each point: other, member or head
	of     []uint32 // for each cell, a core point of the set that its core points are in, or one of the values below
}

// The kinds of points. Core points of one cell that are connected within the cell
// share one head.
const (
	other uint8 = iota
	member
	head
)

// Values of cellRun.of for cells without core points: unknown at first, later those
// with some within reach; and for cells whose core points are in several sets as far
// as the cell itself shows. The last value could also be a position if the grid were
// full; that does no harm, because the heads of the cell are consulted then.
const (
	noCore   = kernel.None
	nearCore = noCore - 1
	several  = noCore - 2
)

// hasCore reports whether a cell has core points.
func (c *cellRun) hasCore(cell uint32) bool { return atomic.LoadUint32(&c.of[cell]) < nearCore }

// chunkCells is the number of cells that a worker takes at once.
const chunkCells = 512

// newCellRun prepares a run over the grid of a plan, a self-join that is not
// periodic. enough is nil if the neighbours have not been counted, and own if all
// rows may be core.
func newCellRun(plan *neighbors.Plan, minPoints int64, threads int, enough, own []bool) *cellRun {
	g, _ := grids(plan)
	n := g.Points.N
	c := &cellRun{
		grid: g, points: g.Points, fn: kernel.Best(), t: plan.SquaredRadius(),
		minPoints: minPoints, threads: par.Threads(threads), enough: enough, own: own,
		forest: newForest(n), kind: make([]uint8, n), of: make([]uint32, g.Cells()),
	}
	c.points.ID = fresh.Make[uint32](par.Threads(threads), n+kernel.Slack)
	for i := range c.points.ID {
		c.points.ID[i] = uint32(i)
	}
	return c
}

// each calls f for all cells, mostly in ascending order per worker, and reports
// their points to the meter. make makes the function of a worker.
func (c *cellRun) each(ctx context.Context, m *meter, make func() func(cell int)) error {
	portions := par.NewPortions(c.threads, c.grid.Cells(), chunkCells)
	par.Chunks(c.threads, c.threads, func(w, _, _ int) {
		f := make()
		for ctx.Err() == nil {
			lo, hi, ok := portions.Next(w)
			if !ok {
				return
			}
			for cell := lo; cell < hi && ctx.Err() == nil; cell++ {
				f(cell)
			}
			m.add(int(c.grid.Start[hi] - c.grid.Start[lo]))
		}
	})
	return ctx.Err()
}

// bounds returns the positions of a cell.
func (c *cellRun) bounds(cell int) (lo, hi int) {
	return int(c.grid.Start[cell]), int(c.grid.Start[cell+1])
}

// apartBy returns d² of two points.
func (c *cellRun) apartBy(i, j int) float64 {
	var d2 float64
	for k := range c.points.Dim {
		x := c.points.Data[k*c.points.Stride:]
		d := x[i] - x[j]
		d2 += float64(d * d)
	}
	return d2
}
