// Package healpix numbers the nested cells of HEALPix. There are twelve base
// cells, each divided into four equal parts as often as its order says (Górski et
// al. 2005, ApJ 622, 759). Cells of one order have one area, and the cells of
// finer orders in a cell have consecutive numbers.
//
// Numbers do not depend on the machine: only operations that IEEE 754 rounds
// correctly are used, and none is fused with another.
package healpix

import (
	"math"
)

// MaxOrder is the finest order whose numbers fit an int64, with room for the
// end of the last range: cells of 4e-4 arcsec.
const MaxOrder = 29

// Base is the number of cells of order 0.
const Base = 12

// Cells returns the number of cells of the order.
func Cells(order int) int64 { return Base << (2 * order) }

// Width returns the square root of the area of a cell of the order, in radians.
func Width(order int) float64 { return math.Sqrt(math.Pi/3) / float64(int64(1)<<order) }

// Radius returns an upper bound of the angle in radians between the centre of a
// cell of the order and any of its points: for fine orders a hundredth more than
// the least such bound.
func Radius(order int) float64 { return 1.08 / float64(int64(1)<<order) }

// Range returns the numbers [lo, hi) of the cells of MaxOrder in a cell.
func Range(order int, cell int64) (lo, hi int64) {
	shift := 2 * (MaxOrder - order)
	return cell << shift, (cell + 1) << shift
}

// Cell returns the number of the cell of MaxOrder at a position: the right
// ascension in degrees, in any range, and the sine and the cosine of the
// declination. The cell of a coarser order is Cell >> 2(MaxOrder - order).
func Cell(ra, sin, cos float64) int64 {
	const side = 1 << MaxOrder
	turn := ra
	if ra < 0 || ra >= 360 {
		if turn = math.Mod(ra, 360); turn < 0 {
			turn += 360
		}
	}
	turn /= 90
	if turn >= 4 { // a tiny negative angle
		turn = 0
	}
	high := math.Abs(sin)
	if 3*high <= 2 { // the equatorial belt: diagonals of the plane (turn, 3/4 sin)
		along, up := side*(turn+0.5), float64(float64(side*0.75)*sin)
		down, rise := int64(along-up), int64(along+up) // both are positive
		fd, fr := down>>MaxOrder, rise>>MaxOrder
		var face int64
		switch {
		case fd == fr:
			face = fd&3 + 4
		case fd < fr:
			face = fd & 3
		default:
			face = fr&3 + 8
		}
		return join(face, rise&(side-1), side-1-down&(side-1))
	}
	quarter := min(int64(turn), 3)
	in := turn - float64(quarter)
	// √(3(1-|sin|)), which that formula would lose near the poles.
	ring := side * (math.Sqrt(3) * cos / math.Sqrt(1+high))
	a := min(int64(in*ring), side-1)
	b := min(int64((1-in)*ring), side-1)
	if sin > 0 {
		return join(quarter, side-1-b, side-1-a)
	}
	return join(quarter+8, a, b)
}

// Centre returns the unit vector of the centre of a cell of the order.
func Centre(order int, cell int64) (x, y, z float64) {
	return Map{uint(order)}.Point(cell, 0.5, 0.5)
}

// join makes the number of a cell of a face from its coordinates, whose bits
// take turns in it.
func join(face, i, j int64) int64 { return face<<(2*MaxOrder) | spread(i) | spread(j)<<1 }

// spread puts a 0 bit above each of the lower 32 bits.
func spread(v int64) int64 {
	v = (v | v<<16) & 0x0000ffff0000ffff
	v = (v | v<<8) & 0x00ff00ff00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f0f0f0f0f
	v = (v | v<<2) & 0x3333333333333333
	return (v | v<<1) & 0x5555555555555555
}

// even returns the bits in even places: the inverse of spread.
func even(v int64) int64 {
	v &= 0x5555555555555555
	v = (v | v>>1) & 0x3333333333333333
	v = (v | v>>2) & 0x0f0f0f0f0f0f0f0f
	v = (v | v>>4) & 0x00ff00ff00ff00ff
	v = (v | v>>8) & 0x0000ffff0000ffff
	return (v | v>>16) & 0x00000000ffffffff
}
