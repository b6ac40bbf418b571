package exact

import (
	"math"
)

// NewProductScale returns the scale for products of two terms of magnitude at
// most a and b, which must be finite. It returns false if a product can
// overflow.
func NewProductScale(a, b float64) (Scale, bool) {
	a, b = math.Abs(a), math.Abs(b)
	p := a * b
	if math.IsInf(p, 0) {
		return Scale{}, false
	}
	if math.FMA(a, b, -p) < 0 { // p may have been rounded up to a power of two
		p = math.Nextafter(p, 0)
	}
	return NewScale(p), true
}

// FixedProduct is Fixed of the product of x and y, which is rounded once: not
// to float64 before.
func (s Scale) FixedProduct(x, y float64) int64 {
	p := x * y
	scaled := p * s.a * s.b
	k := math.RoundToEven(scaled)
	// What the product lost matters only where it decides a tie, which for
	// products near the largest is as often as not: no branch on that.
	rest, lost := scaled-k, math.FMA(x, y, -p)*s.a*s.b
	sum := rest + lost
	if sum == rest && lost != 0 { // too little to change a float64
		sum = next(rest, lost)
	}
	return int64(k + math.RoundToEven(sum))
}

// next is the float64 after x in the direction of d.
//
//go:noinline
func next(x, d float64) float64 { return math.Nextafter(x, math.Copysign(math.Inf(1), d)) }

// Words returns the sum as a two's complement integer of two words.
func (s Sum) Words() (hi int64, lo uint64) { return s.hi, s.lo }

// FromWords is the inverse of Words.
func FromWords(hi int64, lo uint64) Sum { return Sum{hi, lo} }

// Exponent returns the power of two that is the unit.
func (s Scale) Exponent() int { return s.exp }
