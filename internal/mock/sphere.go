package mock

import "math"

// vector is a direction.
type vector [3]float64

// direction returns the unit vector of (ra, dec) in degrees.
func direction(ra, dec float64) vector {
	sr, cr := sincos(ra)
	sd, cd := sincos(dec)
	return vector{float64(cd * cr), float64(cd * sr), sd}
}

// position returns RA in [0, 360) and Dec in degrees.
func (v vector) position() (ra, dec float64) {
	ra = atan2(v[1], v[0])
	if ra < 0 {
		ra += 360
	}
	if ra >= 360 { // a tiny negative angle
		ra = 0
	}
	return ra, atan2(v[2], math.Sqrt(float64(v[0]*v[0])+float64(v[1]*v[1])))
}

// away returns the direction at an angular distance from v, given by the sine
// of its half, and at a position angle in degrees from north through east.
func (v vector) away(sinHalf, angle float64) vector {
	along := 1 - float64(2*float64(sinHalf*sinHalf)) // cosine of the distance
	across := float64(2 * float64(sinHalf*math.Sqrt(1-float64(sinHalf*sinHalf))))
	sin, cos := sincos(angle)
	east := vector{-v[1], v[0], 0}
	length := math.Sqrt(float64(v[0]*v[0]) + float64(v[1]*v[1]))
	if length == 0 { // at a pole any east will do
		east, length = vector{0, 1, 0}, 1
	}
	for i := range east {
		east[i] /= length
	}
	north := vector{
		float64(v[1]*east[2]) - float64(v[2]*east[1]),
		float64(v[2]*east[0]) - float64(v[0]*east[2]),
		float64(v[0]*east[1]) - float64(v[1]*east[0]),
	}
	var out vector
	for i := range out {
		side := float64(north[i]*cos) + float64(east[i]*sin)
		out[i] = float64(along*v[i]) + float64(across*side)
	}
	return out
}

// within returns a direction spread evenly over the cap of a radius given by
// the sine of its half.
func (v vector) within(r *stream, sinHalf float64) vector {
	return v.away(float64(sinHalf*math.Sqrt(r.float())), float64(360*r.float()))
}

// sinHalf returns the sine of half an angle in degrees.
func sinHalf(angle float64) float64 {
	s, _ := sincos(angle / 2)
	return s
}

// positions are the columns RA and Dec.
func positions() []Field {
	return []Field{
		{Name: "ra", Unit: "deg", UCD: "pos.eq.ra;meta.main", Description: "right ascension (ICRS)"},
		{Name: "dec", Unit: "deg", UCD: "pos.eq.dec;meta.main", Description: "declination (ICRS)"},
	}
}

// setPosition writes row i of the columns RA and Dec.
func setPosition(block []Column, i int, v vector) {
	ra, dec := v.position()
	block[0].set(i, ra)
	block[1].set(i, dec)
}

// newSphere is spread evenly over the whole sky.
func newSphere(opt Options) (source, error) {
	return source{fields: positions(), fill: perRow(opt.Seed, func(r *stream, _ uint64, block []Column, i int) {
		z := float64(2*r.float()) - 1
		block[0].set(i, float64(360*r.float()))
		block[1].set(i, atan2(z, math.Sqrt(1-float64(z*z))))
	})}, nil
}
