package tiles

import (
	"math"

	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// A Metric is a neighbors.Metric as a plan stores it.
type Metric struct {
	Kind  string    `json:"kind"` // as neighbors.Metric names it
	Sides []float64 `json:"sides,omitempty"`
	Scale []float64 `json:"scale,omitempty"`
}

// Metric returns the metric.
func (m Metric) Metric() neighbors.Metric {
	out := neighbors.Euclidean() // Open refuses a kind that is none of these
	switch m.Kind {
	case neighbors.Sky().String():
		out = neighbors.Sky()
	case neighbors.SkyDistance().String():
		out = neighbors.SkyDistance()
	case neighbors.Periodic().String():
		out = neighbors.Periodic(m.Sides...)
	}
	if m.Scale != nil {
		out = out.Scaled(m.Scale...)
	}
	return out
}

// onSky reports whether cells of the sky are cut: positions without distances.
func (m Metric) onSky() bool { return m.Kind == neighbors.Sky().String() }

// angle returns the largest angle on the sky between rows within the radius.
func (m Metric) angle(radius float64) float64 {
	if m.Scale == nil {
		return radius
	}
	return 2 * math.Asin(min(1, radius*m.Scale[0]/2))
}

// scale returns the scale of a coordinate that lower returns.
func (m Metric) scale(axis int) float64 {
	if m.Scale == nil {
		return 1
	}
	if m.Kind == neighbors.SkyDistance().String() {
		axis = max(axis-2, 0)
	}
	return m.Scale[axis]
}

// period returns the side of the box along a coordinate that lower returns, 0 if the
// axis is open.
func (m Metric) period(axis int) float64 {
	if m.Sides == nil {
		return 0
	}
	return m.Sides[axis] / m.scale(axis)
}

// lower appends the coordinates in which distances are measured, nearly as the
// metric computes them.
func (m Metric) lower(x []float64, p *neighbors.Points, row int) []float64 {
	first := 0
	if m.Kind == neighbors.SkyDistance().String() {
		a, b, c := neighbors.UnitVector(p.Column(0).At(row), p.Column(1).At(row))
		r := p.Column(2).At(row) / m.scale(0)
		x = append(x, a*r, b*r, c*r)
		first = 3
	}
	for j := first; j < p.Dim(); j++ {
		v := p.Column(j).At(row)
		if m.Sides != nil && m.Sides[j] > 0 {
			v = reduce(v, m.Sides[j])
		}
		x = append(x, v/m.scale(j))
	}
	return x
}

// reduce returns the coordinate in [0, side).
func reduce(v, side float64) float64 {
	if v = math.Mod(v, side); v < 0 {
		v += side
	}
	if v >= side {
		v = 0
	}
	return v
}

// lowerBounds turns the bounds of column j into those of a coordinate that lower
// returns.
func (m Metric) lowerBounds(j int, b catalog.Interval) (lo, hi float64) {
	if m.Kind == neighbors.SkyDistance().String() && j < 3 {
		return math.Inf(-1), math.Inf(1)
	}
	lo, hi = b.Lo, b.Hi
	if m.Sides != nil && m.Sides[j] > 0 {
		side := m.Sides[j]
		from := reduce(lo, side)
		if to := from + (hi - lo); to < side*(1-1e-9) {
			lo, hi = from, to
		} else { // all of it, or past its end
			lo, hi = 0, side
		}
	}
	s := m.scale(j)
	return lo / s, hi / s
}
