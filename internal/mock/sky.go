package mock

import (
	"cmp"
	"fmt"
	"math"
)

// The columns of sky.
const (
	skySourceID = iota
	skyRA
	skyDec
	skyParallax
	skyParallaxError
	skyPMRA
	skyPMRAError
	skyPMDec
	skyPMDecError
	skyG
	skyColour
	skyTruth
)

// sky is a cone of the Gaia sky near the Galactic plane: field stars of the
// disk and open clusters, with the errors and gaps of Gaia data.
type sky struct {
	faint      float64
	centre     vector
	sinHalf    float64 // of the radius of the cone
	open       []openCluster
	cumulative []float64
	idOffset   uint64
}

func newSky(opt Options) (source, error) {
	opt.Radius, opt.Faint = cmp.Or(opt.Radius, 1.5), cmp.Or(opt.Faint, 18)
	ra, dec := 290.0, 12.0
	if opt.Centre != nil {
		ra, dec = opt.Centre[0], opt.Centre[1]
	}
	switch {
	case !(math.Abs(ra) <= 360) || !(math.Abs(dec) <= 90):
		return source{}, fmt.Errorf("%w: centre (%v, %v), it must be RA in [-360, 360] and Dec in [-90, 90] degrees", ErrRequest, ra, dec)
	case !(opt.Radius >= 0.1 && opt.Radius <= 30):
		return source{}, fmt.Errorf("%w: radius %v degrees, it must be in [0.1, 30]", ErrRequest, opt.Radius)
	case !(opt.Faint >= 10 && opt.Faint <= 21):
		return source{}, fmt.Errorf("%w: faint end G = %v, it must be in [10, 21]", ErrRequest, opt.Faint)
	}
	s := &sky{
		faint:    opt.Faint,
		centre:   direction(ra, dec),
		sinHalf:  sinHalf(opt.Radius),
		idOffset: split(opt.Seed ^ ofClusters),
	}
	known := make([]Cluster, cmp.Or(opt.Clusters, 6))
	weights := make([]float64, len(known))
	for k := range weights {
		r := newStream(opt.Seed, ofClusters, uint64(k))
		weights[k] = r.between(0.5, 1.5)
		c := newOpenCluster(r, s.centre, opt.Radius)
		ra, dec := c.centre.position()
		known[k] = Cluster{Label: int32(k), Centre: []float64{ra, dec}, Radius: c.tidal, Parallax: 1 / c.distance, PM: c.pm}
		s.open = append(s.open, c)
	}
	// 0.8 % of the rows per cluster, up to half of them.
	s.cumulative = fractions(known, weights, min(0.008*float64(len(known)), 0.5))
	return source{skyFields(), known, perRow(opt.Seed, s.set)}, nil
}

func skyFields() []Field {
	f := append([]Field{{Name: "source_id", Type: Int64, UCD: "meta.id;meta.main", Description: "unique source identifier"}}, positions()...)
	f = append(f,
		Field{Name: "parallax", Unit: "mas", UCD: "pos.parallax.trig", Description: "parallax", Nullable: true},
		Field{Name: "parallax_error", Type: Float32, Unit: "mas", UCD: "stat.error;pos.parallax.trig", Description: "standard error of parallax", Nullable: true},
		Field{Name: "pmra", Unit: "mas/yr", UCD: "pos.pm;pos.eq.ra", Description: "proper motion in right ascension, times cos(dec)", Nullable: true},
		Field{Name: "pmra_error", Type: Float32, Unit: "mas/yr", UCD: "stat.error;pos.pm;pos.eq.ra", Description: "standard error of pmra", Nullable: true},
		Field{Name: "pmdec", Unit: "mas/yr", UCD: "pos.pm;pos.eq.dec", Description: "proper motion in declination", Nullable: true},
		Field{Name: "pmdec_error", Type: Float32, Unit: "mas/yr", UCD: "stat.error;pos.pm;pos.eq.dec", Description: "standard error of pmdec", Nullable: true},
		Field{Name: "phot_g_mean_mag", Type: Float32, Unit: "mag", UCD: "phot.mag;em.opt", Description: "G magnitude", Nullable: true},
		Field{Name: "bp_rp", Type: Float32, Unit: "mag", UCD: "phot.color;em.opt.B;em.opt.R", Description: "BP - RP colour", Nullable: true},
		truth("true_cluster"),
	)
	return f
}

func (s *sky) set(r *stream, n uint64, block []Column, i int) {
	k := pick(r, s.cumulative)
	var st star
	if k < 0 {
		st = s.fieldStar(r)
	} else {
		st = s.open[k].member(r, s.faint)
	}
	block[skySourceID].Int64[i] = s.sourceID(n)
	block[skyTruth].Int64[i] = int64(k)
	observe(r, &st, i, block)
}

// fieldStar returns a star of the disk. Distances follow r² exp(-r/L), where L
// grows with the magnitude from 0.25 kpc at G = 10 to 1.6 kpc at G = 20;
// velocities have a dispersion of 30 km/s.
func (s *sky) fieldStar(r *stream) star {
	st := star{position: s.centre.within(r, s.sinHalf)}
	st.g = magnitude(r, 6, s.faint, 0.28)
	length := float64(0.25 * exp10(float64(0.08*(st.g-10))))
	st.distance = max(length*(r.exponential()+r.exponential()+r.exponential()), 0.005)
	st.pm = motion(r, solarReflex, 30, st.distance)
	return st
}

// sourceID returns a different 19-digit number for every row: the multiple of
// an odd number modulo 2⁶¹ is a permutation.
func (s *sky) sourceID(row uint64) int64 {
	const bits = 1<<61 - 1
	return int64(1<<62 | (row*golden+s.idOffset)&bits)
}

// observe writes the row that Gaia would have of the star.
func observe(r *stream, st *star, i int, block []Column) {
	setPosition(block[skyRA:], i, st.position)
	sigma := standardError(st.g)
	astrometry := [...]struct {
		value         float64
		column, error int
	}{
		{1 / st.distance, skyParallax, skyParallaxError},
		{st.pm[0], skyPMRA, skyPMRAError},
		{st.pm[1], skyPMDec, skyPMDecError},
	}
	// Sources without a parallax: 1 %, and one in six at the faint end.
	missing := r.float() < table{{18, 0.01}, {20, 0.05}, {21, 0.17}}.at(st.g)
	for _, a := range astrometry {
		v := a.value + float64(sigma*r.normal())
		if missing {
			block[a.column].setNull(i)
			block[a.error].setNull(i)
			continue
		}
		block[a.column].set(i, v)
		block[a.error].set(i, sigma)
	}

	absolute := st.g - 10 - float64(5*log10(st.distance)) - extinction(st.distance)
	colour := mainSequence.at(absolute) + extinction(st.distance)/2 + float64(0.03*r.normal())
	block[skyG].set(i, st.g)
	block[skyColour].set(i, colour)
	if r.float() < 0.001 {
		block[skyG].setNull(i)
	}
	if r.float() < 0.008 {
		block[skyColour].setNull(i)
	}
}

// standardError returns the error in mas of a parallax, and in mas/yr of a
// proper motion, as Gaia EDR3 has it in the median (Gaia Collaboration, Brown
// et al., A&A 649, A1, 2021): 0.025 up to G = 15, 0.07 at 17, 0.5 at
// 20 and 1.3 at 21.
func standardError(g float64) float64 { return exp10(logError.at(g)) }

var logError = table{{15, -1.602}, {17, -1.155}, {20, -0.301}, {21, 0.114}}

// mainSequence is BP - RP of a dwarf of absolute magnitude G, roughly.
var mainSequence = table{{-2, -0.25}, {0, -0.05}, {1.5, 0.15}, {3, 0.5}, {4.5, 0.8}, {6, 1.1}, {7.5, 1.6}, {9, 2.1}, {11, 2.7}, {14, 3.6}}
