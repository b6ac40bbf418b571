package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/exact"
)

// anyNumber draws from all that float64 has, with values that are alike.
func anyNumber(r *rand.Rand) float64 {
	switch r.IntN(6) {
	case 0:
		return []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, math.MaxFloat64}[r.IntN(9)]
	case 1:
		return math.Float64frombits(r.Uint64())
	case 2:
		return float64(r.IntN(5) - 2)
	}
	return r.NormFloat64()
}

// Every operation gives what Go does, for any numbers, also in place.
func TestApply(t *testing.T) {
	want := map[Operation]func(x, y float64) float64{
		Add:       func(x, y float64) float64 { return x + y },
		Subtract:  func(x, y float64) float64 { return x - y },
		Multiply:  func(x, y float64) float64 { return x * y },
		Divide:    func(x, y float64) float64 { return x / y },
		Less:      func(x, y float64) float64 { return oneIf(x < y) },
		AtMost:    func(x, y float64) float64 { return oneIf(x <= y) },
		Negate:    func(x, _ float64) float64 { return -x },
		Magnitude: func(x, _ float64) float64 { return math.Abs(x) },
		Root:      func(x, _ float64) float64 { return math.Sqrt(x) },
	}
	r := rand.New(rand.NewPCG(22, 7))
	for _, f := range All() {
		for op := Add; op <= Root; op++ {
			for n := range 70 {
				x, y := make([]float64, n), make([]float64, n)
				for i := range n {
					x[i], y[i] = anyNumber(r), anyNumber(r)
				}
				z := make([]float64, n+1)
				z[n] = 7 // is none of its business
				out := z[:n]
				in := slices.Clone(x)
				if n%3 == 0 {
					out = in
				}
				f.Apply(op, in, y, out)
				for i := range n {
					w := want[op](x[i], y[i])
					if math.Float64bits(out[i]) != math.Float64bits(w) && !(w != w && out[i] != out[i]) {
						t.Fatalf("%s: operation %d of %v and %v is %v, want %v", f.Name, op, x[i], y[i], out[i], w)
					}
				}
				if z[n] != 7 {
					t.Fatalf("%s: operation %d of %d numbers writes one more", f.Name, op, n)
				}
			}
		}
	}
}

// The sum of the parts is that of the terms, or there are none.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 8))
	for _, f := range All() {
		done := 0
		for trial := range 400 {
			x := make([]float64, 8*(1+r.IntN(MostParts/8)))
			e := r.IntN(1900) - 950
			for i := range x {
				x[i] = math.Ldexp(r.Float64()-0.3, e-r.IntN(1+trial%60))
				if trial%7 == 0 { // the largest sums
					x[i] = math.Nextafter(math.Ldexp(1, e), 0)
				}
			}
			odd := trial%5 == 4
			if odd {
				x[r.IntN(len(x))] = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(3)]
			}
			var parts [16]float64
			if !f.Parts(x, &parts) {
				continue
			}
			if odd {
				t.Errorf("%s: parts of a sum with NaN or Inf", f.Name)
			}
			done++
			var want, got exact.Accumulator
			for _, v := range x {
				want.Add(v)
			}
			for _, v := range parts {
				got.Add(v)
			}
			var less exact.Accumulator
			less.AddSum(&got)
			for _, v := range x {
				less.Add(-v)
			}
			if want.Float() != got.Float() || less.Float() != 0 {
				t.Fatalf("%s: %v, want %v, a difference of %v", f.Name, got.Float(), want.Float(), less.Float())
			}
		}
		if f.Name != "generic" && done < 150 {
			t.Errorf("%s: parts of %d of 400 sums", f.Name, done)
		}
		if f.Parts(make([]float64, 8), new([16]float64)) && f.Name == "generic" {
			t.Error("portable code has parts")
		}
	}
}
