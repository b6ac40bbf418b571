package neighbors

import (
	"math"

	"skyjoin/internal/kernel"
)

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

// finish turns d² of a list of data rows into distances of a query row.
func (p *Plan) finish(query uint32, index []uint32, dist []float64) {
	if !p.metric.IsAngle() {
		kernel.Best().Roots(dist)
		return
	}
	for k, d2 := range dist {
		dist[k] = p.distance(int(query), int(index[k]), d2)
	}
}

// finishAll is finish for lists of k, which follow each other.
func (p *Plan) finishAll(queries []uint32, k int, index []uint32, dist []float64) {
	if !p.metric.IsAngle() {
		kernel.Best().Roots(dist)
		return
	}
	for i, query := range queries {
		p.finish(query, index[i*k:(i+1)*k], dist[i*k:(i+1)*k])
	}
}
