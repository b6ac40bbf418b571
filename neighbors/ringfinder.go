package neighbors

import (
	"math"

	"skyjoin/internal/grid"
	"skyjoin/internal/kdtree"
	"skyjoin/internal/kernel"
)

const (
	ringMaxDim = 3                       // in more dimensions rings have too many cells
	ringMaxK   = kernel.MaxLeast * 3 / 4 // longer lists do not fit the kernel

	ringTogether = 64      // queries of a cell that are searched for in one call, at most
	ringRoom     = 1 << 15 // candidates of a call: with more, few queries share it
	ringMost     = 1 << 17 // and those of one query, at most
	ringRounds   = 3       // attempts with fewer candidates, where there are too many
	ringSpare    = 1.6     // candidates asked for beyond those needed, in standard deviations
)

// pointsPerCell returns how many points a cell of a grid for rings should have, such
// that the first ring usually holds the nearest.
func pointsPerCell(dim, k int) float64 {
	if dim < 3 {
		return max(1, float64(k)/2)
	}
	return max(1, float64(k)/3)
}

// A ringFinder finds nearest neighbours in the cells around a query: those up to one
// cell away, those up to two if these do not suffice, and a tree otherwise. It is
// for points that are spread evenly.
//
// The number of points around a cell tells how far away the nearest neighbours will
// be. Candidates within that distance are found for all queries of the cell at once,
// and the few of them are sorted; only queries for which it was too short are
// searched for again, each with all points that its cells are sure to hold.
type ringFinder struct {
	k     int
	need  int // candidates of a query with k neighbours: one more in a self-join, itself
	self  bool
	query *grid.Grid
	data  *grid.Grid
	fn    *kernel.Funcs
	side  []float64     // kernel.Sides of the periods, nil if there are none
	rings []*grid.Sweep // of one cell and of two
	runs  kernel.Boxes  // candidates of a ring that wraps
	cell  int           // of the queries last searched for
	tree  func() *kdtree.Tree
	rest  *kdtree.Nearest // made when it is first needed
	guess []float64       // d² to search within, by the number of points around
	room  kernel.Candidates
	left  []int // the queries that are not finished
	far   []int // those that the first ring does not finish
	dist  []float64
	id    []uint32
}

func (p *Plan) newRingFinder(query, data *grid.Grid, tree func() *kdtree.Tree) *ringFinder {
	f := &ringFinder{k: p.nearestK(), self: p.self, query: query, data: data, fn: kernel.Best(), tree: tree}
	f.need = f.k
	if f.self {
		f.need++
	}
	f.side = kernel.Sides(p.query.Side)
	f.rings = []*grid.Sweep{grid.NewRingSweep(query, data, 1), grid.NewRingSweep(query, data, 2)}
	f.dist, f.id = make([]float64, f.k+kernel.Slack), make([]uint32, f.k+kernel.Slack)
	return f
}

func (f *ringFinder) together(positions []uint32) int {
	end := f.query.Start[f.cellOf(positions[0])+1]
	n := 1
	for n < len(positions) && n < ringTogether && positions[n] < end {
		n++
	}
	return n
}

// cellOf returns the cell of a position, which is usually the cell of the position
// before, or the next one.
func (f *ringFinder) cellOf(at uint32) int {
	start := f.query.Start
	if f.cell+2 < len(start) && at >= start[f.cell+1] {
		f.cell++
	}
	if at < start[f.cell] || at >= start[f.cell+1] {
		f.cell = f.query.Cell(int(at))
	}
	return f.cell
}

func (f *ringFinder) find(positions []uint32, index []uint32, d2 []float64) {
	cell := f.cellOf(positions[0])
	around := f.visit(0, cell)
	f.left = f.left[:0]
	if around >= f.need && around <= ringRoom {
		f.first(positions, index, d2, around)
	} else {
		for n := range positions {
			f.left = append(f.left, n)
		}
	}
	near := f.left
	if len(near) == 0 {
		return
	}
	// Ring by ring, because only the ring visited last is kept.
	far := f.far[:0]
	for _, n := range near {
		if !f.ring(int(positions[n]), 0, around, index[n*f.k:(n+1)*f.k], d2[n*f.k:(n+1)*f.k]) {
			far = append(far, n)
		}
	}
	f.far = far
	if len(far) == 0 {
		return
	}
	around = f.visit(1, cell)
	for _, n := range far {
		i, to, dist := int(positions[n]), index[n*f.k:(n+1)*f.k], d2[n*f.k:(n+1)*f.k]
		if !f.ring(i, 1, around, to, dist) {
			f.search(i, to, dist)
		}
	}
}

// visit finds the points of a ring around a cell and returns their number. Runs of a
// ring that wraps all get the bounding box of everything, as EmitNear expects one.
func (f *ringFinder) visit(level, cell int) int {
	s := f.rings[level]
	s.Visit(cell)
	f.runs.Reset()
	if len(s.Wrapped) > 0 {
		for _, runs := range [][]kernel.Run{s.Direct, s.Wrapped} {
			for _, r := range runs {
				f.runs.Add(r, f.data.Geometry.Extent())
			}
		}
	}
	return grid.Points(s.Direct) + grid.Points(s.Wrapped)
}

// nearest searches for the neighbours of the queries [lo, hi) within t in the ring
// visited last; see [kernel.Candidates.Nearest]. Where the ring does not wrap,
// differences in it are those to the nearest images up to the margin.
func (f *ringFinder) nearest(level, lo, hi int, t float64, index []uint32, d2 []float64) []uint32 {
	q, d := &f.query.Points, &f.data.Points
	if f.runs.Len() > 0 {
		return f.room.NearestOf(f.fn, q, lo, hi, d, &f.runs, f.side, t, f.self, f.k, d2, index)
	}
	return f.room.Nearest(f.fn, q, lo, hi, d, f.rings[level].Direct, t, f.self, f.k, d2, index)
}

// first searches for the neighbours of all queries within the distance that the
// number of points around suggests, and keeps those that it does not finish.
func (f *ringFinder) first(positions []uint32, index []uint32, d2 []float64, around int) {
	t := f.within(around)
	most := max(1, ringRoom/around)
	for n := 0; n < len(positions); {
		lo, end := int(positions[n]), n+1
		for end < len(positions) && end-n < most && positions[end] == positions[end-1]+1 {
			end++
		}
		for _, found := range f.nearest(0, lo, lo+end-n, t, index[n*f.k:], d2[n*f.k:]) {
			if !f.settles(found) {
				f.left = append(f.left, n)
			}
			n++
		}
	}
}

// settles reports whether a query with so many candidates has its list.
func (f *ringFinder) settles(found uint32) bool {
	return int(found) >= f.need && int(found) <= kernel.MostLeast(f.k)
}

// within returns the d² within which slightly more candidates than needed are
// expected, given the number of points in the first ring. It does not exceed what
// the ring is sure to hold; points whose squares overflow never are in it.
func (f *ringFinder) within(around int) float64 {
	for len(f.guess) <= around {
		f.guess = append(f.guess, f.expect(len(f.guess)))
	}
	return f.guess[around]
}

func (f *ringFinder) expect(around int) float64 {
	margin := f.query.RingMargin(1)
	volume, dim := f.query.RingVolume(1)
	ball := [...]float64{1: 2, 2: math.Pi, 3: 4 * math.Pi / 3}[dim] // of radius 1
	part := f.wanted() / float64(around) * volume / ball
	return min(float64(margin*margin)*min(1, math.Pow(part, 2/float64(dim))), math.MaxFloat64)
}

// wanted returns the number of candidates asked for.
func (f *ringFinder) wanted() float64 {
	return float64(f.need) + ringSpare*math.Sqrt(float64(f.need))
}

// ring finds the neighbours of query i in the ring visited last, which has the given
// number of points. It reports whether it could: nothing outside can belong to them,
// and they are not too many for the kernel.
func (f *ringFinder) ring(i, level, around int, to []uint32, dist []float64) bool {
	if around < f.need || around > ringMost {
		return false
	}
	margin := f.query.Margin(i, level+1)
	// Coordinates outside the margin differ by more than it, and so do their
	// squares when computed: the margin is rounded down by far more.
	most := min(float64(margin*margin), math.MaxFloat64)
	for t, round := most, 0; round < ringRounds; round++ {
		found := f.nearest(level, i, i+1, t, f.id, f.dist)[0]
		switch {
		case f.settles(found):
			copy(dist, f.dist)
			copy(to, f.id)
			return true
		case int(found) < f.need && t == most:
			return false
		}
		t = min(most, kernel.Thinned(t, found, f.wanted(), f.data.Points.Dim))
	}
	return false
}

func (f *ringFinder) skip(i int) uint32 {
	if f.self {
		return f.query.Points.ID[i]
	}
	return kernel.None
}

// search finds the neighbours of query i in a tree.
func (f *ringFinder) search(i int, to []uint32, dist []float64) {
	if f.rest == nil {
		f.rest = kdtree.NewNearest(f.tree(), f.k, f.side)
	}
	q := &f.query.Points
	rows, d2 := f.rest.Find(q, i, f.skip(i), f.rest.Leaf(q, i))
	copy(to, rows)
	copy(dist, d2)
}
