package neighbors

import (
	"fmt"
	"math"
	"slices"
)

// metrics is the table of metrics. A new metric is a new entry: flags, plans of
// tiles, the C library and the checks of catalogs read it from here.
var metrics = [...]MetricKind{
	{Name: "euclidean"},
	{Name: "sky", Position: 2, Angle: true, place: func(ra, dec, _ float64) (x, y, z float64) { return unitVector(ra, dec) }},
	{Name: "sky-distance", Position: 3, WithoutDistance: "sky", place: func(ra, dec, r float64) (x, y, z float64) {
		x, y, z = unitVector(ra, dec)
		return x * r, y * r, z * r
	}},
	{Name: "periodic", Box: true},
}

// A MetricKind is what sets a metric apart from the others.
type MetricKind struct {
	Name            string // as NewMetric takes it
	Position        int    // leading columns that are a position: 2 for RA and Dec in degrees, 3 for these and a distance, 0 for none
	WithoutDistance string // of positions with a distance: the metric of those without one
	Angle           bool   // without scales, radii and distances are angles in radians, measured between unit vectors
	Box             bool   // there is a box, with a side for each column

	place func(a, b, c float64) (x, y, z float64) // turns the columns of a position, as many as there are, into coordinates
}

// Metrics returns the table of metrics. An entry keeps its place: the C library
// numbers metrics by it.
func Metrics() []MetricKind { return slices.Clone(metrics[:]) }

// NewMetric returns the metric of that name, with the sides of the box if it has
// one. The error wraps ErrRequest.
func NewMetric(name string, side ...float64) (Metric, error) {
	i := slices.IndexFunc(metrics[:], func(k MetricKind) bool { return k.Name == name })
	switch {
	case i < 0:
		return Metric{}, fmt.Errorf("%w: there is no metric %q", ErrRequest, name)
	case len(side) > 0 && !metrics[i].Box:
		return Metric{}, fmt.Errorf("%w: the %s metric has no box, %d sides given", ErrRequest, name, len(side))
	}
	return Metric{index: uint8(i), side: slices.Clone(side)}, nil
}

// Kind returns the metric's entry in the table.
func (m Metric) Kind() MetricKind { return metrics[m.index] }

// A Limit is the range of the values that a column may have. Values outside it,
// such as a declination of 95°, are no positions.
type Limit struct {
	Least, Most float64
	Column      string // what the column holds; "" without a limit
	Outside     string // says that a value is outside
}

// limits are those of the columns of a position.
var limits = [...]Limit{
	{Least: math.Inf(-1), Most: math.Inf(1)},
	{-90, 90, "declination", "outside [-90, 90]"},
	{0, math.Inf(1), "distance", "below 0"},
}

// Limit returns the limit of column j.
func (m Metric) Limit(j int) Limit {
	if j >= metrics[m.index].Position {
		j = 0
	}
	return limits[j]
}

// Reason says why values outside the limit are left out, as in "declination outside
// [-90, 90]".
func (l Limit) Reason() string { return l.Column + " " + l.Outside }

// Check returns a CoordinateError if the value of a row is outside
// the limit.
func (l Limit) Check(row int, v float64) error {
	if l.Least <= v && v <= l.Most {
		return nil
	}
	return &CoordinateError{row, slices.Index(limits[:], l), fmt.Sprintf(" has %s %v, which is %s", l.Column, v, l.Outside)}
}
