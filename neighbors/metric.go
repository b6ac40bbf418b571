package neighbors

import (
	"fmt"
	"math"
	"slices"
)

// A Metric says what the columns of Points mean and how far apart two rows
// are. The zero value is the Euclidean metric.
//
// A metric never enters a kernel: Prepare lowers it once, on the host, to
// plain coordinates ([Space]) in which d² is a sum of squared differences.
type Metric struct {
	index uint8 // of its entry in metrics
	side  []float64
	scale []float64
}

// Euclidean is the metric of the plain columns.
func Euclidean() Metric { return Metric{} }

// Sky is the angle between directions on the sphere. The first two columns are
// right ascension (any range) and declination ([-90, 90]) in degrees; radii
// and distances are in radians. Further columns are more Euclidean dimensions
// and need scales.
func Sky() Metric { return known("sky") }

// SkyDistance is the Euclidean distance of the positions given by right
// ascension and declination in degrees and a distance, the first three
// columns. Radii have the unit of the distance column. A negative distance,
// which would be the antipode, is no position.
func SkyDistance() Metric { return known("sky-distance") }

// Periodic is the distance to the nearest image in a box with the given side
// per column; a side of 0 leaves that axis open.
func Periodic(side ...float64) Metric { return known("periodic", side...) }

// known is NewMetric for names of the table.
func known(name string, side ...float64) Metric {
	m, err := NewMetric(name, side...)
	if err != nil {
		panic(err)
	}
	return m
}

// Scaled returns m with every coordinate divided by its scale, so that radii
// are pure numbers. On the sky RA and Dec share the first scale, an angle in
// radians (chord² is divided by its square); with SkyDistance the three
// position columns share the first. Otherwise there is one scale per column.
func (m Metric) Scaled(scale ...float64) Metric {
	m.scale = slices.Clone(scale)
	return m
}

// String names the metric: euclidean, sky, sky-distance or periodic.
func (m Metric) String() string { return metrics[m.index].Name }

// IsAngle reports whether radii and distances are angles in radians: the sky
// metric without scales.
func (m Metric) IsAngle() bool { return m.scale == nil && metrics[m.index].Angle }

// position is the number of leading columns that the metric turns into three
// position coordinates; 0 if it does not.
func (m Metric) position() int { return metrics[m.index].Position }

// scales returns the number of scales that columns columns need.
func (m Metric) scales(columns int) int {
	if p := m.position(); p > 0 {
		return columns - p + 1
	}
	return columns
}

// Check returns an error that wraps ErrRequest if the metric does not fit points with
// the given number of columns.
func (m Metric) Check(columns int) error {
	if p := m.position(); columns < p {
		return fmt.Errorf("%w: the %v metric needs %d columns, there are %d", ErrRequest, m, p, columns)
	}
	if p := m.position(); m.IsAngle() && columns > p {
		return fmt.Errorf("%w: the %v metric with %d further columns needs scales, one angle and one per further column", ErrRequest, m, columns-p)
	}
	if m.scale != nil && len(m.scale) != m.scales(columns) {
		return fmt.Errorf("%w: %d scales given, %d are needed for %d columns of the %v metric", ErrRequest, len(m.scale), m.scales(columns), columns, m)
	}
	for i, s := range m.scale {
		if !(s > 0) || math.IsInf(s, 1) {
			return fmt.Errorf("%w: scale %d is %v, it must be positive and finite", ErrRequest, i, s)
		}
	}
	if metrics[m.index].Box {
		if len(m.side) != columns {
			return fmt.Errorf("%w: the box has %d sides, there are %d columns", ErrRequest, len(m.side), columns)
		}
		for i, l := range m.side {
			if !(l >= 0) || math.IsInf(l, 1) {
				return fmt.Errorf("%w: side %d of the box is %v, it must be positive, or 0 for an open axis", ErrRequest, i, l)
			}
		}
	}
	return nil
}

// threshold returns the largest d² that counts as within radius r, which may be
// over half of a side of a box if it may be far.
func (m Metric) threshold(r float64, far bool) (float64, error) {
	if !(r > 0) || math.IsInf(r, 1) {
		return 0, fmt.Errorf("%w: radius %v, it must be positive and finite", ErrRequest, r)
	}
	if m.IsAngle() {
		if r > math.Pi {
			return 0, fmt.Errorf("%w: radius %v rad, on the sky it is at most π = 180°", ErrRequest, r)
		}
		return squaredChord(r), nil
	}
	if far {
		return squaredRadius(r), nil
	}
	return squaredRadius(r), m.inHalf("radius", r)
}

// inHalf refuses a radius or distance over half of a side of the box.
func (m Metric) inHalf(what string, r float64) error {
	for i, l := range m.side {
		if m.scale != nil {
			l /= m.scale[i]
		}
		if l > 0 && r > l/2 {
			return fmt.Errorf("%w: %s %v is over half of side %d of the box, %v", ErrRequest, what, r, i, l/2)
		}
	}
	return nil
}
