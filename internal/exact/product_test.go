package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// A product is rounded once, also where rounding it to float64 first would
// make a tie or break one.
func TestFixedProductRoundsOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 200000 {
		x, y := rng.Float64()-0.3, rng.Float64()-0.3
		if i%2 == 0 { // few bits, so that ties happen
			x, y = math.Ldexp(float64(rng.IntN(1<<27)), -27), math.Ldexp(float64(rng.IntN(1<<27)|1), -27)
		}
		e := rng.IntN(60)
		y = math.Ldexp(y, -e)
		s, ok := NewProductScale(1, math.Ldexp(1, -e/2))
		if !ok {
			t.Fatal("a product of numbers up to 1 overflows")
		}
		want := new(big.Rat).Mul(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y))
		want.Mul(want, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(-s.exp))))
		got := s.FixedProduct(x, y)
		diff := want.Sub(want, new(big.Rat).SetInt64(got))
		diff.Abs(diff)
		half := big.NewRat(1, 2)
		if c := diff.Cmp(half); c > 0 || c == 0 && got%2 != 0 {
			t.Fatalf("FixedProduct(%g, %g) = %d in units of 2^%d is off by %v", x, y, got, s.exp, diff)
		}
	}
}

func TestProductScale(t *testing.T) {
	below := math.Nextafter(1, 0)
	s, ok := NewProductScale(1-0x1p-52, 1+0x1p-52) // rounds to 1, but is less
	if want := NewScale(below); !ok || s != want {
		t.Errorf("the scale of a product just below 1 is 2^%d, want 2^%d", s.exp, want.exp)
	}
	if _, ok := NewProductScale(1e200, -1e200); ok {
		t.Error("a product of 1e400 has a scale")
	}
	sum := product(-5, 1<<62)
	less := sum
	less.SubSum(sum)
	if less != (Sum{}) {
		t.Errorf("a sum less itself is %v", less)
	}
	if got := FromWords(sum.Words()); got != sum {
		t.Errorf("FromWords(Words) = %v, want %v", got, sum)
	}
}
