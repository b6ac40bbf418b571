package stats2b

import (
	"fmt"
	"math"

	"skyjoin/neighbors"
)

// A Radial is a radial distribution function.
type Radial struct {
	Bins   Bins
	Counts *Counts
	G      []float64 // g(r): pairs over those of an ideal gas
	Ideal  []float64 // pairs of an ideal gas in each bin
	Error  []float64 // standard deviation of g by Poisson statistics, g/√pairs
	Volume float64   // of the box
}

// RadialOf returns g(r) of pairs counted in a periodic box of the given sides:
// each count over what points without any correlation would have in the shell,
// N(N-1)/2 or N_A·N_B times the volume of the shell over that of the box. Two
// dimensions have rings, one has intervals.
func RadialOf(bins Bins, c *Counts, sides []float64) (*Radial, error) {
	if len(sides) < 1 || len(sides) > 3 {
		return nil, fmt.Errorf("%w: a box of %d dimensions, it can have 1 to 3", neighbors.ErrRequest, len(sides))
	}
	r := &Radial{Bins: bins, Counts: c, Volume: 1}
	for i, l := range sides {
		if !(l > 0) {
			return nil, fmt.Errorf("%w: side %d of the box is %v; g(r) needs a box that is periodic in all axes", neighbors.ErrRequest, i, l)
		}
		r.Volume *= l
	}
	for i := range bins.Len() {
		lo, hi := bins.Edge(i), bins.Edge(i+1)
		ideal := float64(c.TotalWeight * (ballDifference(len(sides), lo, hi) / r.Volume))
		r.Ideal = append(r.Ideal, ideal)
		r.G = append(r.G, ratio(c.Value(i), ideal))
		r.Error = append(r.Error, ratio(r.G[i], math.Sqrt(float64(c.Pairs[i]))))
	}
	return r, nil
}

// ballDifference is the volume between the balls of radius lo and hi.
func ballDifference(dim int, lo, hi float64) float64 {
	switch dim {
	case 1:
		return 2 * (hi - lo)
	case 2:
		return math.Pi * float64((hi-lo)*(hi+lo))
	}
	return 4 * math.Pi / 3 * float64((hi-lo)*(float64(hi*hi)+float64(hi*lo)+float64(lo*lo)))
}
