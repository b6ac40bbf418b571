package exact

import (
	"math"
	"math/big"
	"math/bits"
)

// Words is the number of words of an Accumulator.
const Words = 68

// An Accumulator adds float64 values exactly, of any magnitude, so that the sum
// does not depend on their order (R. Neal, "Fast exact summation using small and
// large superaccumulators", 2015). The zero value is empty.
//
// Word k counts multiples of 2^(32k-1074); a value goes into three words, 32
// bits into each, so that a word does not overflow for 2³⁰ values between two
// calls of normalize.
type Accumulator struct {
	word    [Words]int64
	pending int
	nan     bool
	inf     [2]bool // +Inf, -Inf
}

// Add adds x.
func (a *Accumulator) Add(x float64) {
	b := math.Float64bits(x)
	exp := int(b >> 52 & 0x7ff)
	m := b & (1<<52 - 1)
	switch exp {
	case 0x7ff:
		a.special(x)
		return
	case 0:
		if m == 0 {
			return
		}
		exp = 1
	default:
		m |= 1 << 52
	}
	k, s := (exp-1)>>5, (exp-1)&31
	lo, hi := m<<s, m>>(64-s)
	w0, w1, w2 := int64(lo&math.MaxUint32), int64(lo>>32), int64(hi)
	if b>>63 == 1 {
		w0, w1, w2 = -w0, -w1, -w2
	}
	a.word[k] += w0
	a.word[k+1] += w1
	a.word[k+2] += w2
	if a.pending++; a.pending == 1<<30 {
		a.normalize()
	}
}

func (a *Accumulator) special(x float64) {
	switch {
	case x != x:
		a.nan = true
	case x > 0:
		a.inf[0] = true
	default:
		a.inf[1] = true
	}
}

// normalize carries what is beyond 32 bits to the next word.
func (a *Accumulator) normalize() {
	for k := range Words - 1 {
		a.word[k+1] += a.word[k] >> 32
		a.word[k] &= math.MaxUint32
	}
	a.pending = 1
}

// AddSum adds the sum of o.
func (a *Accumulator) AddSum(o *Accumulator) {
	a.AddWords(&o.word)
	a.nan = a.nan || o.nan
	a.inf[0], a.inf[1] = a.inf[0] || o.inf[0], a.inf[1] || o.inf[1]
}

// AddWords adds words that were summed elsewhere, such as on a GPU, without
// overflow of any.
func (a *Accumulator) AddWords(w *[Words]int64) {
	a.normalize()
	o := Accumulator{word: *w}
	o.normalize()
	for k := range a.word {
		a.word[k] += o.word[k]
	}
	a.pending = 2
}

// Special adds values that are not finite, if there were any.
func (a *Accumulator) Special(nan, positive, negative bool) {
	a.nan = a.nan || nan
	a.inf[0], a.inf[1] = a.inf[0] || positive, a.inf[1] || negative
}

// Float returns the sum, rounded once to float64, ties to even.
func (a *Accumulator) Float() float64 {
	switch {
	case a.nan || a.inf[0] && a.inf[1]:
		return math.NaN()
	case a.inf[0]:
		return math.Inf(1)
	case a.inf[1]:
		return math.Inf(-1)
	}
	a.normalize()
	sum := new(big.Int)
	for k := Words - 1; k >= 0; k-- {
		sum.Lsh(sum, 32)
		sum.Add(sum, big.NewInt(a.word[k]))
	}
	if sum.Sign() == 0 {
		return 0
	}
	f := new(big.Float).SetPrec(uint(max(sum.BitLen(), bits.UintSize))).SetInt(sum)
	f.SetMantExp(f, -1074)
	v, _ := f.Float64()
	return v
}
