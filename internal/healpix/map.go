package healpix

import (
	"fmt"
	"math"
	"math/bits"
)

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

// Pixel returns the pixel that a unit vector is in, from 0.
func (m Map) Pixel(x, y, z float64) int64 {
	turn := math.Atan2(y, x) / (math.Pi / 2)
	return Cell(90*turn, z, math.Hypot(x, y)) >> (2 * (MaxOrder - m.order))
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

func (m Map) split(pixel int64) (face, ix, iy int64) {
	inner := pixel & (1<<(2*m.order) - 1)
	return pixel >> (2 * m.order), even(inner), even(inner >> 1)
}
