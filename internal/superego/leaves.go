package superego

import "math"

// Leaves are parts of a sequence of queries, each of one or a few cells, that
// are joined at once.
type Leaves struct {
	Start []uint32 // where each begins, and the end
	box   []uint32 // of leaf i: Dim least, then Dim largest numbers of cells from 2·Dim·i on
}

// Costs, in nanoseconds: of a candidate in one dimension in a vector kernel,
// and of a step of the search for candidates.
const (
	candidateCost = 0.1
	stepCost      = 4
)

// NewLeaves divides a sequence into leaves, for joins with points as dense as
// data. A leaf grows by the next cell as long as one search for the candidates
// of both is estimated to save more than the candidates cost that only some of
// its points have.
func NewLeaves(query, data *Sequence) *Leaves {
	dim := query.Points.Dim
	l := &Leaves{}
	c := leafCosts{order: query.order, points: float64(data.Points.N), cells: float64(data.Cells())}
	mean := float64(query.Points.N) / float64(max(1, query.Cells()))
	var box, next, grown []uint32
	for a := 0; a < query.Cells(); {
		box = append(append(box[:0], query.at(a)...), query.at(a)...)
		held := float64(query.Start[a+1] - query.Start[a])
		b := a + 1
		for ; b < query.Cells(); b++ {
			next = append(append(next[:0], query.at(b)...), query.at(b)...)
			grown = append(grown[:0], box...)
			for k, v := range query.at(b) {
				grown[k] = min(grown[k], v)
				grown[dim+k] = max(grown[dim+k], v)
			}
			more := float64(query.Start[b+1] - query.Start[b])
			c.density = (held + more) / volume(grown, 1)
			c.rich = (held + more) / (float64(b+1-a) * mean)
			if c.of(grown, held+more) > c.of(box, held)+c.of(next, more) {
				break
			}
			box, grown = grown, box
			held += more
		}
		l.Start = append(l.Start, query.Start[a])
		l.box = append(l.box, box...)
		a = b
	}
	l.Start = append(l.Start, uint32(query.Points.N))
	return l
}

// leafCosts estimates what leaves cost.
type leafCosts struct {
	order         *Order
	points, cells float64 // of data
	density       float64 // points per cell around here, empty cells included
	rich          float64 // how many times more points a cell has here that is not empty
}

// of returns the nanoseconds for joining so many queries in a box of cells.
// How many candidates they have is estimated both from the density of the
// queries themselves and from all pairs in every dimension on its own; the
// first is too large where most adjacent cells are empty, in many dimensions,
// and the second where points are sparse.
func (c *leafCosts) of(box []uint32, queries float64) float64 {
	dim := len(box) / 2
	candidates, rows := c.points*c.rich, 1.0
	for k := range dim {
		wide := float64(box[dim+k]-box[k]) + 3
		candidates *= min(1, c.order.near[k]*wide/3)
		if k < dim-1 {
			rows *= min(float64(c.order.axes[k].Cells()), wide)
		}
	}
	candidates = min(candidates, c.density*volume(box, 3))
	rows = min(rows, c.cells)
	steps := rows * (1 + 2*math.Log2(max(1, c.cells/rows)))
	return steps*stepCost + queries*candidates*candidateCost*float64(dim)
}

// volume is the number of cells in a box whose last cell in every dimension is
// followed by more-1 further ones.
func volume(box []uint32, more float64) float64 {
	v := 1.0
	dim := len(box) / 2
	for k := range dim {
		v *= float64(box[dim+k]-box[k]) + more
	}
	return v
}

// Leaf returns the leaf that position i is in.
func (l *Leaves) Leaf(i int) int { return find(l.Start, i) }

// of returns the least and the largest cells of a leaf.
func (l *Leaves) of(leaf, dim int) (least, most []uint32) {
	b := l.box[2*dim*leaf : 2*dim*(leaf+1)]
	return b[:dim], b[dim:]
}
