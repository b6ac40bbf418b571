package exact

import (
	"math/big"
	"math/bits"
)

// Squares is the sum of the squares of multiples of a Scale: a 192-bit integer.
// The zero value is 0. It holds the sum of 2⁸⁸ squares.
type Squares struct {
	hi, mid, lo uint64
}

// Add adds k².
func (q *Squares) Add(k int64) {
	mid, lo := bits.Mul64(magnitude(k), magnitude(k))
	q.AddSquares(Squares{0, mid, lo})
}

// AddSquares adds o.
func (q *Squares) AddSquares(o Squares) {
	var carry uint64
	q.lo, carry = bits.Add64(q.lo, o.lo, 0)
	q.mid, carry = bits.Add64(q.mid, o.mid, carry)
	q.hi += o.hi + carry
}

// Words returns the sum as an integer of three words.
func (q Squares) Words() (hi, mid, lo uint64) { return q.hi, q.mid, q.lo }

// SquaresFromWords is the inverse of Words.
func SquaresFromWords(hi, mid, lo uint64) Squares { return Squares{hi, mid, lo} }

// Half returns half of q, which must be even.
func (q Squares) Half() Squares {
	return Squares{q.hi >> 1, q.mid>>1 | q.hi<<63, q.lo>>1 | q.mid<<63}
}

// Effective returns how many equal terms have the sum and the sum of squares of
// these ones as well as their scatter, sum²/squares (L. Kish, Survey Sampling,
// 1965): exact and rounded once, ties to even. It is 0 where all terms are 0.
func Effective(sum Sum, squares Squares) float64 {
	of := words(squares.hi, squares.mid, squares.lo)
	if of.Sign() == 0 {
		return 0
	}
	n := words(magnitudeOf(sum))
	v, _ := new(big.Rat).SetFrac(n.Mul(n, n), of).Float64()
	return v
}

// Products returns the sum of the products of all unordered pairs of terms,
// none with itself, of which the sum and the sum of the squares are given:
// (sum² - squares)/2, which is exact and rounded once, ties to even. It is 0
// where at most one term is not.
func (s Scale) Products(sum Sum, squares Squares) float64 {
	n := words(magnitudeOf(sum))
	n.Mul(n, n)
	n.Sub(n, words(squares.hi, squares.mid, squares.lo))
	if n.Sign() == 0 {
		return 0 // not -0, nor one with an exponent
	}
	f := new(big.Float).SetPrec(uint(max(n.BitLen(), bits.UintSize))).SetInt(n)
	v, _ := f.SetMantExp(f, 2*s.exp-1).Float64()
	return v
}

// magnitudeOf returns the words of |s|.
func magnitudeOf(s Sum) (hi, lo uint64) {
	if s.hi < 0 {
		s = s.negated()
	}
	return uint64(s.hi), s.lo
}

// words returns the integer of 64-bit words, the highest first.
func words(w ...uint64) *big.Int {
	n := new(big.Int)
	for _, x := range w {
		n.Lsh(n, 64)
		n.Or(n, new(big.Int).SetUint64(x))
	}
	return n
}
