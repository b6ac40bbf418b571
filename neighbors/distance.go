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

// distances sets dist[k] to the distance of point i of q and point at[k] of d,
// for every k.
func (p *Plan) distances(q *kernel.Points, i int, d *kernel.Points, at []uint32, dist []float64) {
	clear(dist)
	for c := range q.Dim {
		x := q.Data[c*q.Stride+i]
		y := d.Data[c*d.Stride : c*d.Stride+d.N]
		if p.query.Side != nil && p.query.Side[c] > 0 {
			l := p.query.Side[c]
			for k, j := range at {
				v := math.Abs(x - y[j])
				v = min(v, l-v)
				dist[k] += float64(v * v)
			}
			continue
		}
		for k, j := range at {
			v := x - y[j]
			dist[k] += float64(v * v)
		}
	}
	if !p.metric.IsAngle() {
		for k, d2 := range dist {
			dist[k] = math.Sqrt(d2)
		}
		return
	}
	for k, d2 := range dist {
		var sum2 float64
		if d2 > 2 {
			for c := range q.Dim {
				s := q.Data[c*q.Stride+i] + d.Data[c*d.Stride+int(at[k])]
				sum2 += float64(s * s)
			}
		}
		dist[k] = Angle(d2, sum2)
	}
}
