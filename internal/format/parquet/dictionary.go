package parquet

import (
	"cmp"
	"math"

	"skyjoin/internal/each"
)

// maxDictionary is the most distinct values that a dictionary is made of.
const maxDictionary = 1 << 14

// A numbering numbers distinct values in the order they come. When there are
// more than most it gives up, and is empty from then on.
type numbering[T comparable] struct {
	most   int
	values []T
	number map[T]uint32
}

func (d *numbering[T]) add(v []T) {
	if d.most == 0 {
		return
	}
	if d.number == nil {
		d.number = make(map[T]uint32)
	}
	for i, x := range v {
		if i > 0 && x == v[i-1] {
			continue // as in sorted columns
		}
		if _, ok := d.number[x]; ok {
			continue
		}
		if len(d.values) == d.most {
			*d = numbering[T]{}
			return
		}
		d.number[x] = uint32(len(d.values))
		d.values = append(d.values, x)
	}
}

// numbers returns the numbers of values that were added.
func (d *numbering[T]) numbers(v []T) []uint32 {
	return each.Of(v, func(x T) uint32 { return d.number[x] })
}

// extremes are the least and the greatest of the values added. NaN has no
// order and is passed over.
type extremes[T cmp.Ordered] struct {
	low, high T
	some      bool
}

func (b *extremes[T]) add(v []T) {
	for _, x := range v {
		switch {
		case !b.some:
			b.low, b.high, b.some = x, x, x == x // not for NaN
		case x < b.low:
			b.low = x
		case x > b.high:
			b.high = x
		}
	}
}

// encoded returns the bounds as statistics have them, nil for none.
func (b *extremes[T]) encoded(encode func(T) []byte) (low, high []byte) {
	if !b.some {
		return nil, nil
	}
	low, high = encode(signZero(b.low, -1)), encode(signZero(b.high, 1))
	if low == nil || high == nil {
		return nil, nil
	}
	return low, high
}

// signZero gives a floating-point zero a sign: the two zeros are equal, but
// ordered in statistics, so a least zero is written -0, a greatest +0.
func signZero[T cmp.Ordered](v T, sign float64) T {
	switch p := any(&v).(type) {
	case *float64:
		if *p == 0 {
			*p = math.Copysign(0, sign)
		}
	case *float32:
		if *p == 0 {
			*p = float32(math.Copysign(0, sign))
		}
	}
	return v
}
