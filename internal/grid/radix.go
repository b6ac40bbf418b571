package grid

import (
	"math/bits"

	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// digit is the most bits of a key that one pass of a radix sort sorts by: with
// more, the places written to outgrow what the processor knows pages of.
const digit = 11

// digits calls pass for the digits of the bits [low, top), least significant
// first, all of about the same width.
func digits(low, top int, pass func(shift, width int)) {
	for n := (top - low + digit - 1) / digit; n > 0; n-- {
		width := (top - low + n - 1) / n
		pass(low, width)
		low += width
	}
}

// A scatter is one pass of a radix sort: where the elements of each chunk with
// each digit go.
type scatter [][1 << digit]uint32

// count fills s for the keys, whose digit is that of width bits from shift on.
func (s scatter) count(threads int, keys []uint64, shift, width int) {
	mask := uint64(1)<<width - 1
	par.Chunks(threads, len(keys), func(c, lo, hi int) {
		count := &s[c]
		clear(count[:])
		for _, k := range keys[lo:hi] {
			count[k>>(shift&63)&mask&(1<<digit-1)]++
		}
	})
	sum := uint32(0)
	for v := range 1 << width {
		for c := range s {
			k := s[c][v]
			s[c][v] = sum
			sum += k
		}
	}
}

// radixSort sorts words by their bits [low, top), stably, using other as
// scratch, and returns the one of both where the result is.
func radixSort(threads int, words, other []uint64, low, top int) []uint64 {
	s := make(scatter, threads)
	digits(low, top, func(shift, width int) {
		s.count(threads, words, shift, width)
		mask := uint64(1)<<width - 1
		par.Chunks(threads, len(words), func(c, lo, hi int) {
			at := &s[c]
			for _, w := range words[lo:hi] {
				v := w >> (shift & 63) & mask & (1<<digit - 1)
				other[at[v]] = w
				at[v]++
			}
		})
		words, other = other, words
	})
	return words
}

// SortByKey sorts keys and, with them, rows by key, stably and in parallel. It
// uses both as scratch and returns where the result is. rows must have
// [kernel.Slack] elements more than keys, and so has the result.
func SortByKey(threads int, keys []uint64, rows []uint32) ([]uint64, []uint32) {
	return sortByKey(threads, keys, make([]uint64, len(keys)), rows)
}

// sortByKey is SortByKey with keys2 as further scratch.
func sortByKey(threads int, keys, keys2 []uint64, rows []uint32) ([]uint64, []uint32) {
	all := uint64(0)
	for _, k := range keys {
		all |= k // as many bits as the largest has
	}
	rows2 := make([]uint32, len(keys)+kernel.Slack)
	s := make(scatter, threads)
	digits(0, bits.Len64(all), func(shift, width int) {
		s.count(threads, keys, shift, width)
		mask := uint64(1)<<width - 1
		par.Chunks(threads, len(keys), func(c, lo, hi int) {
			at := &s[c]
			for i, k := range keys[lo:hi] {
				v := k >> (shift & 63) & mask & (1<<digit - 1)
				to := at[v]
				at[v]++
				keys2[to] = k
				rows2[to] = rows[lo+i]
			}
		})
		keys, keys2 = keys2, keys
		rows, rows2 = rows2, rows
	})
	return keys, rows
}
