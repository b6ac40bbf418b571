package match

import (
	"fmt"
	"math"

	"skyjoin/neighbors"
)

// masPerRadian is how many milliarcseconds a radian is.
const masPerRadian = 180 / math.Pi * 3600e3

// Propagate moves directions along great circles by their proper motions:
// with u the direction at the epoch of the catalog, p and q the unit vectors
// towards east and north there, the direction after t years is that of
// u + (pmra·p + pmdec·q)·t, the standard model of stellar motion without
// parallax and radial velocity (The Hipparcos and Tycho Catalogues, ESA
// SP-1200, vol. 1, section 1.5.5).
//
// ra and dec are degrees; pmra, which includes cos(dec), and pmdec are mas per
// year; years has one time per row. Rows that do not move, because the motion
// is 0 or is not known (NaN), or the time is 0, keep their very coordinates.
// moved counts the others. The error wraps neighbors.ErrRequest for slices of
// unequal length.
func Propagate(ra, dec, pmra, pmdec, years []float64) (newRA, newDec []float64, moved int64, err error) {
	for _, v := range [][]float64{dec, pmra, pmdec, years} {
		if len(v) != len(ra) {
			return nil, nil, 0, fmt.Errorf("%w: columns of %d and %d rows", neighbors.ErrRequest, len(ra), len(v))
		}
	}
	newRA, newDec = make([]float64, len(ra)), make([]float64, len(ra))
	for i := range ra {
		newRA[i], newDec[i] = ra[i], dec[i]
		east, north := pmra[i]*years[i]/masPerRadian, pmdec[i]*years[i]/masPerRadian
		if d := math.Abs(east) + math.Abs(north); d == 0 || d-d != 0 {
			continue
		}
		newRA[i], newDec[i] = shifted(ra[i], dec[i], east, north)
		moved++
	}
	return newRA, newDec, moved, nil
}

// shifted returns the direction of u + east·p + north·q, in degrees, RA in
// [0, 360).
func shifted(ra, dec, east, north float64) (float64, float64) {
	x, y, z := neighbors.UnitVector(ra, dec)
	cr, sr, _ := neighbors.UnitVector(ra, 0)
	cd, _, sd := neighbors.UnitVector(0, dec)
	x += float64(-sr*east) - float64(float64(sd*cr)*north)
	y += float64(cr*east) - float64(float64(sd*sr)*north)
	z += float64(cd * north)
	newRA := math.Atan2(y, x) * (180 / math.Pi)
	if newRA < 0 {
		newRA += 360
	}
	if newRA >= 360 {
		newRA = 0
	}
	newDec := math.Atan2(z, math.Sqrt(float64(x*x)+float64(y*y))) * (180 / math.Pi)
	return newRA, min(max(newDec, -90), 90)
}
