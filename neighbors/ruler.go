package neighbors

import (
	"fmt"

	"skyjoin/internal/par"
)

// A Ruler measures single distances under a metric, without an index. It is
// immutable and safe for concurrent use.
type Ruler struct{ plan Plan }

// NewRuler returns a ruler between the rows of a and those of b. Errors wrap
// ErrRequest or ErrCoordinate.
func NewRuler(metric Metric, a, b *Points) (*Ruler, error) {
	if a.Dim() != b.Dim() {
		return nil, fmt.Errorf("%w: %d columns of one side but %d of the other", ErrRequest, a.Dim(), b.Dim())
	}
	r := &Ruler{Plan{metric: metric}}
	var err error
	if r.plan.query, err = metric.lower(a, par.Threads(0)); err != nil {
		return nil, err
	}
	if r.plan.data, err = metric.lower(b, par.Threads(0)); err != nil {
		return nil, err
	}
	return r, nil
}

// Distance returns the distance of row i of a and row j of b, the same that a
// join of them reports.
func (r *Ruler) Distance(i, j uint32) float64 { return r.plan.Distance(i, j) }

// PositionColumns returns the number of leading columns that together are a
// position on the sky: 2 for Sky, 3 for SkyDistance, otherwise 0.
func (m Metric) PositionColumns() int { return m.position() }

// Side returns the period of column j, 0 if it has none.
func (m Metric) Side(j int) float64 {
	if m.kind != periodic || j >= len(m.side) {
		return 0
	}
	return m.side[j]
}

// Periodic reports whether some axis of the plan is periodic.
func (p *Plan) Periodic() bool { return p.query.Side != nil }

// UnitVector returns the direction of (ra, dec) in degrees, as the sky metric
// has it. dec must be in [-90, 90], ra may be in any range.
func UnitVector(ra, dec float64) (x, y, z float64) { return unitVector(ra, dec) }

// SinCosDec returns the sine and the cosine of a declination in degrees: z and
// √(x²+y²) of UnitVector, with the same bits as of RA 0.
func SinCosDec(dec float64) (sin, cos float64) { return sincosDegrees(dec) }
