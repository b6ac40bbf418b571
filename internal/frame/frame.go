// Package frame converts positions on the sky to ICRS.
package frame

import "math"

// A Matrix rotates unit vectors to ICRS.
type Matrix [3][3]float64

// Names are the frames that positions can be in; icrs needs no conversion.
var Names = []string{"icrs", "fk5", "galactic", "ecliptic"}

// matrices are those of ERFA.
//
// Galactic is the frame of the Hipparcos catalogue (eraG2icrs; The Hipparcos and Tycho
// Catalogues, ESA SP-1200, 1997, section 1.5.3). Ecliptic is the mean ecliptic and
// equinox of J2000.0 (eraEceq06 at 2451545.0; IAU 2006). FK5 is that of J2000.0, of
// objects without proper motion (eraFk5hip; Mignard & Frœschlé 2000).
var matrices = map[string]Matrix{
	"galactic": transposed(Matrix{
		{-0.054875560416215368492398900454, -0.873437090234885048760383168409, -0.483835015548713226831774175116},
		{+0.494109427875583673525222371358, -0.444829629960011178146614061616, +0.746982244497218890527388004556},
		{-0.867666149019004701181616534570, -0.198076373431201528180486091412, +0.455983776175066922272100478348},
	}),
	"ecliptic": transposed(Matrix{
		{0.9999999999999941, -7.078368960971556e-08, 8.056213977613186e-08},
		{3.2897004077419646e-08, 0.9174821299149584, 0.39777699944404793},
		{-1.0207044725484355e-07, -0.39777699944404304, 0.9174821299149556},
	}),
	"fk5": Matrix{
		{0.9999999999999929, 1.1102233509835495e-07, 4.411803963527301e-08},
		{-1.1102233084981164e-07, 0.9999999999999892, -9.647792498531089e-08},
		{-4.4118050326662195e-08, 9.647792009628368e-08, 0.9999999999999943},
	},
}

// Of returns the rotation from a frame to ICRS; ok is false for icrs and "", which
// need none.
func Of(name string) (m Matrix, ok bool) {
	m, ok = matrices[name]
	return m, ok
}

// Rotate converts a position, in degrees, to right ascension in [0, 360) and
// declination, within 1e-9 arcsec of ERFA.
func (m *Matrix) Rotate(lon, lat float64) (ra, dec float64) {
	const degree = math.Pi / 180
	sinLon, cosLon := math.Sincos(lon * degree)
	sinLat, cosLat := math.Sincos(lat * degree)
	v := [3]float64{cosLon * cosLat, sinLon * cosLat, sinLat}
	var w [3]float64
	for i, row := range m {
		w[i] = float64(row[0]*v[0]) + float64(row[1]*v[1]) + float64(row[2]*v[2])
	}
	ra = math.Atan2(w[1], w[0]) / degree
	if ra < 0 {
		ra += 360
	}
	if ra >= 360 {
		ra = 0
	}
	return ra, math.Atan2(w[2], math.Hypot(w[0], w[1])) / degree
}

func transposed(m Matrix) (t Matrix) {
	for i := range m {
		for j := range m {
			t[j][i] = m[i][j]
		}
	}
	return t
}
