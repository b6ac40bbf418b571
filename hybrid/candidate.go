package hybrid

import (
	"slices"

	"skyjoin/neighbors"
)

// A candidate may be one of the K nearest of a query.
type candidate struct {
	distance float64
	d2       float64 // of those that are kept
	row      uint32
}

func (a candidate) before(b candidate) bool {
	return a.d2 < b.d2 || a.d2 == b.d2 && a.row < b.row
}

// merge returns the K nearest of those of a query so far and of those, in order,
// that a slab of the data has. They are the worker's until its next. Where these
// are the first their order is known, and d², which means to look for every
// point of the data, not asked for.
func (r *nearRun) merge(w *nearWorker, q *seeker, index []uint32, dist []float64, data []uint32) []candidate {
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

// keep returns candidates of a row such that they can be merged with others
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
