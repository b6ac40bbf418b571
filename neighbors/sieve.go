package neighbors

import (
	"math"

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
	data  *kernel.Points
	start []uint32 // where the cells of data begin, and the end
	cell  func(position int) int
	query box
	other box
	left  []kernel.Run // what has to be looked at
}

// A box holds the least and the largest coordinates of points.
type box struct{ least, most []float64 }

func newBox(dim int) box { return box{make([]float64, dim), make([]float64, dim)} }

// around sets the box to that of the points [lo, hi) of p.
func (b box) around(p *kernel.Points, lo, hi int) {
	for c := range p.Dim {
		x := p.Data[c*p.Stride+lo : c*p.Stride+hi]
		least, most := math.Inf(1), math.Inf(-1)
		for _, v := range x {
			if v < least {
				least = v
			}
			if v > most {
				most = v
			}
		}
		b.least[c], b.most[c] = least, most
	}
}

// bounds returns the least and the largest d² that points of two boxes can
// have.
func (b box) bounds(o box) (least, most float64) {
	for c := range b.least {
		near := max(b.least[c]-o.most[c], o.least[c]-b.most[c], 0)
		far := max(b.most[c]-o.least[c], o.most[c]-b.least[c])
		least += float64(near * near)
		most += float64(far * far)
	}
	return least, most
}

// sift returns, of the candidates of the queries [lo, hi) of q, the runs that
// have to be looked at, and how many points of the others are neighbours of
// every query.
func (s *sieve) sift(q *kernel.Points, lo, hi int, runs []kernel.Run, t float64) (left []kernel.Run, whole int64) {
	s.query.around(q, lo, hi)
	if _, most := s.query.bounds(s.query); most > t {
		return runs, 0 // they are not near each other, let alone to others
	}
	s.left = s.left[:0]
	keep := func(from, to uint32) {
		if n := len(s.left); n > 0 && s.left[n-1].Hi == from {
			s.left[n-1].Hi = to
		} else {
			s.left = append(s.left, kernel.Run{Lo: from, Hi: to})
		}
	}
	for _, r := range runs {
		for cell := s.cell(int(r.Lo)); r.Lo < r.Hi; cell++ {
			end := min(s.start[cell+1], r.Hi)
			if end-r.Lo < denseCell {
				keep(r.Lo, end)
			} else {
				s.other.around(s.data, int(r.Lo), int(end))
				switch least, most := s.query.bounds(s.other); {
				case most <= t:
					whole += int64(end - r.Lo)
				case least <= t:
					keep(r.Lo, end)
				}
			}
			r.Lo = end
		}
	}
	return s.left, whole
}
