package mock

import (
	"math"
	"math/rand/v2"
	"testing"
)

// ulps is the difference in units of the last place of want, or of floor
// where want is smaller.
func ulps(got, want, floor float64) float64 {
	unit := math.Nextafter(max(math.Abs(want), floor), math.Inf(1)) - max(math.Abs(want), floor)
	return math.Abs(got-want) / unit
}

func TestFunctions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	check := func(name string, x, got, want, floor, limit float64) {
		t.Helper()
		if d := ulps(got, want, floor); !(d <= limit) {
			t.Errorf("%s(%v) = %v, want %v: %.1f ulp", name, x, got, want, d)
		}
	}
	for range 20000 {
		x := math.Ldexp(rng.Float64(), rng.IntN(200)-100)
		if x > 0 {
			check("log", x, log(x), math.Log(x), 0, 3)
			check("log10", x, log10(x), math.Log10(x), 0, 4)
		}
		u := rng.Float64()
		check("log", 1-u, log(1-u), math.Log1p(-u), 0, 3)
		y := 200 * (rng.Float64() - .5)
		check("exp", y, exp(y), math.Exp(y), 0, 3)
		check("exp10", y, exp10(y), math.Pow(10, y), 0, 400) // the error of y·ln 10
		deg := 1000 * (rng.Float64() - .5)
		sin, cos := sincos(deg)
		r := math.Mod(deg, 360) * math.Pi / 180
		check("sin", deg, sin, math.Sin(r), 1, 8)
		check("cos", deg, cos, math.Cos(r), 1, 8)
		a, b := rng.NormFloat64(), rng.NormFloat64()
		check("atan2", a/b, atan2(a, b), math.Atan2(a, b)*180/math.Pi, 45, 4)
	}
	for _, c := range []struct{ y, x, want float64 }{{0, 0, 0}, {0, 1, 0}, {1, 0, 90}, {0, -1, 180}, {-1, 0, -90}, {1, 1, 45}, {-1, -1, -135}} {
		if got := atan2(c.y, c.x); math.Abs(got-c.want) > 1e-14 {
			t.Errorf("atan2(%v, %v) = %v, want %v", c.y, c.x, got, c.want)
		}
	}
	for _, deg := range []float64{0, 90, 180, 270, 360, -90, 720} {
		sin, cos := sincos(deg)
		if sin != math.Round(sin) || cos != math.Round(cos) {
			t.Errorf("sincos(%v) = %v, %v: not exact", deg, sin, cos)
		}
	}
}

func TestTable(t *testing.T) {
	f := table{{0, 1}, {2, 5}, {4, 5}}
	for x, want := range map[float64]float64{-1: 1, 0: 1, 1: 3, 2: 5, 3: 5, 9: 5} {
		if got := f.at(x); got != want {
			t.Errorf("at(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestNormal(t *testing.T) {
	r := newStream(1, ofRows, 0)
	const n = 200000
	var m1, m2, m4 float64
	for range n {
		x := r.normal()
		m1 += x / n
		m2 += x * x / n
		m4 += x * x * x * x / n
	}
	if math.Abs(m1) > .01 || math.Abs(m2-1) > .02 || math.Abs(m4-3) > .1 {
		t.Errorf("moments %v, %v, %v; want 0, 1, 3", m1, m2, m4)
	}
}
