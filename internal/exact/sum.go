// Package exact adds float64 values without rounding between the terms, so
// that a sum does not depend on the order of its terms.
//
// Every term is rounded once to a multiple of a fixed unit, 2⁻⁵² of the power
// of two above the largest term ([Scale]); the multiples are added as 128-bit
// integers ([Sum]); and the sum is rounded once to float64. The relative error
// of a sum of n positive terms is at most 2⁻⁵³ plus n·2⁻⁵³ of the power of two
// above the largest.
package exact

import (
	"cmp"
	"math/bits"
)

// A Sum is a 128-bit two's complement integer. The zero value is 0. It holds
// the sum of 2⁷⁵ terms of a Scale.
type Sum struct {
	hi int64
	lo uint64
}

// Add adds k.
func (s *Sum) Add(k int64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, uint64(k), 0)
	s.hi += k>>63 + int64(carry)
}

// AddSum adds o.
func (s *Sum) AddSum(o Sum) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, o.lo, 0)
	s.hi += o.hi + int64(carry)
}

// SubSum subtracts o.
func (s *Sum) SubSum(o Sum) { s.AddSum(o.negated()) }

// Compare returns -1, 0 or +1 for s < o, s = o or s > o.
func (s Sum) Compare(o Sum) int {
	return cmp.Or(cmp.Compare(s.hi, o.hi), cmp.Compare(s.lo, o.lo))
}

// Half returns half of s, which must be even.
func (s Sum) Half() Sum { return Sum{s.hi >> 1, s.lo>>1 | uint64(s.hi)<<63} }

func (s Sum) negated() Sum {
	lo, borrow := bits.Sub64(0, s.lo, 0)
	return Sum{-s.hi - int64(borrow), lo}
}

func magnitude(k int64) uint64 {
	if k < 0 {
		return -uint64(k)
	}
	return uint64(k)
}
