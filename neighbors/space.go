package neighbors

import (
	"fmt"
	"math"

	"skyjoin/internal/grid"
)

// A Space is points lowered by a metric to plain coordinates: d² of two rows
// is the sum over Columns, in order, of the squared differences. Where Side is
// set and Side[j] > 0, the difference of coordinate j, δ = fl(x-y), is first
// replaced by min(|δ|, fl(Side[j]-|δ|)); coordinates are then in [0, Side[j]).
type Space struct {
	Columns []Column
	Side    []float64 // nil when no axis is periodic
}

// Len returns the number of rows.
func (s *Space) Len() int { return s.Columns[0].Len() }

// Dim returns the number of coordinates.
func (s *Space) Dim() int { return len(s.Columns) }

// Lower turns points into the plain coordinates of the metric, as Prepare does.
// Errors wrap ErrRequest or ErrCoordinate.
func (m Metric) Lower(p *Points) (*Space, error) { return m.lower(p) }

// lower turns points into plain coordinates. Columns that need no change are
// not copied.
func (m Metric) lower(p *Points) (*Space, error) {
	if err := m.check(p.Dim()); err != nil {
		return nil, err
	}
	s := &Space{}
	rest := 0
	scale := m.scale
	if n := m.position(); n > 0 {
		position, err := m.positions(p)
		if err != nil {
			return nil, err
		}
		s.Columns = append(s.Columns, position...)
		rest = n
		if scale != nil {
			scale = scale[1:]
		}
	}
	for j := rest; j < p.Dim(); j++ {
		c := p.Column(j)
		if m.kind == periodic && m.side[j] > 0 {
			c = reduced(c, m.side[j])
		}
		if scale != nil && scale[j-rest] != 1 {
			c = divided(c, scale[j-rest])
		}
		s.Columns = append(s.Columns, c)
	}
	if m.kind == periodic {
		s.Side = make([]float64, p.Dim())
		for j, l := range m.side {
			if m.scale != nil {
				l /= m.scale[j]
			}
			s.Side[j] = l
		}
	}
	for j, c := range s.Columns {
		if i := c.firstNotFinite(); i >= 0 {
			return nil, fmt.Errorf("%w: row %d, coordinate %d is %v after scaling", ErrCoordinate, i, j, c.At(i))
		}
	}
	return s, nil
}

// positions returns three columns: unit vectors, times the distance column if
// there is one, divided by the first scale if there are scales.
func (m Metric) positions(p *Points) ([]Column, error) {
	n := p.Len()
	x, y, z := make([]float64, n), make([]float64, n), make([]float64, n)
	ra, dec := p.Column(0), p.Column(1)
	for i := range n {
		d := dec.At(i)
		if d < -90 || d > 90 {
			return nil, fmt.Errorf("%w: row %d has declination %v, it must be in [-90, 90] degrees", ErrCoordinate, i, d)
		}
		x[i], y[i], z[i] = unitVector(ra.At(i), d)
	}
	if m.kind == skyDistance {
		r := p.Column(2)
		for i := range n {
			d := r.At(i)
			if d < 0 {
				return nil, fmt.Errorf("%w: row %d has distance %v, it must not be negative", ErrCoordinate, i, d)
			}
			x[i], y[i], z[i] = x[i]*d, y[i]*d, z[i]*d
		}
	}
	if m.scale != nil && m.scale[0] != 1 {
		s := m.scale[0]
		for i := range n {
			x[i], y[i], z[i] = x[i]/s, y[i]/s, z[i]/s
		}
	}
	return []Column{Float64s(x), Float64s(y), Float64s(z)}, nil
}

// divided returns the column divided by s.
func divided(c Column, s float64) Column {
	v := make([]float64, c.Len())
	for i := range v {
		v[i] = c.At(i) / s
	}
	return Float64s(v)
}

// reduced returns the column reduced to [0, l); a result of l becomes 0.
func reduced(c Column, l float64) Column {
	v := make([]float64, c.Len())
	for i := range v {
		x := math.Mod(c.At(i), l)
		if x < 0 {
			x += l
		}
		if x >= l {
			x = 0
		}
		v[i] = x
	}
	return Float64s(v)
}

// squaredDistance is d² of row i of s and row j of o, the reference that
// every kernel must equal bit for bit.
func (s *Space) squaredDistance(i int, o *Space, j int) float64 {
	var sum float64
	for c := range s.Columns {
		d := s.Columns[c].At(i) - o.Columns[c].At(j)
		if s.Side != nil && s.Side[c] > 0 {
			d = math.Abs(d)
			d = min(d, s.Side[c]-d)
		}
		sum += float64(d * d)
	}
	return sum
}

// QuerySpace returns the query points as the metric lowered them.
func (p *Plan) QuerySpace() *Space { return p.query }

// DataSpace returns the data points as the metric lowered them, those of
// QuerySpace in a self-join.
func (p *Plan) DataSpace() *Space { return p.data }

// Reach returns a length that no coordinate of two neighbours of a Within plan
// differs by more than.
func (p *Plan) Reach() float64 { return grid.Reach(p.t) }
