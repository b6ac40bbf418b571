package neighbors

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The threshold is the largest d² whose root rounds to at most the radius, at
// every scale of float64.
func TestSquaredRadius(t *testing.T) {
	check := func(r float64) (fault string) {
		switch v := squaredRadius(r); {
		case math.Sqrt(v) > r:
			return "the root is over the radius"
		case v < math.MaxFloat64 && math.Sqrt(math.Nextafter(v, math.Inf(1))) <= r:
			return "the next d² is within, too"
		}
		return ""
	}
	for _, r := range []float64{5e-324, 1e-308, 1e-170, 1e-162, 1.5e-162, 2.2e-162, 1.4916681462400413e-154, 1, math.Sqrt(3), 1.3407807929942596e154, 1.3407807929942597e154, 1e155, 1e300, math.MaxFloat64} {
		if f := check(r); f != "" {
			t.Errorf("radius %v: %s", r, f)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r := math.Float64frombits(rapid.Uint64Range(1, math.Float64bits(math.MaxFloat64)).Draw(t, "bits"))
		if f := check(r); f != "" {
			t.Fatalf("radius %v: %s", r, f)
		}
	})
}
