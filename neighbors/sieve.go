package neighbors

import (
	"skyjoin/internal/kernel"
)

// denseCell is the number of points from which a cell is worth a look as a
// whole: finding its box costs a few of the comparisons it can spare.
const denseCell = 32

// A sieve decides about whole dense cells: a pair of them is far apart, or
// near in every pair of points, and else has to be looked at. It is what keeps
// 100,000 points in one place from costing 10^10 distances.
//
// Bounds of d² from boxes, by the operations of d² itself, are bounds in
// floating point too: rounding is monotone.
type sieve struct {
	left  []kernel.Run // what has to be looked at
	whole []kernel.Run // what is near every query

	data  *kernel.Points
	start []uint32 // where the cells of data begin, and the end
	cell  func(position int) int
	query kernel.Box
	other kernel.Box
}

func newSieve(data *kernel.Points, start []uint32, cell func(int) int) sieve {
	return sieve{data: data, start: start, cell: cell, query: kernel.NewBox(data.Dim), other: kernel.NewBox(data.Dim)}
}

// sift divides the candidates of the queries [lo, hi) of q into left, whole
// and those that are neighbours of none. It returns false, and does nothing,
// if there is nothing to be gained: the queries are few, or not near each
// other, let alone to others.
func (s *sieve) sift(q *kernel.Points, lo, hi int, runs []kernel.Run, t float64) bool {
	if hi-lo < denseCell {
		return false
	}
	s.query.Around(q, lo, hi)
	if s.query.Farthest(s.query) > t {
		return false
	}
	s.left, s.whole = s.left[:0], s.whole[:0]
	for _, r := range runs {
		for cell := s.cell(int(r.Lo)); r.Lo < r.Hi; cell++ {
			end := min(s.start[cell+1], r.Hi)
			if end-r.Lo < denseCell {
				s.left = kernel.Extend(s.left, r.Lo, end)
			} else {
				s.other.Around(s.data, int(r.Lo), int(end))
				switch {
				case s.query.Farthest(s.other) <= t:
					s.whole = kernel.Extend(s.whole, r.Lo, end)
				case s.query.Nearest(s.other) <= t:
					s.left = kernel.Extend(s.left, r.Lo, end)
				}
			}
			r.Lo = end
		}
	}
	return true
}
