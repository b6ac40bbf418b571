package stats2b

import (
	"math"

	"skyjoin/internal/kernel"
	"skyjoin/neighbors"
)

// A sorter puts single pairs into slots: 1 + cell, 0 for those closer than the
// first edge, -1 for those in none otherwise.
type sorter struct {
	plane  Plane
	first  lookup // of squares
	second lookup // of π or μ
	closed bool   // μ = 1 is in the last bin
	axis   int    // that is the line of sight, -1: none
	side   []float64
}

// A lookup finds bins of numbers that are not negative.
type lookup struct {
	bins *kernel.Bins // the first edge is 0
	more int          // 1 if that is not one of the bins
	n    int          // of these
}

func newLookup(edges []float64) (lookup, error) {
	all, more := fromZero(edges)
	bins, err := kernel.NewBins(all)
	return lookup{bins, more, len(edges) - 1}, err
}

// find returns the bin of x, -1 below and Len or more beyond the edges.
func (l *lookup) find(x float64) int { return l.bins.Find(x) - l.more - 1 }

func newSorter(b *Binning, m neighbors.Metric, side []float64) (*sorter, error) {
	squared, err := b.Bins.Squared(m)
	if err != nil {
		return nil, err
	}
	s := &sorter{plane: b.Plane, axis: b.Axis - 1, side: side}
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

// sort sets the slots of the pairs of point i of q with the found points of d,
// whose squared distances are d2. It leaves the squares of what Binning.Bins are
// of in d2.
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
	p := s.newPair(q, i, d)
	for k, j := range found {
		pi, aside := p.measure(int(j), d2[k])
		first, second := aside, pi
		if s.plane == SMu {
			first, second = d2[k], 0
			if d2[k] > 0 {
				second = pi / math.Sqrt(d2[k])
			}
			if s.closed && second >= 1 {
				second = math.Nextafter(1, 0)
			}
		}
		slots[k] = -1
		a, b := s.first.find(first), s.second.find(second)
		d2[k] = first
		if uint(a) < uint(s.first.n) && uint(b) < uint(s.second.n) {
			slots[k] = int32(1 + a*s.second.n + b)
		}
	}
}

// A pair measures pairs of one point with others along and across their line
// of sight.
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
		if p.side[c] = math.Inf(1); s.side != nil && s.side[c] > 0 {
			p.side[c] = s.side[c]
		}
	}
	return p
}

// measure returns π and rp² of the pair with point j.
func (p *pair) measure(j int, d2 float64) (pi, aside float64) {
	x, y, z := p.data[0][j], p.data[1][j], p.data[2][j]
	if p.axis < 0 {
		dx, dy, dz := p.at[0]-x, p.at[1]-y, p.at[2]-z
		lx, ly, lz := (p.at[0]+x)/2, (p.at[1]+y)/2, (p.at[2]+z)/2
		length := float64(lx*lx) + float64(ly*ly) + float64(lz*lz)
		if length == 0 {
			return 0, d2
		}
		dot := float64(dx*lx) + float64(dy*ly) + float64(dz*lz)
		pi = math.Abs(dot) / math.Sqrt(length)
		return pi, max(d2-float64(pi*pi), 0)
	}
	delta := [3]float64{math.Abs(p.at[0] - x), math.Abs(p.at[1] - y), math.Abs(p.at[2] - z)}
	for c := range delta {
		delta[c] = min(delta[c], p.side[c]-delta[c])
		if c != p.axis {
			aside += float64(delta[c] * delta[c])
		}
	}
	return delta[p.axis], aside
}
