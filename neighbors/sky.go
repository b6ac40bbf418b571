package neighbors

import "math"

// unitVector returns the direction of (ra, dec) in degrees. ra may be in any
// range. Each component is within 2 ulp of 1 (4.5e-16) of its true value, and
// directions that are multiples of 90° are exact.
func unitVector(ra, dec float64) (x, y, z float64) {
	sr, cr := sincosDegrees(ra)
	sd, cd := sincosDegrees(dec)
	return cd * cr, cd * sr, sd
}

// sincosDegrees returns the sine and cosine of x degrees. The reduction to
// [-45, 45] is exact, so RA 0, 360 and -720 are one direction. Every
// operation is rounded on its own, so that results do not depend on whether
// the compiler fuses multiply and add.
func sincosDegrees(x float64) (sin, cos float64) {
	if math.Abs(x) >= 360 { // Mod would not change it
		x = math.Mod(x, 360)
	}
	q := math.RoundToEven(x / 90)
	r := (x - q*90) * Degree // exact: |x| < 360 and q*90 is representable
	z := float64(r * r)
	// Minimax polynomials on [-π/4, π/4] (Cephes sin.c, cos.c).
	s := 1.58962301576546568060e-10
	for _, c := range [...]float64{-2.50507477628578072866e-8, 2.75573136213857245213e-6, -1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1} {
		s = float64(s*z) + c
	}
	s = r + float64(r*float64(z*s))
	k := -1.13585365213876817300e-11
	for _, c := range [...]float64{2.08757008419747316778e-9, -2.75573141792967388112e-7, 2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2} {
		k = float64(k*z) + c
	}
	k = 1 - float64(0.5*z) + float64(float64(z*z)*k)
	switch int(q) & 3 {
	case 0:
		return s, k
	case 1:
		return k, -s
	case 2:
		return -s, -k
	default:
		return -k, s
	}
}

// Angle returns the angle in radians between two unit vectors from the squared
// lengths of their difference and of their sum, 2·atan2(|a-b|, |a+b|). Up to
// 90° the squared sum is taken as 4 - chord2, which makes the angle a function
// of chord2 alone. With vectors made from degrees the absolute error is below
// 1e-15 rad (2e-10 arcsec) from 0 to 180°.
func Angle(chord2, sum2 float64) float64 {
	if chord2 <= 2 {
		return chordAngle(chord2)
	}
	return 2 * math.Atan2(math.Sqrt(chord2), math.Sqrt(sum2))
}

// chordAngle is the angle of a squared chord, accurate up to 90°.
func chordAngle(chord2 float64) float64 {
	return 2 * math.Atan2(math.Sqrt(chord2), math.Sqrt(max(4-chord2, 0)))
}

// squaredChord returns the largest squared chord whose angle, as Angle prints
// it, is at most r radians. Beyond 90° a computed squared chord no longer
// tells the printed angle (1 ulp of 4 is 0.004 arcsec at 180°), so there the
// bound is widened by 8 ulp: a printed angle fed back always finds its pair.
func squaredChord(r float64) float64 {
	if r >= math.Pi {
		return 5 // more than any squared chord
	}
	// chordAngle is monotone except for the last bit: bisect on the bits, then look
	// a little further up.
	lo, hi := uint64(0), math.Float64bits(4)
	for lo < hi {
		mid := hi - (hi-lo)/2
		if chordAngle(math.Float64frombits(mid)) <= r {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	best := lo
	for i := uint64(1); i <= 64; i++ {
		if chordAngle(math.Float64frombits(lo+i)) <= r {
			best = lo + i
		}
	}
	t := math.Float64frombits(best)
	if t > 2 {
		t += 8 * 0x1p-50
	}
	return t
}
