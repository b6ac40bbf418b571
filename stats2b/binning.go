package stats2b

import (
	"fmt"
	"math"

	"skyjoin/internal/kernel"
	"skyjoin/neighbors"
)

// A Plane says by which second coordinate pairs are binned. The line of sight
// of a pair of positions is that from the origin to its middle: with s = x-y
// and l = (x+y)/2, π = |s·l|/|l|, rp² = s²-π², μ = π/|s|, 0 for s = 0. With an
// axis for the line of sight π is the difference along it.
type Plane uint8

const (
	NoPlane Plane = iota // by distance alone
	RpPi                 // by rp and π
	SMu                  // by distance and μ; a last edge of 1 holds μ = 1
)

// A Binning says how pairs are binned.
type Binning struct {
	Bins   Bins  // of the distance, or of rp
	Plane  Plane // what else
	Across Bins  // of π, or of μ
	Axis   int   // 1, 2 or 3: the axis that is the line of sight; 0: from the origin
}

// Cells returns the number of bins in all. Cell i·Across.Len()+j is bin i of
// Bins and bin j of Across.
func (b *Binning) Cells() int {
	if b.Plane == NoPlane {
		return b.Bins.Len()
	}
	return b.Bins.Len() * b.Across.Len()
}

// check reports what does not fit the metric and the lowered coordinates.
func (b *Binning) check(m neighbors.Metric, columns int) error {
	if b.Bins.Len() == 0 || b.Plane != NoPlane && b.Across.Len() == 0 {
		return fmt.Errorf("%w: no bins", neighbors.ErrRequest)
	}
	if b.Plane == NoPlane {
		return nil
	}
	if b.Cells() > maxBinCount {
		return fmt.Errorf("%w: %d × %d bins, there can be %d", neighbors.ErrRequest, b.Bins.Len(), b.Across.Len(), maxBinCount)
	}
	switch {
	case m.IsAngle():
		return fmt.Errorf("%w: (rp, π) and (s, μ) need distances, the sky metric has angles", neighbors.ErrRequest)
	case columns != 3:
		return fmt.Errorf("%w: (rp, π) and (s, μ) need 3 coordinates, there are %d", neighbors.ErrRequest, columns)
	case b.Axis < 0 || b.Axis > 3:
		return fmt.Errorf("%w: line of sight along axis %d, it is 1, 2, 3, or 0 for none", neighbors.ErrRequest, b.Axis)
	case m.String() == "periodic" && b.Axis == 0:
		return fmt.Errorf("%w: in a periodic box the line of sight must be an axis", neighbors.ErrRequest)
	case b.Plane == SMu && b.Across.Edge(b.Across.Len()) > 1:
		return fmt.Errorf("%w: μ up to %v, it is at most 1", neighbors.ErrRequest, b.Across.Edge(b.Across.Len()))
	}
	return nil
}

// reach returns a distance that no pair in the bins is farther apart than.
func (b *Binning) reach() float64 {
	last := b.Bins.Edge(b.Bins.Len()) * b.Bins.unit
	if b.Plane != RpPi {
		return last
	}
	// The sum of squares of rounded numbers may exceed that of the edges.
	return math.Hypot(last, b.Across.Edge(b.Across.Len())*b.Across.unit) * (1 + 1e-12)
}

// A sorter puts single pairs into cells.
type sorter struct {
	plane  Plane
	bins   *kernel.Bins // of squares, the first edge being 0
	more   int          // 1 if that edge is not one of the bins
	count  int          // of these
	across []float64    // edges
	axis   int
	side   []float64
}

func newSorter(b *Binning, m neighbors.Metric, side []float64) (*sorter, error) {
	squared, err := b.Bins.Squared(m)
	if err != nil {
		return nil, err
	}
	s := &sorter{plane: b.Plane, axis: b.Axis - 1, side: side, count: b.Bins.Len()}
	edges, more := fromZero(squared)
	s.more = more
	if s.bins, err = kernel.NewBins(edges); err != nil {
		return nil, err
	}
	for i := range b.Across.Len() + 1 {
		if b.Plane != NoPlane {
			s.across = append(s.across, b.Across.Edge(i)*b.Across.unit)
		}
	}
	return s, nil
}

// slot returns 1 + the cell of the pair with the given d², 0 if it is closer
// than the first edge, and -1 if it is in none otherwise. Only planes look at
// the points.
func (s *sorter) slot(q *kernel.Points, i int, d *kernel.Points, j int, d2 float64) int {
	if s.plane == NoPlane {
		k := s.bins.Find(d2) - s.more
		if k > s.count {
			return -1
		}
		return k
	}
	pi := s.along(q, i, d, j)
	first, second := d2, pi
	if s.plane == RpPi {
		first = max(d2-float64(pi*pi), 0)
		if s.axis >= 0 {
			first = s.aside(q, i, d, j)
		}
	} else if second = 0; d2 > 0 {
		second = pi / math.Sqrt(d2)
		if last := s.across[len(s.across)-1]; last == 1 && second >= 1 {
			second = math.Nextafter(1, 0)
		}
	}
	n := len(s.across) - 1
	k := s.bins.Find(first) - s.more - 1
	if k < 0 || k >= s.count || second < s.across[0] || second >= s.across[n] {
		return -1
	}
	return 1 + k*n + binOf(s.across, second)
}

// difference is that of coordinate c, by the minimum image on a periodic axis.
func (s *sorter) difference(q *kernel.Points, i int, d *kernel.Points, j, c int) float64 {
	x := q.Data[c*q.Stride+i] - d.Data[c*d.Stride+j]
	if s.side != nil && s.side[c] > 0 {
		x = math.Abs(x)
		x = min(x, s.side[c]-x)
	}
	return x
}

// along returns π.
func (s *sorter) along(q *kernel.Points, i int, d *kernel.Points, j int) float64 {
	if s.axis >= 0 {
		return math.Abs(s.difference(q, i, d, j, s.axis))
	}
	var dot, length float64
	for c := range q.Dim {
		x, y := q.Data[c*q.Stride+i], d.Data[c*d.Stride+j]
		l := (x + y) / 2
		dot += float64((x - y) * l)
		length += float64(l * l)
	}
	if length == 0 {
		return 0
	}
	return math.Abs(dot) / math.Sqrt(length)
}

// aside returns the squared distance across the axis.
func (s *sorter) aside(q *kernel.Points, i int, d *kernel.Points, j int) float64 {
	var sum float64
	for c := range q.Dim {
		if c != s.axis {
			x := s.difference(q, i, d, j, c)
			sum += float64(x * x)
		}
	}
	return sum
}
