package kdtree

import (
	"math"

	"skyjoin/internal/kernel"
)

// maxLeaves is the number of candidate leaves beyond which queries are looked for
// one by one.
const maxLeaves = 1024

// around finds the leaves within t of a box, at the nearest image where there
// are periods. It returns false if there are too many.
func (s *Nearest) around(box []float64, t float64) bool {
	g := &s.group
	dim := len(s.x)
	firstLeaf := s.t.Leaves() - 1
	g.boxes.Reset()
	g.total = 0
	s.stack = append(s.stack[:0], visit{node: 0})
	g.wraps = s.crosses(box[:dim], box[dim:], t)
	for len(s.stack) > 0 {
		node := s.stack[len(s.stack)-1].node
		s.stack = s.stack[:len(s.stack)-1]
		other := s.t.box[2*dim*node : 2*dim*(node+1)]
		switch {
		// The nearest image is not farther.
		case boxDistance(box, other) > t && !(g.wraps && wrappedDistance(box, other, s.side) <= t):
		case node < firstLeaf:
			s.stack = append(s.stack, visit{node: 2*node + 2}, visit{node: 2*node + 1})
		default:
			lo, hi := s.t.Start[node-firstLeaf], s.t.Start[node-firstLeaf+1]
			if g.total += int(hi - lo); g.boxes.Len() == maxLeaves || g.total > g.most {
				return false
			}
			g.boxes.Add(kernel.Run{Lo: lo, Hi: hi}, other)
		}
	}
	return true
}

// gap returns the largest of a, b and 0. As integers, the bits of numbers that
// are not negative have the order of the numbers, and those of others are
// negative: this compiles to moves on a condition, which max of numbers, that
// must mind NaN, does not.
func gap(a, b float64) float64 {
	return math.Float64frombits(uint64(max(int64(math.Float64bits(a)), int64(math.Float64bits(b)), 0)))
}

// boxDistance returns a lower bound of d² of points in two boxes, see
// [Nearest.boxBound].
func boxDistance(a, b []float64) float64 {
	dim := len(a) / 2
	b = b[:len(a)]
	var sum float64
	for c := range dim {
		d := gap(a[c]-b[dim+c], b[c]-a[dim+c])
		sum += float64(d * d)
	}
	return sum
}

// wrappedDistance is boxDistance at the nearest images. The points that are
// farthest apart are at two ends, the farther ones.
func wrappedDistance(a, b, side []float64) float64 {
	dim := len(a) / 2
	b = b[:len(a)]
	var sum float64
	for c, l := range side[:dim] {
		low, high := a[c]-b[dim+c], b[c]-a[dim+c]
		d := wrapBound(gap(low, high), -min(low, high), l)
		sum += float64(d * d)
	}
	return sum
}

// crosses reports whether a point of a box, which has the given least and
// largest coordinates, can have neighbours within t across an edge: where it
// has not, those within t in plain space are all, and their d² are the same.
//
// For, with r a little above the root of t and coordinates in [r, side-r], a
// difference that is shorter at the nearest image is longer than r there, and
// its square above t as computed.
func (s *Nearest) crosses(least, most []float64, t float64) bool {
	if s.side == nil {
		return false
	}
	r := max(math.Sqrt(t)*(1+0x1p-50), 0x1p-500) // below that squares lose bits
	for c, l := range s.side {
		if !math.IsInf(l, 1) && (least[c] < r || l-most[c] < r) {
			return true
		}
	}
	return false
}
