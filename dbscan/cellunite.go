package dbscan

import (
	"bytes"
	"context"
	"sync/atomic"

	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
)

// crowdedCell is the number of points from which it pays to compare the boxes of a
// pair of cells before their points.
const crowdedCell = 32

// A uniter connects the core points of different cells.
type uniter struct {
	c      *cellRun
	sweep  *grid.Sweep
	find   func(cell int) // finds the candidates of sweep
	near   []uint32       // cells that may have to be connected with the current one
	runs   []kernel.Run
	out    []uint32
	count  [1]uint32
	box    kernel.Box // of the current cell
	boxed  bool
	theirs kernel.Box
}

// unite connects the core points of all cells, which are already connected within
// their cells. It proceeds along the rows of cells: most cells of a dense row are
// then in one set, and a single pair of points connects it with the next row.
func (c *cellRun) unite(ctx context.Context, m *meter) error {
	rows := func(s *grid.Sweep) func(int) { return func(cell int) { s.Row(cell) } }
	all := func(s *grid.Sweep) func(int) { return s.Visit }
	if err := c.uniteBy(ctx, nil, rows); err != nil {
		return err
	}
	return c.uniteBy(ctx, m, all)
}

func (c *cellRun) uniteBy(ctx context.Context, m *meter, find func(*grid.Sweep) func(cell int)) error {
	return c.each(ctx, m, func() func(int) {
		sweep := grid.NewForwardSweep(c.grid)
		u := &uniter{c: c, sweep: sweep, find: find(sweep), box: kernel.NewBox(c.points.Dim), theirs: kernel.NewBox(c.points.Dim)}
		return u.cell
	})
}

// cell connects a cell with those that follow it.
func (u *uniter) cell(cell int) {
	c := u.c
	if !c.hasCore(uint32(cell)) {
		return
	}
	u.find(cell)
	of := atomic.LoadUint32(&c.of[cell])
	if of == several {
		u.lookAtAll(cell)
	} else {
		u.look(cell, c.forest.root(of))
	}
	lo, hi := c.bounds(cell)
	for i := lo; i < hi && len(u.near) > 0; i++ {
		if c.kind[i] == other {
			continue
		}
		root := c.forest.root(uint32(i))
		u.choose(root, of != several)
		if len(u.runs) == 0 {
			continue
		}
		for _, j := range u.list(i) {
			if c.kind[j] != other && c.forest.at(j) != root {
				root = c.forest.unite(root, j)
			}
		}
	}
}

// look sets near to the following cells within reach that have core points not known
// to be in the set of root.
func (u *uniter) look(cell int, root uint32) {
	c := u.c
	u.near, u.boxed = u.near[:0], false
	for _, run := range u.sweep.Cells {
		for b := run.Lo; b < run.Hi; b++ {
			of := atomic.LoadUint32(&c.of[b])
			if of == root || of >= nearCore || !u.differs(root, b) || u.tooFar(cell, int(b)) {
				continue
			}
			u.near = append(u.near, b)
		}
	}
}

// lookAtAll sets near to all following cells within reach that have core points.
func (u *uniter) lookAtAll(cell int) {
	u.near, u.boxed = u.near[:0], false
	for _, run := range u.sweep.Cells {
		for b := run.Lo; b < run.Hi; b++ {
			if int(b) != cell && u.c.hasCore(b) && !u.tooFar(cell, int(b)) {
				u.near = append(u.near, b)
			}
		}
	}
}

// tooFar reports whether no points of two cells can be neighbours; it checks only
// cells with many points.
func (u *uniter) tooFar(cell, b int) bool {
	c := u.c
	lo, hi := c.bounds(cell)
	from, to := c.bounds(b)
	if hi-lo < crowdedCell || to-from < crowdedCell {
		return false
	}
	if !u.boxed {
		u.box.Around(&c.points, lo, hi)
		u.boxed = true
	}
	u.theirs.Around(&c.points, from, to)
	return u.box.Nearest(u.theirs) > c.t
}

// differs reports whether some core point of a cell is not known to be in the set of
// root.
func (u *uniter) differs(root, cell uint32) bool {
	c := u.c
	of := atomic.LoadUint32(&c.of[cell])
	if of != several {
		if of == root {
			return false
		}
		now := c.forest.root(of)
		if now != of {
			atomic.StoreUint32(&c.of[cell], now)
		}
		return now != root
	}
	// The heads stand for all points of the cell.
	lo, hi := c.bounds(int(cell))
	for {
		next := bytes.IndexByte(c.kind[lo:hi], head)
		if next < 0 {
			return false
		}
		lo += next
		if c.forest.root(uint32(lo)) != root {
			return true
		}
		lo++
	}
}

// choose sets runs to the points of the near cells that differ from root. With drop,
// it removes the other cells from near.
func (u *uniter) choose(root uint32, drop bool) {
	u.runs = u.runs[:0]
	kept := 0
	for _, b := range u.near {
		differs := u.differs(root, b)
		if differs {
			u.runs = kernel.Extend(u.runs, u.c.grid.Start[b], u.c.grid.Start[b+1])
		}
		if differs || !drop {
			u.near[kept] = b
			kept++
		}
	}
	u.near = u.near[:kept]
}

// list returns the neighbours of a point in runs.
func (u *uniter) list(i int) []uint32 {
	if most := grid.Points(u.runs) + kernel.Slack; len(u.out) < most {
		u.out = make([]uint32, 2*most)
	}
	n := u.c.fn.Emit(&u.c.points, i, i+1, &u.c.points, u.runs, u.c.t, u.out, nil, u.count[:])
	return u.out[:n]
}
