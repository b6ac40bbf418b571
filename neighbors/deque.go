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
	return workq.New(p.order(), p.Cost, levels)
}
