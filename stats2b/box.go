package stats2b

import (
	"fmt"
	"math"

	"skyjoin/neighbors"
)

// boxVolume is the volume of a box that is periodic in all axes.
func boxVolume(sides []float64) (float64, error) {
	if len(sides) < 1 || len(sides) > 3 {
		return 0, fmt.Errorf("%w: a box of %d dimensions, it can have 1 to 3", neighbors.ErrRequest, len(sides))
	}
	volume := 1.0
	for i, l := range sides {
		if !(l > 0) {
			return 0, fmt.Errorf("%w: side %d of the box is %v, it must be periodic in all axes", neighbors.ErrRequest, i, l)
		}
		volume *= l
	}
	return volume, nil
}

// ideal returns the share of all pairs that uncorrelated points have in each cell:
// the volume of the shell, of the part of it between two μ, or of the two rings at a
// π, divided by that of the box.
func (b *Binning) ideal(sides []float64) ([]float64, error) {
	volume, err := boxVolume(sides)
	if err != nil {
		return nil, err
	}
	var share []float64
	for i := range b.Bins.Len() {
		lo, hi := b.Bins.Edge(i), b.Bins.Edge(i+1)
		if b.Plane == NoPlane {
			share = append(share, ballDifference(len(sides), lo, hi)/volume)
			continue
		}
		each := ballDifference(3, lo, hi) // of each unit of μ
		if b.Plane == RpPi {
			each = 2 * ballDifference(2, lo, hi) // of π, in front and behind
		}
		for j := range b.Across.Len() {
			share = append(share, float64(each*(b.Across.Edge(j+1)-b.Across.Edge(j)))/volume)
		}
	}
	return share, nil
}

// CorrelateBox estimates the correlation function of points in a box that is
// periodic in all axes, without randoms: by the natural estimator DD/RR - 1, in
// which RR is the number of pairs of uncorrelated points, which follows exactly from
// the volumes of the cells.
func CorrelateBox(dd *Tally, sides []float64, what Statistic) (*Correlation, error) {
	b := &dd.binning
	if err := what.check(b); err != nil {
		return nil, err
	}
	c := &Correlation{Bins: b.Bins, DD: dd.Counts()}
	var err error
	if c.Ideal, err = b.ideal(sides); err != nil {
		return nil, err
	}
	if what == Plain && b.Plane != NoPlane {
		c.Across = b.Across
	}
	cells := make([]float64, len(c.Ideal))
	for i, share := range c.Ideal {
		cells[i] = ratio(c.DD.Normalised(i), share) - 1
	}
	c.Xi, c.Error = what.project(b, cells), what.poisson(b, cells, c.DD)
	return c, nil
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

// A Radial is a radial distribution function.
type Radial struct {
	Bins   Bins
	Counts *Counts
	G      []float64 // g(r): pairs over those of an ideal gas
	Ideal  []float64 // pairs of an ideal gas in each bin
	Error  []float64 // standard deviation of g by Poisson statistics, g/√pairs, of Counts.EffectivePairs
	Volume float64   // of the box
}

// RadialOf returns g(r) of pairs counted in a periodic box with the given sides:
// each count divided by the one that uncorrelated points would have in the shell,
// N(N-1)/2 or N_A·N_B times the volume of the shell over that of the box. The shells
// are rings in two dimensions and intervals in one.
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
		r.Error = append(r.Error, ratio(r.G[i], math.Sqrt(c.EffectivePairs(i))))
	}
	return r, nil
}
