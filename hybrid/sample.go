package hybrid

import (
	"skyjoin/internal/each"
	"skyjoin/internal/kernel"
	"skyjoin/internal/space"
	"skyjoin/neighbors"
)

// The numbers of query rows and data rows that are compared to estimate the size of
// a result. A GPU that does everything starts only after that: it takes one thread
// .1 to .4 ms.
const (
	sampledQueries = 512
	sampledPoints  = 1024
)

// pairs estimates how many pairs of a query row and a data row are within the
// radius of a plan.
func pairs(p *neighbors.Plan) float64 {
	query, data := querySpace(p), dataSpace(p)
	// Two different sets of rows of a self-join, so that no row meets itself.
	a, b := thin(query, sampledQueries, 0), thin(data, sampledPoints, 0.5)
	if a.N == 0 || b.N == 0 {
		return 0
	}
	found := 0
	if query.Side != nil {
		found = wrapped(&a, &b, query.Side, p.SquaredRadius())
	} else {
		count := make([]uint32, a.N+kernel.Slack)
		kernel.Best().Count(&a, 0, a.N, &b, []kernel.Run{{Lo: 0, Hi: uint32(b.N)}}, p.SquaredRadius(), count)
		for _, n := range count[:a.N] {
			found += int(n)
		}
	}
	return float64(found) / float64(a.N) / float64(b.N) * float64(query.Len()) * float64(data.Len())
}

// wrapped counts pairs within the radius in a periodic box.
func wrapped(a, b *kernel.Points, side []float64, t float64) (found int) {
	for i := range a.N {
		for k := range b.N {
			sum := 0.0
			for j := range a.Dim {
				d := a.Data[j*a.Stride+i] - b.Data[j*b.Stride+k]
				if side[j] > 0 {
					d = max(d, -d)
					d = min(d, side[j]-d)
				}
				sum += float64(d * d)
			}
			if sum <= t {
				found++
			}
		}
	}
	return found
}

// thin returns the coordinates of at most the given number of rows, at even steps.
func thin(s *space.Space, most int, offset float64) kernel.Points {
	n := min(s.Len(), most)
	p := kernel.Points{Stride: n + kernel.Slack, N: n, Dim: s.Dim()}
	p.Data = make([]float64, p.Dim*p.Stride)
	step := float64(s.Len()) / float64(max(n, 1))
	rows := each.To(n, func(i int) int { return min(int((float64(i)+offset)*step), s.Len()-1) })
	for j, c := range s.Columns {
		column := p.Data[j*p.Stride:][:n]
		if c.Float32 == nil { // far apart in memory: with less work between loads, more of them overlap
			for i, r := range rows {
				column[i] = c.Float64[r]
			}
			continue
		}
		for i, r := range rows {
			column[i] = float64(c.Float32[r])
		}
	}
	return p
}
