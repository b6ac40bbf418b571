package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The products of all pairs, added up as fractions and rounded once, at all
// magnitudes whose squares float64 has, of any sign and in any parts.
func TestProductsOfAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, e := range []int{-540, -500, -30, 0, 1, 52, 500} {
		for range 100 {
			terms := make([]float64, 1+rng.IntN(20))
			largest := 0.0
			for i := range terms {
				terms[i] = math.Ldexp(rng.Float64()-0.3, e-rng.IntN(60)*rng.IntN(2))
				largest = max(largest, math.Abs(terms[i]))
			}
			s := NewScale(largest)
			var sum Sum
			var parts [2]Squares
			want, before := new(big.Rat), new(big.Rat)
			for i, x := range terms {
				k := s.Fixed(x)
				sum.Add(k)
				parts[i%2].Add(k)
				var one Sum
				one.Add(k)
				r := s.rational(one)
				want.Add(want, new(big.Rat).Mul(before, r))
				before.Add(before, r)
			}
			parts[0].AddSquares(SquaresFromWords(parts[1].Words()))
			exact, _ := want.Float64()
			if got := s.Products(sum, parts[0]); got != exact {
				t.Fatalf("%v: %g, want %g", terms, got, exact)
			}
		}
	}
}

// One term that is not 0 has no pairs, however many bits it has.
func TestProductsOfOneTerm(t *testing.T) {
	for _, x := range []float64{0.1, -0.7, math.Pi, 1e-170, 1.2345678901234567e100, 0} {
		s := NewScale(x)
		var sum Sum
		var squares Squares
		for _, x := range []float64{0, x, 0} {
			sum.Add(s.Fixed(x))
			squares.Add(s.Fixed(x))
		}
		if got := s.Products(sum, squares); got != 0 || math.Signbit(got) {
			t.Errorf("%v: %g, want 0", x, got)
		}
	}
}

// 2⁸⁸ of the largest squares there are.
func TestSquaresHoldMany(t *testing.T) {
	var q Squares
	q.Add(-1 << 52)
	for range 87 {
		q.AddSquares(q)
	}
	if hi, mid, lo := q.Words(); hi != 1<<63 || mid != 0 || lo != 0 {
		t.Errorf("2^87 squares of 2^52 are %x %x %x, want 2^191", hi, mid, lo)
	}
}

// Equal terms are as many as they are, others fewer, and those of 0 none.
func TestEffective(t *testing.T) {
	for _, c := range []struct {
		terms []int64
		want  float64
	}{
		{nil, 0},
		{[]int64{0, 0}, 0},
		{[]int64{3, 3, 3, 0, 0}, 3},
		{[]int64{1 << 52, 1 << 52, -1 << 52}, 1. / 3},
		{[]int64{4, 2, 1}, 7. / 3},
		{[]int64{5, -5}, 0},
	} {
		var sum Sum
		var squares, twice Squares
		for _, k := range c.terms {
			sum.Add(k)
			squares.Add(k)
			twice.Add(k)
			twice.Add(k)
		}
		if got := Effective(sum, squares); got != c.want {
			t.Errorf("%v: %v, want %v", c.terms, got, c.want)
		}
		if twice.Half() != squares {
			t.Errorf("%v: half of %v is %v, want %v", c.terms, twice, twice.Half(), squares)
		}
	}
	if got := SquaresFromWords(6, 1<<63, 4).Half(); got != SquaresFromWords(3, 1<<62, 2) {
		t.Errorf("half of 6, 2^63, 4 is %v", got)
	}
	if got := SquaresFromWords(1, 1, 4).Half(); got != SquaresFromWords(0, 1<<63, 1<<63+2) {
		t.Errorf("half of 1, 1, 4 is %v", got)
	}
}
