package dbscan

import (
	"context"

	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
)

// firstLook is the number of candidates, at least, that a point is compared with
// before checking whether it is core already; twice min-points if that is more.
const firstLook = 256

// A coreFinder finds the core points of cells and connects those within each cell.
type coreFinder struct {
	c      *cellRun
	sweep  *grid.Sweep
	box    kernel.Box
	counts []uint32
	runs   []kernel.Run
	left   []kernel.Run // of runs, still to be compared
	now    []kernel.Run // to be compared now
	linker *linker
}

// cores finds all core points.
func (c *cellRun) cores(ctx context.Context, m *meter) error {
	return c.each(ctx, m, func() func(int) {
		f := &coreFinder{c: c, sweep: grid.NewSweep(c.grid, c.grid), box: kernel.NewBox(c.points.Dim)}
		f.linker = newLinker(c)
		return f.cell
	})
}

func (f *coreFinder) cell(cell int) {
	c := f.c
	lo, hi := c.bounds(cell)
	c.of[cell] = noCore
	one := false // whether all points are within ε of each other
	switch {
	case c.enough != nil:
		for i, row := range c.grid.Rows()[lo:hi] {
			f.mark(lo+i, c.enough[row])
		}
	case int64(hi-lo) >= c.minPoints && f.isOne(lo, hi):
		one = true
		for i := lo; i < hi; i++ {
			f.mark(i, true)
		}
	case !f.look(cell, lo, hi):
		return
	}
	cores, first := 0, 0
	for i := lo; i < hi; i++ {
		if c.kind[i] != other {
			if cores == 0 {
				first = i
				c.kind[i] = head
			}
			cores++
		}
	}
	switch {
	case cores == 0:
		return
	case cores > 1 && (one || f.isOne(lo, hi)):
		for i := first + 1; i < hi; i++ {
			if c.kind[i] != other {
				c.forest.parent[i] = int32(uint32(first))
			}
		}
	case cores > 1 && f.linker.link(lo, hi):
		c.of[cell] = several
		return
	}
	c.of[cell] = uint32(first)
}

// isOne reports whether all of the points [lo, hi) are within ε of each other.
func (f *coreFinder) isOne(lo, hi int) bool {
	// Usually three points show that they are not.
	if c := f.c; c.apartBy(lo, hi-1) > c.t || c.apartBy(lo, (lo+hi)/2) > c.t {
		return false
	}
	f.box.Around(&f.c.points, lo, hi)
	return f.box.Farthest(f.box) <= f.c.t
}

// mark makes a core point, if it may be core, a set of its own.
func (f *coreFinder) mark(i int, core bool) {
	if core && (f.c.own == nil || f.c.own[f.c.grid.Rows()[i]]) {
		f.c.kind[i] = member
		f.c.forest.parent[i] = int32(uint32(i))
	}
}

// look compares the points [lo, hi) of a cell with their candidates, beginning with
// those in the same row of cells, until it is known which of them are core. It
// returns false if none of them can be.
func (f *coreFinder) look(cell, lo, hi int) bool {
	c := f.c
	f.counts = append(f.counts[:0], make([]uint32, hi-lo)...)
	from, to := lo, hi
	count := func() {
		c.fn.Count(&c.points, from, to, &c.points, f.now, c.t, f.counts[from-lo:to-lo])
		// Points at both ends whose state is known need no more comparisons.
		for from < to && int64(f.counts[from-lo]) >= c.minPoints {
			from++
		}
		for from < to && int64(f.counts[to-1-lo]) >= c.minPoints {
			to--
		}
	}
	most := max(firstLook, 2*int(min(c.minPoints, int64(c.points.N))))
	var row kernel.Run
	if hi-lo > 1 { // with others in the cell, there may be enough of them
		row = f.sweep.Row(cell)
		n := int(row.Hi - row.Lo)
		if int64(n) < c.minPoints {
			n = 0
		}
		row.Hi = row.Lo + uint32(min(n, most))
		f.now = append(f.now[:0], row)
		count()
	}
	if from < to {
		f.sweep.Visit(cell)
		if int64(grid.Points(f.sweep.Direct)) < c.minPoints {
			return false
		}
		f.beside(row)
		for f.take(most); from < to && len(f.now) > 0; f.take(most) {
			count()
			most *= 4
		}
	}
	for i := lo; i < hi; i++ {
		f.mark(i, int64(f.counts[i-lo]) >= c.minPoints)
	}
	return true
}

// beside sets left to the candidates of the cell just visited, except those in the
// run that has been compared, starting after that run.
func (f *coreFinder) beside(seen kernel.Run) {
	f.runs = f.runs[:0]
	var before kernel.Run
	for _, r := range f.sweep.Direct {
		if seen.Lo < seen.Hi && r.Lo <= seen.Lo && seen.Lo < r.Hi {
			before = kernel.Run{Lo: r.Lo, Hi: seen.Lo}
			r.Lo = seen.Hi
			if n := len(f.runs); n > 0 {
				f.runs = append(f.runs, f.runs[0])
				f.runs[0] = r
				continue
			}
		}
		f.runs = append(f.runs, r)
	}
	f.left = append(f.runs, before)
}

// take moves up to most candidates from left to now.
func (f *coreFinder) take(most int) {
	f.now = f.now[:0]
	for len(f.left) > 0 && most > 0 {
		r := &f.left[0]
		n := min(int(r.Hi-r.Lo), most)
		f.now = append(f.now, kernel.Run{Lo: r.Lo, Hi: r.Lo + uint32(n)})
		most -= n
		if r.Lo += uint32(n); r.Lo == r.Hi {
			f.left = f.left[1:]
		}
	}
}
