package neighbors

import "math"

// distance is the reported distance of query row i and data row j, whose
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
