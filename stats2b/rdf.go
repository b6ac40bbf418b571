package stats2b

import "math"

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
	volume, err := boxVolume(sides)
	if err != nil {
		return nil, err
	}
	r := &Radial{Bins: bins, Counts: c, Volume: volume}
	for i := range bins.Len() {
		lo, hi := bins.Edge(i), bins.Edge(i+1)
		ideal := float64(c.TotalWeight * (ballDifference(len(sides), lo, hi) / r.Volume))
		r.Ideal = append(r.Ideal, ideal)
		r.G = append(r.G, ratio(c.Value(i), ideal))
		r.Error = append(r.Error, ratio(r.G[i], math.Sqrt(float64(c.Pairs[i]))))
	}
	return r, nil
}
