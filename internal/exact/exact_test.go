package exact

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// number returns the integer that s holds.
func (s Sum) number() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(s.hi), 64)
	return n.Add(n, new(big.Int).SetUint64(s.lo))
}

// rational returns s in the unit of the scale.
func (s Scale) rational(sum Sum) *big.Rat {
	r := new(big.Rat).SetInt(sum.number())
	unit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(s.exp, -s.exp))))
	if s.exp < 0 {
		unit.Inv(unit)
	}
	return r.Mul(r, unit)
}

// product returns k·n, the sum of n terms k.
func product(k int64, n uint64) Sum {
	hi, lo := bits.Mul64(magnitude(k), n)
	p := Sum{int64(hi), lo}
	if k < 0 {
		p = p.negated()
	}
	return p
}

func TestSumIsAnInteger(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s Sum
	want := new(big.Int)
	for i := range 20000 {
		k := int64(rng.Uint64()) >> rng.IntN(64)
		switch i % 3 {
		case 0:
			s.Add(k)
			want.Add(want, big.NewInt(k))
		case 1:
			n := rng.Uint64() >> (32 + rng.IntN(32))
			s.AddSum(product(k, n))
			want.Add(want, new(big.Int).Mul(big.NewInt(k), new(big.Int).SetUint64(n)))
		case 2:
			var o Sum
			o.Add(k)
			o.AddSum(o)
			s.AddSum(o)
			want.Add(want, big.NewInt(k))
			want.Add(want, big.NewInt(k))
		}
		if s.number().Cmp(want) != 0 {
			t.Fatalf("after %d terms: %v, want %v", i+1, s.number(), want)
		}
	}
}

func TestCompare(t *testing.T) {
	values := []Sum{{math.MinInt64, 0}, {-1, 0}, {-1, math.MaxUint64}, {}, {0, 1}, {0, math.MaxUint64}, {1, 0}, {math.MaxInt64, 5}}
	for i, a := range values {
		for j, b := range values {
			if got, want := a.Compare(b), a.number().Cmp(b.number()); got != want {
				t.Errorf("values %d and %d: %d, want %d", i, j, got, want)
			}
		}
	}
}

// Every sum is the correctly rounded sum of the rounded terms, whatever the
// order, at all magnitudes that float64 has.
func TestFloatRoundsOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, e := range []int{-1074, -1060, -1022, -300, -52, -1, 0, 1, 30, 300, 1000} {
		for range 300 {
			n := 1 + rng.IntN(40)
			terms := make([]float64, n)
			largest := 0.0
			for i := range terms {
				terms[i] = math.Ldexp(rng.Float64()-0.3, e-rng.IntN(70))
				largest = max(largest, math.Abs(terms[i]))
			}
			s := NewScale(largest)
			var forward, backward Sum
			for i := range terms {
				k := s.Fixed(terms[i])
				if k > 1<<52 || k < -1<<52 {
					t.Fatalf("Fixed(%g) = %d with largest %g", terms[i], k, largest)
				}
				forward.AddSum(product(k, 1<<uint(i%20)))
				backward.AddSum(product(s.Fixed(terms[n-1-i]), 1<<uint((n-1-i)%20)))
			}
			if forward != backward {
				t.Fatalf("the sum depends on the order: %v, %v", forward, backward)
			}
			want, _ := s.rational(forward).Float64()
			if got := s.Float(forward); got != want {
				t.Fatalf("Float(%v·2^%d) = %g, want %g", forward.number(), s.exp, got, want)
			}
		}
	}
}

func TestFixed(t *testing.T) {
	for _, c := range []struct {
		largest, x float64
		want       int64
	}{
		{1, 1, 1 << 51},
		{1, -1, -1 << 51},
		{1, 0x1p-51, 1},
		{1, 0x1p-52, 0},       // tie to even
		{1, 3 * 0x1p-52, 2},   // tie to even
		{1.5, 0x1.8p-51, 2},   // tie to even
		{0.75, 0.75, 3 << 50}, // the power of two above is 1
		{math.MaxFloat64, math.MaxFloat64, 1 << 52},
		{5e-324, 5e-324, 1 << 51},
		{0, 0, 0},
	} {
		if got := NewScale(c.largest).Fixed(c.x); got != c.want {
			t.Errorf("largest %g: Fixed(%g) = %d, want %d", c.largest, c.x, got, c.want)
		}
	}
}

func TestCeilIsTheThreshold(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		s := NewScale(math.Ldexp(1, rng.IntN(200)-100))
		x := math.Ldexp(rng.Float64()-0.5, rng.IntN(240)-120)
		if rng.IntN(10) == 0 {
			x = math.Ldexp(1, s.Exponent()) * float64(rng.IntN(9)-4)
		}
		if math.Abs(x) > math.Ldexp(1, s.exp+125) {
			continue
		}
		c := s.Ceil(x)
		below := c
		below.Add(-1)
		want := new(big.Rat).SetFloat64(x)
		if s.rational(c).Cmp(want) < 0 || s.rational(below).Cmp(want) >= 0 {
			t.Fatalf("Ceil(%g) in units of 2^%d is %v", x, s.exp, c.number())
		}
	}
	many := product(1<<52, 1<<63)
	one := NewScale(1)
	if one.Ceil(1e300).Compare(many) <= 0 {
		t.Error("Ceil(1e300) is within reach of 2^63 terms")
	}
	many = many.negated()
	if one.Ceil(-1e300).Compare(many) >= 0 {
		t.Error("Ceil(-1e300) is within reach of 2^63 terms")
	}
}
