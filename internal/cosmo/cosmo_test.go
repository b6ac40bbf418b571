package cosmo

import (
	"math"
	"testing"
)

func TestComoving(t *testing.T) {
	// Ωm = 1 has a closed form: 2 c/H0 (1 - 1/√(1+z)).
	f, err := NewFlat(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, z := range []float64{0, 1e-6, 0.01, 0.5, 1, 3.3, 10, 1100} {
		want := 2 * HubbleDistance * (-math.Expm1(-0.5 * math.Log1p(z)))
		if got := f.Comoving(z); math.Abs(got-want) > 2e-13*want {
			t.Errorf("Ωm 1: Comoving(%g) = %.15g, want %.15g", z, got, want)
		}
	}
	// Others by the trapezium rule in 2^20 steps with its end correction.
	for _, om := range []float64{0.3, 0.315, 0.05} {
		f, err := NewFlat(om)
		if err != nil {
			t.Fatal(err)
		}
		for _, z := range []float64{0.1, 1, 5} {
			const n = 1 << 20
			e := func(z float64) float64 { return 1 / math.Sqrt(om*math.Pow(1+z, 3)+1-om) }
			sum := (e(0) + e(z)) / 2
			for i := 1; i < n; i++ {
				sum += e(z * float64(i) / n)
			}
			want := HubbleDistance * sum * z / n
			if got := f.Comoving(z); math.Abs(got-want) > 1e-11*want {
				t.Errorf("Ωm %g: Comoving(%g) = %.15g, want %.15g", om, z, got, want)
			}
		}
	}
	for _, z := range []float64{-0.1, math.NaN(), math.Inf(1), 1101} {
		if got := f.Comoving(z); !math.IsNaN(got) {
			t.Errorf("Comoving(%g) = %g, want NaN", z, got)
		}
	}
	for _, om := range []float64{0, -1, 1.5, math.NaN()} {
		if _, err := NewFlat(om); err == nil {
			t.Errorf("a matter density of %g is accepted", om)
		}
	}
}
