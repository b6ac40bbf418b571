package neighbors

import "math"

// squaredRadius returns the largest float64 whose square root rounds to at
// most r. Comparing d² with it is the same as comparing fl(√d²) with r, which
// comparing with fl(r·r) is not: fl(1.7320508075688772²) < 3 although
// fl(√3) = 1.7320508075688772. r must be positive and finite.
func squaredRadius(r float64) float64 {
	t := r * r
	if math.IsInf(t, 1) {
		return math.MaxFloat64
	}
	for math.Sqrt(t) > r {
		t = math.Nextafter(t, 0)
	}
	for {
		up := math.Nextafter(t, math.Inf(1))
		if math.IsInf(up, 1) || math.Sqrt(up) > r {
			return t
		}
		t = up
	}
}
