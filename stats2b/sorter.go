package stats2b

import (
	"math"

	"skyjoin/internal/kernel"
	"skyjoin/neighbors"
)

// A sorter assigns slots to single pairs: 1 + cell, 0 for pairs closer than the
// first edge, and -1 for all others outside the bins.
type sorter struct {
	plane  Plane
	first  lookup    // of squares
	second lookup    // of π or μ
	closed bool      // μ = 1 belongs to the last bin
	axis   int       // the line of sight, -1 for none
	side   []float64 // kernel.Sides of the periods

	across []float64 // π or μ of the current pairs
	bin    []int32   // their bins
}

// A lookup finds bins of numbers that are not negative.
type lookup struct {
	bins *kernel.Bins // the first edge is 0
	more int          // 1 if the first interval is not one of the bins
	n    int          // number of bins
}

func newLookup(edges []float64) (lookup, error) {
	all, more := fromZero(edges)
	bins, err := kernel.NewBins(all)
	return lookup{bins, more, len(edges) - 1}, err
}

func newSorter(b *Binning, m neighbors.Metric, side []float64) (*sorter, error) {
	if b.Plane == RpPi { // inHalf has checked rp against the sides of the box
		m = neighbors.Euclidean()
	}
	squared, err := b.Bins.Squared(m)
	if err != nil {
		return nil, err
	}
	s := &sorter{plane: b.Plane, axis: b.Axis - 1, side: kernel.Sides(side)}
	if s.first, err = newLookup(squared); err != nil || b.Plane == NoPlane {
		return s, err
	}
	edges := b.Across.Edges()
	for i := range edges {
		edges[i] *= b.Across.unit
	}
	s.closed = b.Plane == SMu && edges[len(edges)-1] == 1
	s.second, err = newLookup(edges)
	return s, err
}

// room returns a copy of the sorter with buffers of its own, for n pairs at a time.
func (s *sorter) room(n int) *sorter {
	own := *s
	if s.plane != NoPlane {
		own.across, own.bin = make([]float64, n), make([]int32, n)
	}
	return &own
}

// sort sets the slots of the pairs of point i of q with the found points of d, whose
// squared distances are d2. It leaves the squares of the first binned coordinate in
// d2.
func (s *sorter) sort(slots []int32, q *kernel.Points, i int, d *kernel.Points, found []uint32, d2 []float64) {
	if s.plane == NoPlane {
		s.first.bins.FindAll(d2, slots)
		more, n := int32(s.first.more), int32(s.first.n)
		for k, edges := range slots {
			slots[k] = edges - more
			if edges-more > n {
				slots[k] = -1
			}
		}
		return
	}
	across, bin := s.across[:len(found)], s.bin[:len(found)]
	p := s.newPair(q, i, d)
	if s.axis < 0 {
		p.toMiddles(found, across)
	} else {
		p.alongAxis(found, across)
	}
	if s.plane == SMu {
		s.cosines(d2, across)
	} else if s.axis < 0 {
		for k, pi := range across {
			d2[k] = max(d2[k]-float64(pi*pi), 0)
		}
	} else {
		p.besideAxis(found, d2)
	}
	s.first.bins.FindAll(d2, slots)
	s.second.bins.FindAll(across, bin)
	a0, an, b0, bn := int32(s.first.more)+1, int32(s.first.n), int32(s.second.more)+1, int32(s.second.n)
	for k := range slots {
		a, b := slots[k]-a0, bin[k]-b0
		slots[k] = -1
		if uint32(a) < uint32(an) && uint32(b) < uint32(bn) {
			slots[k] = 1 + a*bn + b
		}
	}
}

// cosines turns π into μ.
func (s *sorter) cosines(d2, across []float64) {
	for k, pi := range across {
		mu := 0.0
		if d2[k] > 0 {
			mu = pi / math.Sqrt(d2[k])
		}
		if s.closed && mu >= 1 {
			mu = math.Nextafter(1, 0)
		}
		across[k] = mu
	}
}

// A pair measures pairs of one point with others, along and across the line of
// sight.
type pair struct {
	at   [3]float64
	data [3][]float64
	axis int
	side [3]float64 // +Inf: open
}

func (s *sorter) newPair(q *kernel.Points, i int, d *kernel.Points) *pair {
	p := &pair{axis: s.axis}
	for c := range 3 {
		p.at[c] = q.Data[c*q.Stride+i]
		p.data[c] = d.Data[c*d.Stride:][:d.N]
		if p.side[c] = math.Inf(1); s.side != nil {
			p.side[c] = s.side[c]
		}
	}
	return p
}

// toMiddles sets π of the pairs with the found points, along the line from the
// origin to the middle of each pair. π is 0 if the middle is the origin.
func (p *pair) toMiddles(found []uint32, out []float64) {
	x, y, z := p.data[0], p.data[1][:len(p.data[0])], p.data[2][:len(p.data[0])]
	px, py, pz := p.at[0], p.at[1], p.at[2]
	for k, j := range found {
		dx, dy, dz := px-x[j], py-y[j], pz-z[j]
		lx, ly, lz := (px+x[j])/2, (py+y[j])/2, (pz+z[j])/2
		length := float64(lx*lx) + float64(ly*ly) + float64(lz*lz)
		dot := float64(dx*lx) + float64(dy*ly) + float64(dz*lz)
		out[k] = math.Abs(dot) / math.Sqrt(length)
		if !(length >= 0x1p-900 && length <= 0x1p1000) {
			out[k] = alongMiddle(p.at, [3]float64{x[j], y[j], z[j]})
		}
	}
}

// alongMiddle returns π of two points so far from the origin, or so near, that
// squares overflow or vanish: it computes in units of a power of two, which changes
// no bit.
func alongMiddle(a, b [3]float64) float64 {
	var middle [3]float64
	most := 0.0
	for c := range 3 {
		middle[c] = a[c]/2 + b[c]/2
		most = max(most, math.Abs(middle[c]))
	}
	if most == 0 {
		return 0
	}
	_, e := math.Frexp(most)
	var length, dot float64
	for c := range 3 {
		l := math.Ldexp(middle[c], -e)
		length += float64(l * l)
		dot += float64((a[c] - b[c]) * l)
	}
	return math.Abs(dot) / math.Sqrt(length)
}

// alongAxis sets π of the pairs with the found points, along the axis.
func (p *pair) alongAxis(found []uint32, out []float64) {
	x, at, side := p.data[p.axis], p.at[p.axis], p.side[p.axis]
	for k, j := range found {
		delta := math.Abs(at - x[j])
		out[k] = min(delta, side-delta)
	}
}

// besideAxis sets rp² of the pairs with the found points, across the axis.
func (p *pair) besideAxis(found []uint32, out []float64) {
	clear(out)
	for c := range 3 {
		if c == p.axis {
			continue
		}
		x, at, side := p.data[c], p.at[c], p.side[c]
		for k, j := range found {
			delta := math.Abs(at - x[j])
			delta = min(delta, side-delta)
			out[k] += float64(delta * delta)
		}
	}
}
