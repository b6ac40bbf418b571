package hybrid

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// nearSlabs divide the data of a Nearest plan along one axis into slabs with equal
// numbers of rows, so that a device that cannot hold all points can hold a slab and
// some queries. Rows with the same coordinate may be in different slabs.
type nearSlabs struct {
	axis    int
	side    float64 // of the box; 0: the axis is open
	queries int     // queries that fit beside the data of any slab
	slabs   []nearSlab
	order   []uint32 // query rows along the axis
}

// A nearSlab is data rows, ascending, and the range of their coordinates.
type nearSlab struct {
	rows      []uint32
	low, high float64
}

// mostNearSlabs bounds how finely data and queries are divided: every part of the
// queries may have to be searched for in every slab, which takes some milliseconds
// even for small ones.
const mostNearSlabs = 1 << 8

// leastRoom returns how many points a device must be able to hold to carry out a
// Nearest plan in slabs.
func leastRoom(p *neighbors.Plan) int {
	query, data := ceilDiv(p.Len(), mostNearSlabs), ceilDiv(p.DataLen(), mostNearSlabs)
	if p.Len() < data {
		return max(p.Len(), 1) + data // all queries, beside a slab
	}
	return 2 * max(query, data, 1)
}

// newNearSlabs divides the data into as few slabs as leave room for all queries, or
// for half of the room. The error wraps neighbors.ErrMemory.
func newNearSlabs(p *neighbors.Plan, room int) (*nearSlabs, error) {
	if least := leastRoom(p); room < least {
		return nil, fmt.Errorf("%w: the device holds %d points, and must hold %d to find the nearest of %d among %d in slabs; use the CPU",
			neighbors.ErrMemory, room, least, p.Len(), p.DataLen())
	}
	most := max(room/2, room-p.Len())
	space := dataSpace(p)
	s := &nearSlabs{axis: widest(space)}
	if space.Side != nil {
		s.side = space.Side[s.axis]
	}
	column := space.Columns[s.axis]
	order := along(column)
	n := ceilDiv(len(order), most)
	for k := range n {
		rows := order[par.Bound(k, n, len(order)):par.Bound(k+1, n, len(order))]
		slab := nearSlab{slices.Clone(rows), column.At(int(rows[0])), column.At(int(rows[len(rows)-1]))}
		slices.Sort(slab.rows)
		s.slabs = append(s.slabs, slab)
	}
	s.queries = max(room-most, 1)
	if s.order = order; !p.Self() {
		s.order = along(querySpace(p).Columns[s.axis])
	}
	return s, nil
}

// home returns the slab in which the search for a coordinate begins.
func (s *nearSlabs) home(x float64) int {
	return max(sort.Search(len(s.slabs), func(k int) bool { return s.slabs[k].low > x })-1, 0)
}

// least returns a lower bound on d² between a query at x and the rows of the slab:
// the square of their difference along the axis, rounded as in d². In every step of
// the computation a larger difference gives no smaller result, and neither do
// further terms of the sum.
func (s *nearSlabs) least(x float64, slab int) float64 {
	low, high := s.slabs[slab].low, s.slabs[slab].high
	if low <= x && x <= high {
		return 0
	}
	near, far := low-x, high-x
	if x > high {
		near, far = x-high, x-low
	}
	if s.side > 0 {
		near = min(near, s.side-far)
	}
	return near * near
}

// A reach is the slabs that have been searched for a query: those from from up to
// but not including to. On a periodic axis the numbers continue around the box,
// below 0 or beyond the last slab.
type reach struct{ from, to int }

// next returns the slab to search next for a query at x whose K-th neighbour so far
// is at d2 (+Inf if there are fewer than K), and the reach that includes it. It is
// the nearer of the slabs at both ends; ok is false if that cannot have a row as
// near as d2, since at the same distance a lower row wins.
func (s *nearSlabs) next(x, d2 float64, r reach) (slab int, with reach, ok bool) {
	n := len(s.slabs)
	if r.to-r.from >= n {
		return 0, r, false
	}
	best := math.NaN()
	try := func(k int, grown reach) {
		if s.side == 0 && (k < 0 || k >= n) {
			return
		}
		k = (k + n) % n
		if least := s.least(x, k); !(least >= best) {
			best, slab, with = least, k, grown
		}
	}
	try(r.from-1, reach{r.from - 1, r.to})
	try(r.to, reach{r.from, r.to + 1})
	return slab, with, best <= d2
}
