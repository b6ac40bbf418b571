package parquet

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Sizes of DELTA_BINARY_PACKED, in values, as other writers have them.
const (
	deltaBlock = 128
	deltaMini  = 32
)

// appendDelta encodes integers of 64 bits as DELTA_BINARY_PACKED: the first
// value, then blocks of differences less their minimum, in miniblocks of as many
// bits as the greatest needs. Differences wrap around.
func appendDelta[T int64 | uint64](dst []byte, v []T) []byte {
	dst = binary.AppendUvarint(dst, deltaBlock)
	dst = binary.AppendUvarint(dst, deltaBlock/deltaMini)
	dst = binary.AppendUvarint(dst, uint64(len(v)))
	if len(v) == 0 {
		return append(dst, 0)
	}
	last := v[0]
	dst = binary.AppendVarint(dst, int64(last))
	var room [deltaBlock]uint64
	for v = v[1:]; len(v) > 0; {
		n := min(len(v), deltaBlock)
		least := int64(math.MaxInt64)
		for i, x := range v[:n] {
			room[i] = uint64(x - last)
			least = min(least, int64(x-last))
			last = x
		}
		v = v[n:]
		dst = binary.AppendVarint(dst, least)
		widths := len(dst)
		dst = append(dst, make([]byte, deltaBlock/deltaMini)...)
		for m := 0; m < n; m += deltaMini {
			mini := room[m : m+deltaMini]
			var all uint64
			for i := range mini {
				mini[i] -= uint64(least)
				if m+i >= n {
					mini[i] = 0
				}
				all |= mini[i]
			}
			width := bits.Len64(all)
			dst[widths+m/deltaMini] = byte(width)
			dst = appendBits(dst, mini, width)
		}
	}
	return dst
}

// appendBits packs a multiple of 32 numbers below 2^width, the lowest bits
// first.
func appendBits(dst []byte, v []uint64, width int) []byte {
	if width == 0 {
		return dst
	}
	var acc uint64
	fill := 0
	for _, x := range v {
		acc |= x << fill
		if fill += width; fill >= 64 {
			dst = binary.LittleEndian.AppendUint64(dst, acc)
			fill -= 64
			acc = x >> (width - fill)
		}
	}
	if fill > 0 { // half a word: 32 numbers of an odd width
		dst = binary.LittleEndian.AppendUint32(dst, uint32(acc))
	}
	return dst
}
