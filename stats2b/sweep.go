package stats2b

import (
	"context"
	"sync/atomic"

	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
	"skyjoin/internal/used"
	"skyjoin/neighbors"
)

// A visitor receives the pairs that may be within the radius, each once. It belongs
// to one goroutine.
type visitor interface {
	// direct receives the pairs of the points [lo, hi) of the query side with those
	// of the data side in runs and, in a self-join, with their own later ones up to
	// end, which is 0 otherwise.
	direct(lo, hi, end int, runs []kernel.Run)
	// wrapped receives the pairs of point i of the query side with those of the data
	// side in runs, which are measured by their minimum images.
	wrapped(i int, runs []kernel.Run)
}

// A sweep visits the pairs of a Within plan, cell by cell of its grid.
type sweep struct {
	plan     *neighbors.Plan
	query    *grid.Grid
	data     *grid.Grid
	progress func(done, total int64)
}

func newSweep(p *neighbors.Plan, opt Options) *sweep {
	s := &sweep{plan: p, progress: opt.Progress}
	s.query, s.data = grids(p)
	return s
}

// The tiles of a sweep: so many queries and candidates at a time fit the nearest
// caches.
const (
	tileQueries    = 512
	tileCandidates = 1024
)

// run visits all pairs with as many visitors as there are threads.
func (s *sweep) run(ctx context.Context, threads int, newVisitor func() visitor) ([]visitor, error) {
	used.Note(ctx, "grid", kernel.Best().Name)
	threads = par.Threads(threads)
	n := s.query.Points.N
	// Small enough to keep all threads busy until the end: the first rows of a
	// triangle have the most work.
	chunk := min(max(n/(64*threads), 16), 4096)
	var done atomic.Int64
	portions := par.NewPortions(threads, n, chunk)
	visitors := make([]visitor, threads)
	par.Chunks(threads, threads, func(w, _, _ int) {
		visitors[w] = newVisitor()
		o := &sweeper{sweep: s, v: visitors[w], cells: grid.NewSweep(s.query, s.data)}
		for ctx.Err() == nil {
			lo, hi, ok := portions.Next(w)
			if !ok {
				return
			}
			o.chunk(ctx, lo, hi)
			d := done.Add(int64(hi - lo))
			if s.progress != nil {
				s.progress(d, int64(n))
			}
		}
	})
	return visitors, ctx.Err()
}

// A sweeper does one goroutine's part of a sweep.
type sweeper struct {
	*sweep
	v     visitor
	cells *grid.Sweep
	runs  []kernel.Run
	rest  []kernel.Run // the part of wrapped runs after the query
}

// chunk visits the pairs of the queries [lo, hi); in a self-join those with
// the points that follow them.
func (o *sweeper) chunk(ctx context.Context, lo, hi int) {
	start, self := o.query.Start, o.plan.Self()
	for cell := o.query.Cell(lo); lo < hi && ctx.Err() == nil; cell++ {
		end := int(start[cell+1])
		stop := min(end, hi)
		o.cells.Visit(cell)
		o.runs = o.runs[:0]
		for _, r := range o.cells.Direct {
			if self && r.Hi <= uint32(end) {
				continue
			}
			if self {
				r.Lo = max(r.Lo, uint32(end))
			}
			o.runs = append(o.runs, r)
		}
		// Where all pairs wrap, a cell's own do so too and are in Wrapped.
		if self && !o.query.Geometry.AllWrap() {
			o.tiles(ctx, lo, stop, end)
		} else {
			o.tiles(ctx, lo, stop, 0)
		}
		if len(o.cells.Wrapped) > 0 {
			o.wrapped(ctx, lo, stop)
		}
		lo = stop
	}
}

// tiles visits the pairs of the queries [lo, hi) with the runs and, if end is
// not 0, with their own later points up to end.
func (o *sweeper) tiles(ctx context.Context, lo, hi, end int) {
	for ; lo < hi && ctx.Err() == nil; lo += tileQueries {
		stop := min(lo+tileQueries, hi)
		if end > 0 {
			o.v.direct(lo, stop, stop, nil)
			if stop < end {
				o.pieces(ctx, lo, stop, kernel.Run{Lo: uint32(stop), Hi: uint32(end)})
			}
		}
		if grid.Points(o.runs) <= 4*tileCandidates {
			if len(o.runs) > 0 {
				o.v.direct(lo, stop, 0, o.runs)
			}
			continue
		}
		for _, r := range o.runs {
			o.pieces(ctx, lo, stop, r)
		}
	}
}

// pieces visits the pairs of the queries [lo, hi) with a run, piece by piece.
func (o *sweeper) pieces(ctx context.Context, lo, hi int, r kernel.Run) {
	var piece [1]kernel.Run
	for ; r.Lo < r.Hi && ctx.Err() == nil; r.Lo = piece[0].Hi {
		piece[0] = kernel.Run{Lo: r.Lo, Hi: r.Lo + min(tileCandidates, r.Hi-r.Lo)}
		o.v.direct(lo, hi, 0, piece[:])
	}
}

// wrapped visits the pairs of the queries [lo, hi) that wrap. In a self-join each
// point of a pair has the other in its runs: only the later point counts.
func (o *sweeper) wrapped(ctx context.Context, lo, hi int) {
	for i := lo; i < hi && ctx.Err() == nil; i++ {
		runs := o.cells.Wrapped
		if o.plan.Self() {
			o.rest = o.rest[:0]
			for _, r := range runs {
				if r.Hi > uint32(i+1) {
					o.rest = append(o.rest, kernel.Run{Lo: max(r.Lo, uint32(i+1)), Hi: r.Hi})
				}
			}
			runs = o.rest
		}
		if len(runs) > 0 {
			o.v.wrapped(i, runs)
		}
	}
}
