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

// Metric returns the metric, Euclidean for a kind that Open refuses.
func (m Metric) Metric() neighbors.Metric {
	metric, err := neighbors.NewMetric(m.Kind, m.Sides...)
	if err == nil && m.Scale != nil {
		metric = metric.Scaled(m.Scale...)
	}
	return metric
}

// sound reports whether the metric is known to this program and fits the number of
// columns.
func (m Metric) sound(columns int) bool {
	_, err := neighbors.NewMetric(m.Kind, m.Sides...)
	return err == nil && m.Metric().Check(columns) == nil
}

// onSky reports whether cells of the sky are cut: positions without distances.
func (m Metric) onSky() bool {
	kind, err := neighbors.NewMetric(m.Kind)
	return err == nil && kind.PositionColumns() == 2
}

// angle returns the largest angle on the sky between rows within the radius.
func (m Metric) angle(radius float64) float64 {
	metric := m.Metric()
	if metric.IsAngle() {
		return radius
	}
	return 2 * math.Asin(min(1, radius*metric.Scale(0)/2))
}

// A lowering turns rows into the coordinates in which distances are measured, as the
// metric computes them.
type lowering struct {
	neighbors.Metric
	place    func(a, b, c float64) (x, y, z float64) // of the columns of a position
	position int                                     // how many these are
}

func (m Metric) lowering() lowering {
	metric := m.Metric()
	return lowering{metric, placeOf(metric), metric.PositionColumns()}
}

// row appends the coordinates of a row.
func (l *lowering) row(x []float64, p *neighbors.Points, row int) []float64 {
	if l.position > 0 {
		var at [3]float64
		for j := range l.position {
			at[j] = p.Column(j).At(row)
		}
		a, b, c := l.place(at[0], at[1], at[2])
		s := l.Scale(0)
		x = append(x, a/s, b/s, c/s)
	}
	for j := l.position; j < p.Dim(); j++ {
		v := p.Column(j).At(row)
		if side := l.Side(j); side > 0 {
			v = neighbors.Reduced(v, side)
		}
		x = append(x, v/l.Scale(j))
	}
	return x
}

// period returns the side of the box along a coordinate, 0 if the axis is open.
func (l *lowering) period(axis int) float64 { return l.Side(axis) / l.Scale(axis) }

// bounds turns the bounds of column j into those of a coordinate.
func (l *lowering) bounds(j int, b catalog.Interval) (lo, hi float64) {
	if j < l.position {
		return math.Inf(-1), math.Inf(1)
	}
	lo, hi = b.Lo, b.Hi
	if side := l.Side(j); side > 0 {
		from := neighbors.Reduced(lo, side)
		if to := from + (hi - lo); to < side*(1-1e-9) {
			lo, hi = from, to
		} else { // all of it, or past its end
			lo, hi = 0, side
		}
	}
	s := l.Scale(j)
	return lo / s, hi / s
}
