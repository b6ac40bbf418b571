package kernel

import (
	"math"
	"slices"
)

// A Linear counts pairs in bins of one width from 0 on. It looks at distances
// in float32 first, and only at those near an edge in float64, so that the
// counts are those of Hist. It may be shared by goroutines.
type Linear struct {
	bins       *Bins
	query      *single
	data       *single
	q, d       *Points
	scale, far float32 // bins per distance; distance of a fraction from ½ that is clear of the edges
}

// A single is points in float32 relative to an origin, with the layout of
// Points.
type single struct {
	data   []float32
	stride int
}

// NewLinear returns a Linear for the pairs of q and d, which may be the same.
// It returns false where the bins are not of one width from 0 on, or so narrow
// that float32 does not tell most distances from edges, or where there is no
// kernel.
func NewLinear(b *Bins, q, d *Points) (*Linear, bool) {
	if !hasLinear() || q.Dim > MaxDim || q.Dim != d.Dim || b.table == nil || b.edges[0] != 0 {
		return nil, false
	}
	last := math.Sqrt(b.edges[b.n])
	width := last / float64(b.n)
	var uneven float64 // largest distance of an edge from its place, in bins
	for i, e := range b.edges {
		uneven = max(uneven, math.Abs(math.Sqrt(e)/width-float64(i)))
	}
	origin := make([]float64, q.Dim)
	var reach float64 // largest coordinate
	for c := range origin {
		least, most := math.Inf(1), math.Inf(-1)
		for _, p := range []*Points{q, d} {
			x := p.Data[c*p.Stride:][:p.N]
			if len(x) > 0 {
				least, most = min(least, slices.Min(x)), max(most, slices.Max(x))
			}
		}
		origin[c] = least/2 + most/2
		reach = max(reach, most-origin[c], origin[c]-least)
	}
	// Nothing may overflow, nor lose bits to numbers below the normal ones
	// that a bin could notice.
	if !(reach < 1e15 && width > 1e-15 && width < 1e15) {
		return nil, false
	}
	// A coordinate is off by reach·2⁻²⁴, a difference by twice that and its own
	// rounding, their root sum of squares by √dim times as much; the squares,
	// the sum, the root and the product each add a relative 2⁻²⁴ or less, to a
	// distance of at most the diagonal.
	dim := float64(q.Dim)
	diagonal := 2 * reach * math.Sqrt(dim)
	off := 0x1p-24 * (4*reach*math.Sqrt(dim) + diagonal*(dim+5)) / width
	margin := 1.01*off + uneven + 1e-6
	if !(margin < 0.02) {
		return nil, false
	}
	l := &Linear{bins: b, q: q, d: d, scale: float32(1 / width), far: float32(0.5 - margin)}
	l.query = newSingle(q, origin)
	l.data = l.query
	if q != d {
		l.data = newSingle(d, origin)
	}
	return l, true
}

func newSingle(p *Points, origin []float64) *single {
	s := &single{stride: (p.N/16 + 2) | 1}
	s.stride *= 16
	s.data = make([]float32, s.stride*p.Dim+Slack)
	for c, o := range origin {
		to := s.data[c*s.stride:]
		for i, x := range p.Data[c*p.Stride:][:p.N] {
			to[i] = float32(x - o)
		}
	}
	return s
}

// exact counts pairs of query i that are near an edge, the candidates lo+near.
func (l *Linear) exact(i, lo int, near []uint32, h *Histogram) {
	var d2 [1]float64
	for _, k := range near {
		squares(l.q, i, l.d, lo+int(k), d2[:])
		h.count[l.bins.Find(d2[0])]++
	}
}
