package table

import (
	"cmp"
	"encoding/binary"
	"math"

	"skyjoin/io/catalog"
)

// stored is how a column's values are stored, apart from its nulls.
type stored struct {
	n      int
	plain  func(dst []byte, row int) []byte // appends a value in plain encoding
	bounds func(null []bool) (low, high []byte)
	// numbers gives each row the number of its value among the distinct ones,
	// and a row of each of these. nil if there are many, or for types that a
	// dictionary does not help.
	numbers func(null []bool) (number []uint32, first []int)
}

// storedColumn returns how the values of a column are stored.
func storedColumn(c catalog.Column) stored {
	le32, le64 := binary.LittleEndian.AppendUint32, binary.LittleEndian.AppendUint64
	narrow := layouts[c.Field.Type].physical == int32Type
	switch storage[c.Field.Type] {
	case "float32":
		return store(c.Float32, func(dst []byte, v float32) []byte { return le32(dst, math.Float32bits(v)) }, false)
	case "int64":
		if narrow {
			return store(c.Int64, func(dst []byte, v int64) []byte { return le32(dst, uint32(v)) }, true)
		}
		return store(c.Int64, func(dst []byte, v int64) []byte { return le64(dst, uint64(v)) }, true)
	case "uint64":
		if narrow {
			return store(c.Uint64, func(dst []byte, v uint64) []byte { return le32(dst, uint32(v)) }, true)
		}
		return store(c.Uint64, func(dst []byte, v uint64) []byte { return le64(dst, v) }, true)
	case "string":
		s := store(c.String, func(dst []byte, v string) []byte { return append(le32(dst, uint32(len(v))), v...) }, true)
		s.bounds = func(null []bool) (low, high []byte) {
			lo, hi, ok := bounds(c.String, null)
			if !ok || len(c.String[lo]) > maxBound || len(c.String[hi]) > maxBound {
				return nil, nil
			}
			return append([]byte{}, c.String[lo]...), append([]byte{}, c.String[hi]...)
		}
		return s
	case "bool":
		return storedBool(c.Bool)
	}
	if c.Field.Type == catalog.Timestamp {
		micros := make([]int64, len(c.Float64))
		for i, s := range c.Float64 {
			micros[i] = int64(math.Round(s * 1e6))
		}
		return store(micros, func(dst []byte, v int64) []byte { return le64(dst, uint64(v)) }, false)
	}
	return store(c.Float64, func(dst []byte, v float64) []byte { return le64(dst, math.Float64bits(v)) }, false)
}

// maxBound is the longest string kept as a minimum or maximum.
const maxBound = 256

// store makes a stored of values that one function encodes.
func store[T cmp.Ordered](v []T, plain func(dst []byte, v T) []byte, numbered bool) stored {
	s := stored{n: len(v)}
	s.plain = func(dst []byte, row int) []byte { return plain(dst, v[row]) }
	s.bounds = func(null []bool) (low, high []byte) {
		lo, hi, ok := bounds(v, null)
		if !ok {
			return nil, nil
		}
		return plain(nil, zeroBound(v[lo], -1)), plain(nil, zeroBound(v[hi], 1))
	}
	if numbered {
		s.numbers = func(null []bool) ([]uint32, []int) { return numbers(v, null) }
	}
	return s
}

// storedBool is the stored of booleans, whose plain values take a byte here
// and become bits in the page.
func storedBool(v []bool) stored {
	bytes := make([]uint8, len(v))
	for i, b := range v {
		if b {
			bytes[i] = 1
		}
	}
	return store(bytes, func(dst []byte, v uint8) []byte { return append(dst, v) }, false)
}

// bounds returns rows of a least and a greatest value; ok is false when there
// is none. NaN has no order and is passed over.
func bounds[T cmp.Ordered](v []T, null []bool) (low, high int, ok bool) {
	low, high = -1, -1
	for i, x := range v {
		if null != nil && null[i] || x != x {
			continue
		}
		if low < 0 || x < v[low] {
			low = i
		}
		if high < 0 || x > v[high] {
			high = i
		}
	}
	return low, high, low >= 0
}

// zeroBound gives a bound that is a floating-point zero the given sign: the
// two zeros are equal but ordered in statistics, so a least zero is written
// -0, a greatest +0.
func zeroBound[T cmp.Ordered](v T, sign float64) T {
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

// maxDictionary is the most distinct values that a dictionary is made of.
const maxDictionary = 1 << 14

// numbers numbers the distinct values in the order they come. It gives up,
// with nil, when there are more than maxDictionary or half of all.
func numbers[T comparable](v []T, null []bool) (number []uint32, first []int) {
	number = make([]uint32, len(v))
	of := make(map[T]uint32)
	for i, x := range v {
		if null != nil && null[i] {
			continue
		}
		k, ok := of[x]
		if !ok {
			if len(first) == min(maxDictionary, len(v)/2+1) {
				return nil, nil
			}
			k = uint32(len(first))
			of[x] = k
			first = append(first, i)
		}
		number[i] = k
	}
	return number, first
}
