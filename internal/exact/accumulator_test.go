package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Sums equal those of arbitrary precision, in any order and in any parts.
func TestAccumulatorIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		n := 1 + rng.IntN(200)
		v := make([]float64, n)
		for i := range v {
			switch rng.IntN(6) {
			case 0:
				v[i] = math.Float64frombits(rng.Uint64() &^ (1 << 62)) // not huge
			case 1:
				v[i] = -v[rng.IntN(i+1)]
			case 2:
				v[i] = math.SmallestNonzeroFloat64 * float64(rng.IntN(100)-50)
			default:
				v[i] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(40)-20))
			}
			if math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
				v[i] = math.MaxFloat64 / 1024
			}
		}
		want := new(big.Float).SetPrec(4000)
		for _, x := range v {
			want.Add(want, new(big.Float).SetFloat64(x))
		}
		exact, _ := want.Float64()
		var whole Accumulator
		var parts [3]Accumulator
		for i, x := range v {
			whole.Add(x)
			parts[i%3].Add(x)
		}
		var sum Accumulator
		for i := range parts {
			sum.AddSum(&parts[2-i])
		}
		if got := whole.Float(); got != exact {
			t.Fatalf("round %d: %v, want %v", round, got, exact)
		}
		if got := sum.Float(); got != exact {
			t.Fatalf("round %d, in parts: %v, want %v", round, got, exact)
		}
	}
}

func TestAccumulatorOfWhatIsNotFinite(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		in   []float64
		want float64
	}{{[]float64{1, inf, -3}, inf}, {[]float64{1, -inf}, -inf}, {[]float64{inf, -inf}, math.NaN()}, {[]float64{math.NaN(), 1}, math.NaN()}, {nil, 0}, {[]float64{math.MaxFloat64, math.MaxFloat64}, inf}} {
		var a Accumulator
		for _, x := range c.in {
			a.Add(x)
		}
		if got := a.Float(); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v: %v, want %v", c.in, got, c.want)
		}
	}
}
