package kdtree

import (
	"math"

	"skyjoin/internal/kernel"
)

const (
	maxRoom = 1 << 16 // candidates of all queries of a call

	rounds  = 5    // of looking within a distance that grows
	wider   = 2.5  // as much more volume each time
	spare   = 1.5  // candidates asked for beyond those needed, in their standard deviations
	misses  = 0.06 // share of queries that may need a second round
	learned = 0.02 // how fast the guess follows them
)

// FindAll finds the nearest of several points of one leaf of the tree query,
// at the given positions, and writes their lists one after the other: k rows
// each and their d². There must be as many points, and index and d2 have
// kernel.Slack more. If skip is set, a point's own row is not its neighbour.
func (s *Nearest) FindAll(query *Tree, leaf int, positions []uint32, skip bool, index []uint32, d2 []float64) {
	g := &s.group
	q := &query.Points
	g.need = s.k
	if skip {
		g.need++
	}
	g.left, g.lone = g.left[:0], g.lone[:0]
	for n := range positions {
		g.left = append(g.left, n)
	}
	near := leaf
	if query != s.t {
		near = s.Leaf(q, int(positions[0]))
	}
	if s.k <= mostTogether {
		dim := len(s.x)
		node := query.Leaves() - 1 + leaf
		box := query.box[2*dim*node : 2*dim*(node+1)]
		if !s.together(q, positions, box, near, skip, index, d2) && len(positions) > 1 {
			s.apart(q, positions, skip, index, d2)
		}
	}
	for _, n := range append(g.lone, g.left...) {
		row := kernel.None
		if skip {
			row = q.ID[positions[n]]
		}
		rows, dist := s.Find(q, int(positions[n]), row, near)
		copy(index[n*s.k:(n+1)*s.k], rows)
		copy(d2[n*s.k:(n+1)*s.k], dist)
	}
}

// apart makes a group of each query, where they are far from each other: few
// queries among many points.
func (s *Nearest) apart(q *kernel.Points, positions []uint32, skip bool, index []uint32, d2 []float64) {
	g := &s.group
	var left []int
	for n, i := range positions {
		g.left, g.lone = append(g.left[:0], 0), g.lone[:0]
		near := s.Leaf(q, int(i)) // which makes it the query
		g.point = append(append(g.point[:0], s.x...), s.x...)
		s.together(q, positions[n:n+1], g.point, near, skip, index[n*s.k:], d2[n*s.k:])
		if len(g.left)+len(g.lone) > 0 {
			left = append(left, n)
		}
	}
	g.left, g.lone = left, g.lone[:0]
}

// together looks for the lists of queries in a box, and leaves those that it
// does not settle. It returns false, having settled none, if there are too many
// points within a first distance.
func (s *Nearest) together(q *kernel.Points, positions []uint32, box []float64, near int, skip bool, index []uint32, d2 []float64) bool {
	g := &s.group
	t, dim := s.guess(near)
	t *= g.factor
	growth := math.Pow(wider, 2/float64(dim))
	for round := range rounds {
		if !(t <= math.MaxFloat64) || !s.around(box, t) {
			if round == 0 {
				g.learn(-1)
			}
			return round > 0
		}
		g.many = g.many[:0]
		if g.total >= g.need {
			if round == 0 {
				s.first(q, positions, t, skip, index, d2)
			} else {
				s.again(q, positions, t, skip, index, d2)
			}
		}
		if round == 0 {
			g.learn(float64(len(g.left)) - misses*float64(len(positions)))
		}
		s.thin(q, positions, t, dim, skip, index, d2)
		if len(g.left) == 0 || t == 0 {
			break
		}
		t *= growth
	}
	return true
}

// first looks within t for all queries.
func (s *Nearest) first(q *kernel.Points, positions []uint32, t float64, skip bool, index []uint32, d2 []float64) {
	g := &s.group
	g.left = g.left[:0]
	most := max(1, maxRoom/g.total)
	for n := 0; n < len(positions); {
		lo, end := int(positions[n]), n+1
		wraps := s.wraps(q, lo, t)
		for end < len(positions) && end-n < most && positions[end] == positions[end-1]+1 && s.wraps(q, lo+end-n, t) == wraps {
			end++
		}
		for _, found := range g.room.NearestOf(s.fn, q, lo, lo+end-n, &s.t.Points, &g.boxes, s.images(wraps), t, skip, s.k, d2[n*s.k:], index[n*s.k:]) {
			g.sort(n, found)
			n++
		}
	}
}

// wraps reports whether query i can have neighbours within t across an edge.
func (s *Nearest) wraps(q *kernel.Points, i int, t float64) bool {
	if !s.group.wraps {
		return false
	}
	s.begin(q, i, kernel.None)
	return s.crosses(s.x, s.x, t)
}

// images returns the sides for queries that can have neighbours across an edge,
// and none for others, which plain space serves.
func (s *Nearest) images(wraps bool) []float64 {
	if wraps {
		return s.side
	}
	return nil
}

// again looks within t for the queries that are left.
func (s *Nearest) again(q *kernel.Points, positions []uint32, t float64, skip bool, index []uint32, d2 []float64) {
	g := &s.group
	left := g.left
	g.left = g.left[:0]
	for _, n := range left {
		g.sort(n, s.one(q, n, int(positions[n]), t, skip, index, d2))
	}
}

// thin looks for crowded queries within the part of t that the number of their
// candidates lets expect to suffice.
func (s *Nearest) thin(q *kernel.Points, positions []uint32, t float64, dim int, skip bool, index []uint32, d2 []float64) {
	g := &s.group
	for _, c := range g.many {
		part, found := t, c.found
		for range 3 {
			part = min(t, kernel.Thinned(part, found, g.wanted(), dim))
			found = s.one(q, c.n, int(positions[c.n]), part, skip, index, d2)
			if int(found) >= g.need && int(found) <= g.crowd {
				c.n = -1
				break
			}
		}
		if c.n >= 0 {
			g.lone = append(g.lone, c.n)
		}
	}
}

// one looks for the n-th query within t, and returns how many candidates it
// has.
func (s *Nearest) one(q *kernel.Points, n, i int, t float64, skip bool, index []uint32, d2 []float64) uint32 {
	g := &s.group
	found := g.room.NearestOf(s.fn, q, i, i+1, &s.t.Points, &g.boxes, s.images(s.wraps(q, i, t)), t, skip, s.k, g.dist, g.id)[0]
	if int(found) >= g.need && int(found) <= g.crowd {
		copy(index[n*s.k:(n+1)*s.k], g.id)
		copy(d2[n*s.k:(n+1)*s.k], g.dist)
	}
	return found
}

// sort files the n-th query by how many candidates it has.
func (g *group) sort(n int, found uint32) {
	switch {
	case int(found) < g.need:
		g.left = append(g.left, n)
	case int(found) > g.crowd:
		g.many = append(g.many, crowded{n, found})
	}
}

// learn makes guesses larger for queries that missed theirs, beyond those that
// may, and smaller for a negative number.
func (g *group) learn(missed float64) {
	g.factor = min(max(g.factor*math.Exp(learned*missed), 0.25), 8)
}

// guess returns d² within which somewhat more than the needed candidates are
// expected of points of a leaf, if their density in the box of its parent is
// that everywhere around, and the number of dimensions in which they differ.
func (s *Nearest) guess(leaf int) (float64, int) {
	dim := len(s.x)
	node := s.t.Leaves() - 1 + leaf
	for {
		node = max(0, (node-1)/2)
		box := s.t.box[2*dim*node : 2*dim*(node+1)]
		volume, free := 1.0, 0
		for c := range dim {
			if w := box[dim+c] - box[c]; w > 0 {
				volume *= w
				free++
			}
		}
		if free == 0 && node > 0 {
			continue // points that are all the same
		}
		lo, hi := s.t.span(node)
		part := s.group.wanted() / float64(hi-lo) * volume / s.group.ball[free]
		switch free {
		case 0:
			return 0, 1
		case 1:
			return part * part, 1
		case 2:
			return part, 2
		case 3:
			return math.Cbrt(part * part), 3
		}
		return math.Pow(part, 2/float64(free)), free
	}
}

// wanted is the number of candidates asked for.
func (g *group) wanted() float64 { return float64(g.need) + spare*math.Sqrt(float64(g.need)) }
