package dbscan

import (
	"bytes"
	"context"

	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
)

// crowdedCell is the number of points from which a pair of cells is worth a look
// at their boxes before one at their points.
const crowdedCell = 32

// A uniter connects the core points of different cells.
type uniter struct {
	c      *cellRun
	sweep  *grid.Sweep
	near   []uint32 // cells that may have to be connected with the present one
	runs   []kernel.Run
	out    []uint32
	count  [1]uint32
	box    box
	theirs box
}

// unite connects the core points of all cells, which are connected in the cells
// as far as they are by themselves.
func (c *cellRun) unite(ctx context.Context, m *meter) error {
	return c.each(ctx, m, func() func(int) {
		u := &uniter{c: c, sweep: grid.NewForwardSweep(c.grid), box: newBox(c.points.Dim), theirs: newBox(c.points.Dim)}
		return u.cell
	})
}

// cell connects a cell with those that follow.
func (u *uniter) cell(cell int) {
	c := u.c
	if c.first[cell] == noCore {
		return
	}
	u.sweep.Visit(cell)
	u.look(cell)
	_, hi := c.bounds(cell)
	for i := int(c.first[cell]); i < hi && len(u.near) > 0; i++ {
		if c.kind[i] == other {
			continue
		}
		root := c.forest.root(uint32(i))
		u.choose(root, !c.apart[cell])
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

// look sets near to the cells that follow within reach and have core points
// that are not known to be in one cluster with those of the cell.
func (u *uniter) look(cell int) {
	c := u.c
	u.near = u.near[:0]
	root := c.forest.root(c.first[cell])
	lo, hi := c.bounds(cell)
	boxed := false
	for _, run := range u.sweep.Cells {
		for b := run.Lo; b < run.Hi; b++ {
			if c.first[b] == noCore || int(b) == cell || !c.apart[cell] && !u.differs(root, b) {
				continue
			}
			from, to := c.bounds(int(b))
			if hi-lo >= crowdedCell && to-from >= crowdedCell {
				if !boxed {
					u.box.around(&c.points, lo, hi)
					boxed = true
				}
				if u.theirs.around(&c.points, from, to); u.box.gap(u.theirs) > c.t {
					continue
				}
			}
			u.near = append(u.near, b)
		}
	}
}

// differs reports whether some core point of a cell is not known to be in the
// cluster of root.
func (u *uniter) differs(root, cell uint32) bool {
	c := u.c
	first := c.first[cell]
	if c.forest.at(first) != root && c.forest.root(first) != root {
		return true
	}
	if !c.apart[cell] {
		return false
	}
	// The heads of the cell speak for all.
	kinds := c.kind[:c.grid.Start[cell+1]]
	for at := int(first) + 1; ; at++ {
		next := bytes.IndexByte(kinds[at:], head)
		if next < 0 {
			return false
		}
		at += next
		if c.forest.root(uint32(at)) != root {
			return true
		}
	}
}

// choose sets runs to the points of the near cells that differ from root. With
// drop, it takes those that do not out of near.
func (u *uniter) choose(root uint32, drop bool) {
	u.runs = u.runs[:0]
	kept := 0
	for _, b := range u.near {
		if !u.differs(root, b) {
			if !drop {
				u.near[kept] = b
				kept++
			}
			continue
		}
		u.near[kept] = b
		kept++
		u.runs = extend(u.runs, u.c.grid.Start[b], u.c.grid.Start[b+1])
	}
	u.near = u.near[:kept]
}

// list returns the neighbours of a point in runs.
func (u *uniter) list(i int) []uint32 {
	if most := grid.Points(u.runs) + kernel.Slack; len(u.out) < most {
		u.out = make([]uint32, 2*most)
	}
	n := u.c.fn.Emit(&u.c.points, i, i+1, &u.c.points, u.runs, u.c.t, u.out, u.count[:])
	return u.out[:n]
}

// extend appends a run, or lengthens the last one if it continues it.
func extend(runs []kernel.Run, lo, hi uint32) []kernel.Run {
	if n := len(runs); n > 0 && runs[n-1].Hi == lo {
		runs[n-1].Hi = hi
		return runs
	}
	return append(runs, kernel.Run{Lo: lo, Hi: hi})
}
