package hybrid

import (
	"context"
	"iter"
	"maps"
	"math"
	"slices"
	"sync"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

// A nearSplit carries out Nearest plans slab by slab, with a joiner that cannot hold
// them whole. A query is searched for in its own slab, and then in the next one on
// either side, until no slab can have a row as near as its K-th neighbour. It
// implements neighbors.Visitor.
type nearSplit struct {
	neighbors.Joiner
	slabs   *nearSlabs
	workers []nearWorker
}

// A nearWorker is the memory of a worker of the joiner.
type nearWorker struct {
	done          neighbors.Batch
	found, merged []candidate
}

func (s *nearSplit) Workers() int { return len(s.workers) }

func (s *nearSplit) Join(ctx context.Context, p *neighbors.Plan, work neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	return neighbors.Stream(ctx, s, p, work)
}

func (s *nearSplit) Visit(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(int, *neighbors.Batch) error) error {
	r := &nearRun{nearSplit: s, ctx: ctx, plan: p, visit: visit, left: newBitmap(p.Len())}
	return eachPortion(work, s.slabs.order, func(rows []uint32) ([]uint32, error) {
		err := r.all(rows)
		return slices.DeleteFunc(slices.Clone(rows), func(row uint32) bool { return !r.left.has(row) }), err
	})
}

// A nearRun is a plan in slabs.
type nearRun struct {
	*nearSplit
	ctx   context.Context
	plan  *neighbors.Plan
	visit func(worker int, b *neighbors.Batch) error

	mu   sync.Mutex
	left *bitmap // rows taken and not delivered
	open []openQuery
}

// An openQuery is a query whose neighbours are not all known.
type openQuery struct {
	row   uint32
	slab  int   // to search next
	reach reach // including that slab
	near  []candidate
}

// openRoom is how many candidates of open queries are kept before the search moves
// on to other slabs.
const openRoom = 1 << 24

// all delivers the rows. Those that it could not deliver remain in r.left.
func (r *nearRun) all(rows []uint32) error {
	r.left.fill(rows)
	r.open = nil
	column := querySpace(r.plan).Columns[r.slabs.axis]
	by := map[int][]uint32{}
	for _, row := range rows {
		home := r.slabs.home(column.At(int(row)))
		by[home] = append(by[home], row)
	}
	for _, slab := range slices.Sorted(maps.Keys(by)) {
		for part := range slices.Chunk(by[slab], r.slabs.queries) {
			queries := each.Of(part, func(row uint32) openQuery { return openQuery{row: row, slab: slab, reach: reach{slab, slab + 1}} })
			if err := r.search(slab, queries); err != nil {
				return err
			}
			if len(r.open)*r.plan.Nearest().K > openRoom {
				if err := r.finish(); err != nil {
					return err
				}
			}
		}
	}
	return r.finish()
}

// finish searches the next slabs for the open queries until there are none.
func (r *nearRun) finish() error {
	for len(r.open) > 0 {
		by := map[int][]openQuery{}
		for _, q := range r.open {
			by[q.slab] = append(by[q.slab], q)
		}
		r.open = nil
		for _, slab := range slices.Sorted(maps.Keys(by)) {
			for part := range slices.Chunk(by[slab], r.slabs.queries) {
				if err := r.search(slab, part); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// search searches a slab for queries, delivers those that are then finished, and
// adds the others to the open ones.
func (r *nearRun) search(slab int, queries []openQuery) error {
	rows := each.Of(queries, func(q openQuery) uint32 { return q.row })
	data := r.slabs.slabs[slab].rows
	part, err := partOf(r.plan, rows, data)
	if err != nil {
		return err
	}
	return neighbors.Visit(r.ctx, r.Joiner, part, neighbors.NewWork(places(len(rows)), nil), func(worker int, b *neighbors.Batch) error {
		w := &r.workers[worker]
		done := &w.done
		done.Rows, done.Offset, done.Index, done.Dist = done.Rows[:0], append(done.Offset[:0], 0), done.Index[:0], done.Dist[:0]
		var open []openQuery
		for i, place := range b.Rows {
			q := queries[place]
			near := r.merge(w, &q, b.List(i), b.Dists(i), data)
			if r.more(&q, near) {
				q.near = r.keep(near, q.row)
				open = append(open, q)
				continue
			}
			r.add(done, q.row, near)
		}
		if len(done.Rows) > 0 {
			if err := r.visit(worker, done); err != nil {
				return err
			}
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.open = append(r.open, open...)
		for _, row := range done.Rows {
			r.left.drop(row)
		}
		return nil
	})
}

// more reports whether another slab may have one of the K nearest of a query, given
// the nearest found so far, and makes it the next.
func (r *nearRun) more(q *openQuery, near []candidate) (more bool) {
	d2 := math.Inf(1)
	if k := r.plan.Nearest().K; len(near) == k {
		d2 = r.plan.SquaredDistance(q.row, near[k-1].row)
	}
	x := querySpace(r.plan).Columns[r.slabs.axis].At(int(q.row))
	q.slab, q.reach, more = r.slabs.next(x, d2, q.reach)
	return more
}

// add adds the neighbours of a query to a batch, with None where there are fewer
// than K.
func (r *nearRun) add(b *neighbors.Batch, row uint32, near []candidate) {
	for _, c := range near {
		b.Index, b.Dist = append(b.Index, c.row), append(b.Dist, c.distance)
	}
	for range r.plan.Nearest().K - len(near) {
		b.Index, b.Dist = append(b.Index, neighbors.None), append(b.Dist, math.Inf(1))
	}
	b.Rows, b.Offset = append(b.Rows, row), append(b.Offset, int64(len(b.Index)))
}

// A candidate is possibly one of the K nearest of a query.
type candidate struct {
	distance float64
	d2       float64 // set for those that are kept
	row      uint32
}

func (a candidate) before(b candidate) bool {
	return a.d2 < b.d2 || a.d2 == b.d2 && a.row < b.row
}

// merge returns the K nearest among those found so far for a query and those, in
// order, of a slab. They are valid until the worker's next call. For the first slab
// their order is known, so that d², which requires a look at every point, is not
// computed.
func (r *nearRun) merge(w *nearWorker, q *openQuery, index []uint32, dist []float64, data []uint32) []candidate {
	k := r.plan.Nearest().K
	w.found = w.found[:0]
	for i, place := range index {
		if place == neighbors.None || len(w.found) == k {
			break
		}
		if row := data[place]; !r.plan.Self() || row != q.row {
			w.found = append(w.found, candidate{distance: dist[i], row: row})
		}
	}
	if len(q.near) == 0 {
		return w.found
	}
	r.measure(w.found, q.row)
	a, b := q.near, w.found
	w.merged = w.merged[:0]
	for len(w.merged) < k && len(a)+len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && a[0].before(b[0]) {
			w.merged, a = append(w.merged, a[0]), a[1:]
		} else {
			w.merged, b = append(w.merged, b[0]), b[1:]
		}
	}
	return w.merged
}

// keep returns the candidates of a row in a form that can be merged with others
// later.
func (r *nearRun) keep(near []candidate, row uint32) []candidate {
	near = slices.Clone(near)
	r.measure(near, row)
	return near
}

func (r *nearRun) measure(near []candidate, row uint32) {
	for i := range near {
		near[i].d2 = r.plan.SquaredDistance(row, near[i].row)
	}
}
