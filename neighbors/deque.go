package neighbors

import "skyjoin/internal/workq"

// costLevels is how many levels of work the deque of a plan tells apart for
// every power of two: few enough that rows of a level stay in the order of the
// index, and with it near each other.
const costLevels = 2

// Deque returns all query rows in a double-ended queue by their [Plan.Cost]:
// its Front and Back are Work, with the most and the least of it. Exact orders
// rows strictly by cost, as the literature does; otherwise rows of about the
// same cost stay in the order of the index, which keeps caches useful.
func (p *Plan) Deque(exact bool) *workq.Deque {
	levels := costLevels
	if exact {
		levels = 0
	}
	cost := p.Cost
	if p.within != nil {
		cost = p.rowCosts()
	}
	return workq.New(p.order(), cost, levels)
}

// rowCosts returns Cost of a Within plan, with all its values at hand.
func (p *Plan) rowCosts() func(row uint32) int64 {
	costs := make([]int64, p.Len())
	g := built(p.inGrids)
	rows, start := g.query.Rows(), g.query.Start
	for cell, c := range g.costs() {
		for _, r := range rows[start[cell]:start[cell+1]] {
			costs[r] = c
		}
	}
	return func(row uint32) int64 { return costs[row] }
}
