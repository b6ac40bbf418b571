package exact

import (
	"math"
	"math/bits"
)

// fraction is the number of bits below the power of two above the largest term.
const fraction = 52

// A Scale is the unit, a power of two, whose multiples terms are rounded to.
type Scale struct {
	exp  int     // the unit is 2^exp
	a, b float64 // a·b = 2^-exp; two factors because one may overflow
}

// NewScale returns the scale for terms of magnitude at most largest, which
// must be finite: the unit is 2⁻⁵² of the smallest power of two above it.
func NewScale(largest float64) Scale {
	_, e := math.Frexp(largest)
	exp := e - fraction
	a := min(-exp, 1023)
	return Scale{exp: exp, a: math.Ldexp(1, a), b: math.Ldexp(1, -exp-a)}
}

// Fixed returns x in units, rounded to the nearest integer, ties to even. |x|
// must not be above the largest term of the scale; the result is then at most
// 2⁵² in magnitude, so that 1024 of them can be added as int64.
func (s Scale) Fixed(x float64) int64 { return int64(math.RoundToEven(x * s.a * s.b)) }

// Float returns the sum as the nearest float64, ties to even.
func (s Scale) Float(sum Sum) float64 {
	negative := sum.hi < 0
	if negative {
		sum = sum.negated()
	}
	hi, lo, exp := uint64(sum.hi), sum.lo, s.exp
	if drop := 128 - leadingZeros(hi, lo) - 53; drop > 0 {
		rest := remainder(hi, lo, drop)
		half := rest.Compare(power(drop - 1))
		_, lo = shiftRight(hi, lo, drop)
		if half > 0 || half == 0 && lo&1 == 1 {
			lo++ // at most 2⁵³: still exact
		}
		exp += drop
	}
	// Terms are multiples of the smallest float64 or of the unit, whichever is
	// larger, so that this never rounds again, though it may overflow to Inf.
	f := math.Ldexp(float64(lo), exp)
	if negative {
		return -f
	}
	return f
}

// Ceil returns the smallest sum that is at least x, which must be finite:
// sum ≥ x exactly when sum.Compare(Ceil(x)) ≥ 0. An x beyond all sums of
// 2⁷² terms gives a sum beyond them.
func (s Scale) Ceil(x float64) Sum {
	f, e := math.Frexp(x)
	m := int64(f * (1 << 53))
	shift := e - 53 - s.exp
	var t Sum
	switch {
	case m == 0:
	case shift >= 0:
		hi, lo := shiftLeft(magnitude(m), min(shift, 73))
		t = Sum{int64(hi), lo}
		if m < 0 {
			t = t.negated()
		}
	default:
		t.Add(-(-m >> min(-shift, 63))) // ⌈m/2^-shift⌉
	}
	return t
}

func leadingZeros(hi, lo uint64) int {
	if hi != 0 {
		return bits.LeadingZeros64(hi)
	}
	return 64 + bits.LeadingZeros64(lo)
}

// power returns 2^n, n < 127.
func power(n int) Sum {
	hi, lo := shiftLeft(1, n)
	return Sum{int64(hi), lo}
}

// remainder returns the low n bits, n < 127.
func remainder(hi, lo uint64, n int) Sum {
	if n >= 64 {
		return Sum{int64(hi & (1<<(n-64) - 1)), lo}
	}
	return Sum{0, lo & (1<<n - 1)}
}

// shiftLeft returns x·2^n; a shift by 64 or more gives 0 in Go.
func shiftLeft(x uint64, n int) (hi, lo uint64) {
	if n >= 64 {
		return x << (n - 64), 0
	}
	return x >> (64 - n), x << n
}

func shiftRight(hi, lo uint64, n int) (uint64, uint64) {
	if n >= 64 {
		return 0, hi >> (n - 64)
	}
	return hi >> n, lo>>n | hi<<(64-n)
}
