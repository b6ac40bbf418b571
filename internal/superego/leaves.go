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
	var box, grown []uint32
	for a := 0; a < query.Cells(); {
		box = append(append(box[:0], query.at(a)...), query.at(a)...)
		single := c.of(box)
		held, spent := float64(query.Start[a+1]-query.Start[a]), single
		b := a + 1
		for ; b < query.Cells(); b++ {
			grown = append(grown[:0], box...)
			for k, v := range query.at(b) {
				grown[k] = min(grown[k], v)
				grown[dim+k] = max(grown[dim+k], v)
			}
			whole := c.of(grown)
			more := float64(query.Start[b+1] - query.Start[b])
			dense := (held + more) / (float64(b+1-a) * mean)
			together := (held+more)*whole.each*dense + whole.search
			apart := (held*spent.each+more*single.each)*dense + spent.search + single.search
			if together > apart {
				break
			}
			box, grown = grown, box
			held, spent = held+more, whole
		}
		l.Start = append(l.Start, query.Start[a])
		l.box = append(l.box, box...)
		a = b
	}
	l.Start = append(l.Start, uint32(query.Points.N))
	return l
}

// leafCosts estimates what a leaf costs, in nanoseconds.
type leafCosts struct {
	order         *Order
	points, cells float64
}

// A leafCost is the cost of finding candidates, and of comparing one query
// with them.
type leafCost struct{ search, each float64 }

func (c *leafCosts) of(box []uint32) leafCost {
	dim := len(box) / 2
	candidates, rows := c.points, 1.0
	for k := range dim {
		wide := float64(box[dim+k]-box[k]) + 3
		candidates *= min(1, c.order.near[k]*wide/3)
		if k < dim-1 {
			rows *= min(float64(c.order.axes[k].Cells()), wide)
		}
	}
	rows = min(rows, c.cells)
	steps := rows * (1 + 2*math.Log2(max(1, c.cells/rows)))
	return leafCost{steps * stepCost, candidates * candidateCost * float64(dim)}
}

// Leaf returns the leaf that position i is in.
func (l *Leaves) Leaf(i int) int { return find(l.Start, i) }

// of returns the least and the largest cells of a leaf.
func (l *Leaves) of(leaf, dim int) (least, most []uint32) {
	b := l.box[2*dim*leaf : 2*dim*(leaf+1)]
	return b[:dim], b[dim:]
}
