package hybrid

import (
	"math"

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

const (
	contrasted = 256 // sampled points whose density is estimated …
	compared   = 512 // … from so many other points of a sample …
	nearby     = 3   // … by the distance of the third nearest of them

	// The variance of the logarithm of that volume for evenly spread points: that of
	// the logarithm of a Gamma(3) variable, plus the effect of the edges of a box in
	// up to 6 dimensions.
	evenContrast = 0.395 + 0.35
	mostContrast = 6 // it has not been measured beyond
)

// contrast estimates how unevenly the data points of a plan are spread: by how much
// the variance of the logarithm of their density exceeds that of evenly spread
// points, 0 if it does not. For points whose distances from the origin decay
// exponentially in each dimension, it is about the number of dimensions.
func contrast(p *neighbors.Plan) float64 {
	space := dataSpace(p)
	// Two different sets of the same points, so that no point meets itself.
	a, b := thin(space, contrasted, 0), thin(space, compared, 0.5)
	if a.N < 2*nearby || b.N < 2*nearby {
		return 0
	}
	b.ID = make([]uint32, b.N+kernel.Slack)
	for i := range b.N {
		b.ID[i] = uint32(i)
	}
	room := kernel.ListLen(nearby)
	dist, id := make([]float64, room), make([]uint32, room)
	runs := []kernel.Run{{Lo: 0, Hi: uint32(b.N)}}
	nearest := kernel.Best().Nearest
	density := make([]float64, a.N)
	for i := range density {
		kernel.ClearList(dist, id)
		nearest(&a, i, &b, runs, kernel.None, nearby, dist, id)
		density[i] = -float64(space.Dim()) / 2 * math.Log(max(dist[nearby-1], math.SmallestNonzeroFloat64))
	}
	mean, square := 0.0, 0.0
	for _, d := range density {
		mean += d / float64(len(density))
	}
	for _, d := range density {
		square += (d - mean) * (d - mean) / float64(len(density)-1)
	}
	if over := square - evenContrast; over > 0 { // false where squares overflow
		return min(over, mostContrast)
	}
	return 0
}
