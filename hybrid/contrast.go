package hybrid

import (
	"math"

	"skyjoin/internal/kernel"
	"skyjoin/neighbors"
)

const (
	contrasted = 256 // sampled points whose density is estimated …
	compared   = 512 // … from so many others of a sample …
	nearby     = 3   // … by the distance of the third of them

	// What the logarithm of that volume varies by where points are even: the
	// variance of the logarithm of a Gamma(3) variable, and what the edges of a
	// box add in up to 6 dimensions.
	evenContrast = 0.395 + 0.35
	mostContrast = 6 // beyond which nothing is known
)

// contrast estimates how unevenly the data points of a plan are spread: the
// variance of the logarithm of their density over that of even points, 0 if it is
// no larger. Of points whose distances from the origin decay exponentially in
// each dimension it is about the dimension.
func contrast(p *neighbors.Plan) float64 {
	space := dataSpace(p)
	// Of the same points two different sets, so that none meets itself.
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
	if over := square - evenContrast; over > 0 { // not where squares overflow
		return min(over, mostContrast)
	}
	return 0
}
