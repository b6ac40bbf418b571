package neighbors

import (
	"context"

	"skyjoin/internal/fresh"
	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// halfThreads is the largest number of threads that count by halves: each needs 4
// bytes for every point.
const halfThreads = 6

// A halfCounter counts the neighbours of all rows of a self-join and looks at each
// pair once: a point is compared with those that follow it in the order of the grid,
// and a pair counts for both of its points. Pairs that wrap around an edge are the
// exception.
type halfCounter struct {
	p       *Plan
	grid    *grid.Grid
	points  *kernel.Points
	side    []float64 // kernel.Sides of the periods
	fn      *kernel.Funcs
	sweep   *grid.Sweep
	filter  boxFilter
	forward []kernel.Run
	count   []uint32 // by position
	awake   []bool   // by piece of count: whether its pages have been touched
}

// countPiece is how many counts have their memory touched at a time.
const countPiece = 1 << 19

// canHalve reports whether all pairs of a Within plan can be counted by halves.
func canHalve(p *Plan, threads int) bool {
	return p.self && !p.queryGrid().Geometry.AllWrap() && threads <= halfThreads
}

// countHalf counts the neighbours of all rows. It tells how many rows it starts
// with, and calls put for ranges of rows, concurrently.
func countHalf(ctx context.Context, p *Plan, threads int, tell func(rows int), put func(rows, counts []uint32)) error {
	const chunk = 4096
	n := p.Len()
	portions := par.NewPortions(threads, n, chunk)
	counters := make([]*halfCounter, threads)
	par.Chunks(len(counters), len(counters), func(w, _, _ int) {
		g := p.queryGrid()
		h := &halfCounter{p: p, grid: g, points: &g.Points, side: kernel.Sides(p.query.Side), fn: kernel.Best(), sweep: grid.NewForwardSweep(g), filter: newBoxFilter(&g.Points, g.Start, g.Cell)}
		h.count = make([]uint32, n+kernel.Slack)
		h.awake = make([]bool, n/countPiece+1)
		counters[w] = h
		for ctx.Err() == nil {
			lo, hi, ok := portions.Next(w)
			if !ok {
				return
			}
			tell(hi - lo)
			h.chunk(ctx, lo, hi)
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	order, count := p.order(), counters[0].count
	par.Chunks(len(counters), n, func(_, lo, hi int) {
		for _, h := range counters[1:] {
			for i, n := range h.count[lo:hi] {
				count[lo+i] += n
			}
		}
		put(order[lo:hi], count[lo:hi])
	})
	return nil
}

// takeHalf takes all rows of a work, if their neighbours are to be counted by halves
// and none has been taken, and returns the function that is told how many rows are
// started.
func takeHalf(p *Plan, threads int, w *implementation, work Work) (tell func(rows int), ok bool) {
	q, ok := work.(whole)
	if !ok || w.name != Grid || !canHalve(p, threads) || !q.takeAll(p) {
		return nil, false
	}
	return q.tell, true
}

// chunk counts the pairs of the points [lo, hi) with those that follow.
func (h *halfCounter) chunk(ctx context.Context, lo, hi int) {
	start := h.grid.Start
	for cell := h.grid.Cell(lo); lo < hi && ctx.Err() == nil; cell++ {
		if n := min(h.sweep.Alone(cell), hi-lo); n > 0 {
			cell += n - 1
			lo += n
			continue
		}
		end := int(start[cell+1])
		h.sweep.Visit(cell)
		h.forward = beyond(h.forward[:0], h.sweep.Direct, uint32(end))
		stop := min(end, hi)
		h.wake(lo, end)
		if len(h.forward) > 0 {
			h.wake(lo, int(h.forward[len(h.forward)-1].Hi))
		}
		h.cell(ctx, lo, stop, end)
		if len(h.sweep.Wrapped) > 0 {
			for i := lo; i < stop; i++ {
				h.count[i] += uint32(countWrapped(h.points, i, h.points, h.sweep.Wrapped, h.side, h.p.t))
			}
		}
		lo = stop
	}
}

// wake touches the pages of the counts [lo, hi). Kernels read a count before they
// write it: a page that does not exist yet would be allocated twice, for reading and
// for writing, and the second time interrupts all other threads.
func (h *halfCounter) wake(lo, hi int) {
	for i := lo / countPiece; i*countPiece < hi; i++ {
		if !h.awake[i] {
			h.awake[i] = true
			fresh.All(h.count[i*countPiece : min((i+1)*countPiece, len(h.count))])
		}
	}
}

// cell counts the pairs of the points [lo, hi) with those up to end, the end of
// their cell, and with the runs that follow.
func (h *halfCounter) cell(ctx context.Context, lo, hi, end int) {
	p, t := h.points, h.p.t
	runs, block := h.forward, max(1, maxPairs/(end-lo+grid.Points(h.forward)))
	whole := h.filter.split(p, lo, end, h.forward, t)
	if whole {
		// All points of the cell are neighbours of each other.
		h.add(lo, hi, end-1-lo)
		h.add(hi, end, hi-lo)
		for _, r := range h.filter.inside {
			h.add(lo, hi, int(r.Hi-r.Lo))
			h.add(int(r.Lo), int(r.Hi), hi-lo)
		}
		if len(h.filter.compare) == 0 {
			return
		}
		runs, block = h.filter.compare, 1
	}
	for ; lo < hi && ctx.Err() == nil; lo += block {
		stop := min(lo+block, hi)
		if whole {
			end = stop // the rest of its cell is a run of its own
		}
		h.fn.Half(p, lo, stop, end, runs, t, h.count)
	}
}

// add adds n to the counts of the points [lo, hi).
func (h *halfCounter) add(lo, hi, n int) {
	for i := lo; i < hi; i++ {
		h.count[i] += uint32(n)
	}
}

// beyond appends the parts of the runs after end. Only the first run can begin
// before end.
func beyond(to, runs []kernel.Run, end uint32) []kernel.Run {
	if runs[0].Hi > end {
		to = append(to, kernel.Run{Lo: end, Hi: runs[0].Hi})
	}
	return append(to, runs[1:]...)
}
