package hybrid

import (
	"math"

	"skyjoin/internal/kernel"
	"skyjoin/neighbors"
)

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
