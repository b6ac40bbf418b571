package neighbors

import (
	"skyjoin/internal/kernel"
)

// denseCell is the number of points from which it pays to look at a cell as a whole:
// computing its box costs a few of the comparisons that it can save.
const denseCell = 32

// A boxFilter decides about pairs of dense cells by their bounding boxes: either no
// pair of their points is within the radius, or every pair is, or the pairs have to
// be compared. It is what keeps 100,000 points in one place from costing 10^10
// distances.
//
// Bounds of d² from boxes, by the operations of d² itself, are bounds in floating
// point too: rounding is monotone.
type boxFilter struct {
	compare []kernel.Run // candidates that have to be compared
	inside  []kernel.Run // candidates within the radius of every query

	data  *kernel.Points
	start []uint32 // where the cells of data begin, and the end
	cell  func(position int) int
	query kernel.Box
	other kernel.Box
}

func newBoxFilter(data *kernel.Points, start []uint32, cell func(int) int) boxFilter {
	return boxFilter{data: data, start: start, cell: cell, query: kernel.NewBox(data.Dim), other: kernel.NewBox(data.Dim)}
}

// split divides the candidates of the queries [lo, hi) of q into compare, inside
// and those that are neighbours of none. It returns false, and does nothing, where
// that would not pay: the queries are few, or are not within the radius of each
// other.
func (f *boxFilter) split(q *kernel.Points, lo, hi int, runs []kernel.Run, t float64) bool {
	if hi-lo < denseCell {
		return false
	}
	f.query.Around(q, lo, hi)
	if f.query.Farthest(f.query) > t {
		return false
	}
	f.compare, f.inside = f.compare[:0], f.inside[:0]
	for _, r := range runs {
		for cell := f.cell(int(r.Lo)); r.Lo < r.Hi; cell++ {
			end := min(f.start[cell+1], r.Hi)
			if end-r.Lo < denseCell {
				f.compare = kernel.Extend(f.compare, r.Lo, end)
			} else {
				f.other.Around(f.data, int(r.Lo), int(end))
				switch {
				case f.query.Farthest(f.other) <= t:
					f.inside = kernel.Extend(f.inside, r.Lo, end)
				case f.query.Nearest(f.other) <= t:
					f.compare = kernel.Extend(f.compare, r.Lo, end)
				}
			}
			r.Lo = end
		}
	}
	return true
}
