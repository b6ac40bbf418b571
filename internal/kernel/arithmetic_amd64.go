//go:build !purego

package kernel

import (
	"math"
	"slices"
)

func applyVector(kernel int, op Operation, x, y, z []float64) {
	checkApply(op, x, y, z)
	for len(z) >= 8 {
		n := min(len(z)/8, maxWork/8)
		a := args{q: &x[0], d: &x[0], dist: &z[0], nq: n, first: int(op)}
		if op < Negate {
			a.d, y = &y[0], y[8*n:]
		}
		call(kernel, &a)
		x, z = x[8*n:], z[8*n:]
	}
	applyGeneric(op, x, y, z)
}

// partsVector rounds the terms to multiples of two units, of which the smaller one is
// 2⁻⁹³ of the power of two above the largest term: the 64 terms of a lane have sums of
// less than 2⁵³ units.
func partsVector(most, parts int, x []float64, out *[16]float64) bool {
	if len(x) == 0 || len(x)%8 != 0 || len(x) > MostParts {
		return false
	}
	var lanes [24]float64
	a := args{q: &x[0], dist: &lanes[0], nq: len(x) / 8}
	call(most, &a)
	largest := slices.Max(lanes[:8])
	if !(largest >= 0x1p-800 && largest <= 0x1p1000) {
		return false
	}
	_, e := math.Frexp(largest)
	units := [2]float64{math.Ldexp(1.5, e+6), math.Ldexp(1.5, e-41)}
	a = args{q: &x[0], d: &units[0], dist: &lanes[0], nq: len(x) / 8}
	call(parts, &a)
	copy(out[:], lanes[:16])
	for _, rest := range lanes[16:] {
		if rest != 0 { // NaN too
			return false
		}
	}
	return true
}
