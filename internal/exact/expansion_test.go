package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Sums are those of rational numbers, rounded once, whatever the order.
func TestExpansion(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	value := func() float64 {
		switch rng.IntN(4) {
		case 0:
			return float64(rng.IntN(9) - 4)
		case 1:
			return math.Ldexp(1, rng.IntN(120)-60)
		}
		return math.Ldexp(rng.NormFloat64(), rng.IntN(200)-100)
	}
	for range 3000 {
		var sum Expansion
		want := new(big.Rat)
		for range rng.IntN(12) {
			x, y := value(), value()
			k := Sum{int64(rng.IntN(3)) - 1, rng.Uint64() >> rng.IntN(64)}
			switch rng.IntN(3) {
			case 0:
				sum.Add(x)
				y = 1
			case 1:
				sum.AddProduct(x, y)
			case 2:
				sum.AddMultiple(k, x)
				f := new(big.Float).SetPrec(200).SetInt64(k.hi)
				f.SetMantExp(f, 64)
				f.Add(f, new(big.Float).SetPrec(200).SetUint64(k.lo))
				r, _ := f.Rat(nil)
				want.Add(want, r.Mul(r, new(big.Rat).SetFloat64(x)))
				continue
			}
			want.Add(want, new(big.Rat).Mul(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y)))
		}
		if f, _ := want.Float64(); sum.Float() != f {
			t.Fatalf("sum %v, want %v", sum.Float(), f)
		}
		other := sum.Clone()
		other.Add(math.Ldexp(1, -1000))
		if other.Compare(sum) != 1 || sum.Compare(other) != -1 || sum.Compare(sum) != 0 {
			t.Fatalf("%v and a little more compare as %d, %d, %d", sum, other.Compare(sum), sum.Compare(other), sum.Compare(sum))
		}
		// A tie that is decided far below the last bit.
		tie := new(big.Rat).SetFloat64(1)
		var near Expansion
		for _, x := range []float64{math.Ldexp(float64(1-2*rng.IntN(2)), -300), 1, 0x1p-53} {
			near.Add(x)
			tie.Add(tie, new(big.Rat).SetFloat64(x))
		}
		tie.Sub(tie, new(big.Rat).SetFloat64(1))
		if f, _ := tie.Float64(); near.Float() != f {
			t.Fatalf("near a tie: %v, want %v", near.Float(), f)
		}
	}
}
