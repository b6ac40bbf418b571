package hybrid

import (
	"math"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

const (
	contrasted = 256 // sampled points whose density is estimated …
	nearby     = 3   // … from the distance of so many others of a sample

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
	space := p.DataSpace()
	// Of the same points two different sets, so that none meets itself.
	a, na := thin(space, 0)
	b, nb := thin(space, 0.5)
	dim := space.Dim()
	some := min(na, contrasted)
	if some < 2*nearby || nb < 2*nearby {
		return 0
	}
	density := make([]float64, some)
	// Not on all cores: a GPU is being fed.
	par.Chunks(max(par.Threads(0)/2, 1), some, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			at := a[i*na/some*dim:][:dim]
			var near [nearby]float64
			for k := range near {
				near[k] = math.Inf(1)
			}
			for k := range nb {
				sum := 0.0
				for j := range dim {
					d := at[j] - b[k*dim+j]
					sum += float64(d * d)
				}
				for m := range near {
					if sum < near[m] {
						sum, near[m] = near[m], sum
					}
				}
			}
			density[i] = -float64(dim) / 2 * math.Log(max(near[nearby-1], math.SmallestNonzeroFloat64))
		}
	})
	mean, square := 0.0, 0.0
	for _, d := range density {
		mean += d / float64(some)
	}
	for _, d := range density {
		square += (d - mean) * (d - mean) / float64(some-1)
	}
	if over := square - evenContrast; over > 0 { // not where squares overflow
		return min(over, mostContrast)
	}
	return 0
}
