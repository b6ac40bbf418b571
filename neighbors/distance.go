package neighbors

import (
	"fmt"
	"math"

	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// distance returns the reported distance of query row i and data row j, whose
// squared distance is d2.
func (p *Plan) distance(i, j int, d2 float64) float64 {
	if !p.metric.IsAngle() {
		return math.Sqrt(d2)
	}
	if d2 <= 2 {
		return chordAngle(d2)
	}
	var sum2 float64
	for c := range p.query.Columns {
		s := p.query.Columns[c].At(i) + p.data.Columns[c].At(j)
		sum2 += float64(s * s)
	}
	return Angle(d2, sum2)
}

// finish turns the d² of a list of data rows into distances from a query row.
func (p *Plan) finish(query uint32, index []uint32, dist []float64) {
	if !p.metric.IsAngle() {
		kernel.Best().Roots(dist)
		return
	}
	for k, d2 := range dist {
		dist[k] = p.distance(int(query), int(index[k]), d2)
	}
}

// finishAll is finish for consecutive lists of length k.
func (p *Plan) finishAll(queries []uint32, k int, index []uint32, dist []float64) {
	if !p.metric.IsAngle() {
		kernel.Best().Roots(dist)
		return
	}
	for i, query := range queries {
		p.finish(query, index[i*k:(i+1)*k], dist[i*k:(i+1)*k])
	}
}

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
	if j >= len(m.side) {
		return 0
	}
	return m.side[j]
}

// Scale returns what column j is divided by, 1 without scales. The columns of a
// position on the sky share theirs.
func (m Metric) Scale(j int) float64 {
	if m.scale == nil {
		return 1
	}
	return m.scale[max(j-max(m.position()-1, 0), 0)]
}

// Periodic reports whether some axis of the plan is periodic.
func (p *Plan) Periodic() bool { return p.query.Side != nil }

// UnitVector returns the direction of (ra, dec) in degrees, as the sky metric
// has it. dec must be in [-90, 90], ra may be in any range.
func UnitVector(ra, dec float64) (x, y, z float64) { return unitVector(ra, dec) }

// SinCosDec returns the sine and the cosine of a declination in degrees: z and
// √(x²+y²) of UnitVector, with the same bits as of RA 0.
func SinCosDec(dec float64) (sin, cos float64) { return sincosDegrees(dec) }
