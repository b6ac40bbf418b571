package mock

import (
	"math"
)

// kmsPerMasYr is the velocity in km/s of 1 mas/yr at 1 kpc.
const kmsPerMasYr = 4.740470463533349

// solarReflex is the mean velocity of the disk as seen from the Sun, towards
// east and north, in km/s.
var solarReflex = [2]float64{-8, -15}

// A star is what is to be observed.
type star struct {
	position vector
	distance float64 // kpc
	pm       [2]float64
	g        float64 // magnitude
}

// extinction in G, in magnitudes: 0.6 per kpc.
func extinction(distance float64) float64 { return float64(0.6 * distance) }

// magnitude returns a magnitude between bright and faint whose number counts
// grow as 10^(slope·G).
func magnitude(r *stream, bright, faint, slope float64) float64 {
	span := exp10(float64(slope*(faint-bright))) - 1
	return bright + log10(1+float64(span*r.float()))/slope
}

// motion returns the proper motion in mas/yr of a velocity drawn around a mean
// with a dispersion, in km/s, at a distance in kpc.
func motion(r *stream, mean [2]float64, dispersion, distance float64) (pm [2]float64) {
	for i := range pm {
		pm[i] = (mean[i] + float64(dispersion*r.normal())) / (kmsPerMasYr * distance)
	}
	return pm
}

// An openCluster has a King (1962) profile and one velocity with a dispersion
// of 0.8 km/s.
type openCluster struct {
	centre      vector
	distance    float64 // kpc
	core, tidal float64 // radii in degrees
	velocity    [2]float64
	pm          [2]float64
}

// newOpenCluster puts a cluster at 0.5 to 2.2 kpc, wholly within the cone if
// it is large enough, with a core radius of 1 to 2 pc and a tidal radius of
// five times that.
func newOpenCluster(r *stream, centre vector, radius float64) openCluster {
	c := openCluster{distance: exp(r.between(log(0.5), log(2.2)))}
	c.core = r.between(0.001, 0.002) / c.distance / degree
	c.tidal = 5 * c.core
	c.centre = centre.within(r, sinHalf(max(radius-c.tidal, radius/2)))
	for i := range c.velocity {
		c.velocity[i] = solarReflex[i] + float64(15*r.normal())
		c.pm[i] = c.velocity[i] / (kmsPerMasYr * c.distance)
	}
	return c
}

// member returns a star of the cluster. Members are somewhat brighter than the
// field and not brighter than absolute magnitude -1.
func (c *openCluster) member(r *stream, faint float64) star {
	bright := max(9+float64(5*log10(c.distance))+extinction(c.distance), 6)
	st := star{distance: c.distance}
	st.g = magnitude(r, min(bright, faint-1), faint, 0.15)
	st.position = c.centre.away(sinHalf(c.radius(r)), float64(360*r.float()))
	st.pm = motion(r, c.velocity, 0.8, c.distance)
	return st
}

// radius draws a distance from the centre in degrees from King's profile, by
// rejection.
func (c *openCluster) radius(r *stream) float64 {
	edge := c.tidal / c.core
	atEdge := 1 / math.Sqrt(1+float64(edge*edge))
	density := func(x2 float64) float64 {
		d := 1/math.Sqrt(1+x2) - atEdge
		return float64(d * d)
	}
	peak := density(0)
	for {
		x2 := float64(float64(edge*edge) * r.float())
		if float64(r.float()*peak) <= density(x2) {
			return c.core * math.Sqrt(x2)
		}
	}
}
