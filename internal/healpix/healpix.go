// Package healpix divides the sphere into pixels of equal area: HEALPix
// (Górski et al. 2005, ApJ 622, 759) in the NESTED order.
package healpix

import (
	"fmt"
	"math"
	"math/bits"
)

// MaxOrder is the order of the smallest pixels.
const MaxOrder = 29

// A Map is the pixels of one resolution.
type Map struct{ order uint }

// New returns the map with nside² pixels in each of the 12 base pixels; nside
// must be a power of two up to 2²⁹.
func New(nside int) (Map, error) {
	if nside < 1 || nside > 1<<MaxOrder || nside&(nside-1) != 0 {
		return Map{}, fmt.Errorf("nside %d, it must be a power of two from 1 to 2^%d", nside, MaxOrder)
	}
	return Map{uint(bits.TrailingZeros(uint(nside)))}, nil
}

// Pixels returns the number of pixels, 12 nside².
func (m Map) Pixels() int64 { return 12 << (2 * m.order) }

// Area returns the area of a pixel in steradians.
func (m Map) Area() float64 { return 4 * math.Pi / float64(m.Pixels()) }

// Pixel returns the pixel that a unit vector is in, from 0.
func (m Map) Pixel(x, y, z float64) int64 {
	nside := float64(int64(1) << m.order)
	last := int64(1)<<m.order - 1
	turn := math.Atan2(y, x) / (math.Pi / 2)
	if turn < 0 {
		turn += 4
	}
	if turn >= 4 { // a tiny negative angle
		turn = 0
	}
	if a := math.Abs(z); a > 2.0/3 { // polar caps
		quarter := min(math.Floor(turn), 3)
		t := turn - quarter
		// √(3(1-|z|)), which would lose its bits near the poles.
		s := math.Hypot(x, y) * math.Sqrt(3/(1+a))
		up := min(int64(t*s*nside), last)
		down := min(int64((1-t)*s*nside), last)
		if z >= 0 {
			return m.join(int64(quarter), last-down, last-up)
		}
		return m.join(int64(quarter)+8, up, down)
	}
	a, b := nside*(0.5+turn), nside*(0.75*z)
	up, down := int64(a-b), int64(a+b) // ascending and descending edges
	faceUp, faceDown := up>>m.order, down>>m.order
	face := faceDown + 8
	switch {
	case faceUp == faceDown:
		face = faceUp&3 + 4
	case faceUp < faceDown:
		face = faceUp
	}
	return m.join(face, down&last, last-up&last)
}

// Point returns the unit vector at (u, v) in [0, 1]² of a pixel. Evenly spread
// (u, v) are evenly spread over the pixel: the projection keeps areas.
func (m Map) Point(pixel int64, u, v float64) (x, y, z float64) {
	z, across, turn := m.Place(pixel, u, v)
	sin, cos := math.Sincos(turn * (math.Pi / 2))
	return across * cos, across * sin, z
}

// Place is Point as z, the distance from the axis of z, and the longitude in
// quarters of a turn. It is made by operations that IEEE 754 rounds correctly.
func (m Map) Place(pixel int64, u, v float64) (z, across, turn float64) {
	face, ix, iy := m.split(pixel)
	nside := float64(int64(1) << m.order)
	u, v = (float64(ix)+u)/nside, (float64(iy)+v)/nside
	row := [...]float64{2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4}[face] - u - v
	column := [...]float64{1, 3, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7}[face]
	width := min(row, 4-row, 1) // of the row
	if width < 1 {
		s := float64(width*width) / 3 // 1 - |z|
		z = math.Copysign(1-s, 2-row)
		across = math.Sqrt(s * (2 - s))
	} else {
		z = (2 - row) * 2 / 3
		across = math.Sqrt((1 - z) * (1 + z))
	}
	if width > 0 {
		column += (u - v) / width
	}
	return z, across, column / 2
}

// join interleaves the bits of the place in a base pixel.
func (m Map) join(face, ix, iy int64) int64 {
	return face<<(2*m.order) | spread(ix) | spread(iy)<<1
}

func (m Map) split(pixel int64) (face, ix, iy int64) {
	inner := pixel & (1<<(2*m.order) - 1)
	return pixel >> (2 * m.order), gather(inner), gather(inner >> 1)
}

// spread puts the bits of x at even places.
func spread(x int64) (s int64) {
	for i := range MaxOrder {
		s |= x >> i & 1 << (2 * i)
	}
	return s
}

// gather is the inverse of spread.
func gather(s int64) (x int64) {
	for i := range MaxOrder {
		x |= s >> (2 * i) & 1 << i
	}
	return x
}
