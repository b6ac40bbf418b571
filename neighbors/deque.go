package neighbors

import (
	"math"

	"skyjoin/internal/par"
	"skyjoin/internal/workq"
)

// costOctaves is how many powers of two of work the deque of a plan treats as equal:
// enough that most rows that are near each other stay together, in the order of the
// index, on which caches and the cells of a GPU depend.
const costOctaves = 4

// deque returns query rows, which are in the order of the index, as a double-ended
// queue ordered by their work: its Front and Back are Work and begin with the most
// and the least work. For a Within plan that is [Plan.Cost]. Rows of a Nearest plan
// all cost the same and are ordered by how crowded they are.
//
// With exact, rows are strictly ordered, as in the literature; without, rows of
// about the same work stay in the order of the index, which keeps caches useful.
func (p *Plan) deque(rows []uint32, exact bool) *workq.Deque {
	cost := p.rowCosts()
	rank := cost
	if p.near != nil {
		rank = p.crowding()
	}
	if exact {
		return workq.Ordered(rows, rank, cost)
	}
	return workq.Ordered(rows, func(row uint32) int64 { return int64(math.Ilogb(float64(max(rank(row), 1))) / costOctaves) }, cost)
}

// rowCosts returns Cost with all its values precomputed.
func (p *Plan) rowCosts() func(row uint32) int64 {
	if p.near != nil {
		return p.Cost
	}
	costs := make([]int64, p.Len())
	g := built(p.inGrids)
	rows, start, cells := g.query.Rows(), g.query.Start, g.costs()
	par.Chunks(p.threads, len(cells), func(_, lo, hi int) {
		for cell := lo; cell < hi; cell++ {
			for _, r := range rows[start[cell]:start[cell+1]] {
				costs[r] = cells[cell]
			}
		}
	})
	return func(row uint32) int64 { return costs[row] }
}

// crowdBlock is how many queries share an estimate of their crowding.
const crowdBlock = 32

// crowding returns an estimate of how many points share the cell of a query row, in
// a grid whose cells hold 2^20 points on average. It uses the boxes around
// consecutive queries in the order of the index.
func (p *Plan) crowding() func(row uint32) int64 {
	order := p.order()
	whole := make([]float64, p.query.Dim())
	for j, c := range p.query.Columns {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range c.Len() {
			low, high = min(low, c.At(i)), max(high, c.At(i))
		}
		whole[j] = high/2 - low/2
	}
	points := make([]float32, len(order))
	blocks := (len(order) + crowdBlock - 1) / crowdBlock
	par.Chunks(p.threads, blocks, func(_, lo, hi int) {
		for b := lo; b < hi; b++ {
			rows := order[b*crowdBlock : min((b+1)*crowdBlock, len(order))]
			log2 := math.Log2(float64(len(rows)) / float64(len(order))) // of the density relative to the mean
			for j, c := range p.query.Columns {
				low, high := math.Inf(1), math.Inf(-1)
				for _, r := range rows {
					low, high = min(low, c.At(int(r))), max(high, c.At(int(r)))
				}
				if whole[j] > 0 {
					log2 -= math.Log2(max((high/2-low/2)/whole[j], 0x1p-50))
				}
			}
			for _, r := range rows {
				points[r] = float32(math.Exp2(min(max(20+log2, 0), 60)))
			}
		}
	})
	return func(row uint32) int64 { return int64(points[row]) }
}
