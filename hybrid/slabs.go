package hybrid

import (
	"fmt"
	"slices"
	"sort"

	"skyjoin/internal/grid"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// slabs divide the space of a Within plan along one axis, so that a device that
// cannot hold all points can hold one slab: its queries, and the data within the
// radius of them.
type slabs struct {
	plan  *neighbors.Plan
	axis  int
	start []float64 // where each begins, except the first, which is open
	order []uint32  // query rows, slab by slab
}

// mostSlabs bounds how finely space is divided.
const mostSlabs = 1 << 12

// newSlabs divides space into as few slabs as possible, none of which has more than
// room points on both sides together. The error wraps neighbors.ErrMemory.
func newSlabs(p *neighbors.Plan, room int) (*slabs, error) {
	s := &slabs{plan: p, axis: widest(querySpace(p))}
	column := querySpace(p).Columns[s.axis]
	s.order = along(column)
	for n := 2; n <= mostSlabs; n *= 2 {
		s.start = s.start[:0]
		for k := 1; k < n; k++ {
			x := column.At(int(s.order[par.Bound(k, n, len(s.order))]))
			if len(s.start) == 0 || x > s.start[len(s.start)-1] {
				s.start = append(s.start, x)
			}
		}
		if s.largest() <= room {
			return s, nil
		}
	}
	return nil, fmt.Errorf("%w: the device holds %d points, and the parts of these that belong together have more; use a smaller radius or the CPU", neighbors.ErrMemory, room)
}

// slab returns the slab of a coordinate.
func (s *slabs) slab(x float64) int {
	return sort.Search(len(s.start), func(k int) bool { return s.start[k] > x })
}

// near calls f with the slabs that have queries within the radius of a data
// coordinate.
func (s *slabs) near(x float64, f func(slab int)) {
	reach := grid.Reach(s.plan.SquaredRadius())
	last := -1
	span := func(low, high float64) {
		for k := max(s.slab(low), last+1); k <= s.slab(high); k++ {
			f(k)
			last = k
		}
	}
	space := querySpace(s.plan)
	if space.Side == nil || space.Side[s.axis] == 0 {
		span(x-reach, x+reach)
		return
	}
	// The ends of a periodic axis are neighbours.
	side := space.Side[s.axis]
	if x+reach >= side {
		span(0, x+reach-side)
	}
	span(x-reach, x+reach)
	if x-reach <= 0 {
		span(x-reach+side, side)
	}
}

// largest returns the number of points of the largest slab.
func (s *slabs) largest() int {
	points := make([]int, len(s.start)+1)
	column := querySpace(s.plan).Columns[s.axis]
	for i := range column.Len() {
		points[s.slab(column.At(i))]++
	}
	data := dataSpace(s.plan).Columns[s.axis]
	for i := range data.Len() {
		s.near(data.At(i), func(k int) { points[k]++ })
	}
	return slices.Max(points)
}

// data returns the data rows of a slab.
func (s *slabs) data(slab int) []uint32 {
	var rows []uint32
	column := dataSpace(s.plan).Columns[s.axis]
	for i := range column.Len() {
		s.near(column.At(i), func(k int) {
			if k == slab {
				rows = append(rows, uint32(i))
			}
		})
	}
	return rows
}

// bySlab divides query rows by slabs.
func (s *slabs) bySlab(rows []uint32) map[int][]uint32 {
	column := querySpace(s.plan).Columns[s.axis]
	by := map[int][]uint32{}
	for _, r := range rows {
		k := s.slab(column.At(int(r)))
		by[k] = append(by[k], r)
	}
	return by
}
