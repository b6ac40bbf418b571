package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"skyjoin/internal/format/parquet/thrift"
)

// deltaDecoder decodes DELTA_BINARY_PACKED: a first value, then blocks of differences
// less their minimum, in miniblocks with a bit width each. All arithmetic
// wraps around.
type deltaDecoder[T uint32 | uint64] struct {
	b         []byte // from the next block or miniblock on
	miniSize  int    // values per miniblock
	minis     int    // miniblocks per block
	left      int    // values not yet decoded, of all the encoding holds
	first     bool   // last is the first value, not yet delivered
	last      uint64
	min       uint64
	widths    []byte // of the miniblocks left in the block
	miniLeft  int    // values left in the miniblock
	packs     []byte // of the miniblock
	bit       int    // position in packs
	miniWidth uint
}

// maxBlock bounds the values of a block; writers use 128 to 2,048.
const maxBlock = 1 << 20

func newDelta[T uint32 | uint64](_ *Chunk, data []byte, n int) (decoder[T], error) {
	return parseDelta[T](data, n)
}

// parseDelta reads the head of an encoding of at most n values.
func parseDelta[T uint32 | uint64](data []byte, n int) (*deltaDecoder[T], error) {
	d := &deltaDecoder[T]{b: data, first: true}
	block, e1 := d.uvarint()
	minis, e2 := d.uvarint()
	total, e3 := d.uvarint()
	last, e4 := d.uvarint()
	if err := errors.Join(e1, e2, e3, e4); err != nil {
		return nil, thrift.ErrShort
	}
	if block == 0 || block > maxBlock || minis == 0 || minis > block || block%minis != 0 || block/minis%8 != 0 {
		return nil, fmt.Errorf("blocks of %d values in %d miniblocks", block, minis)
	}
	if total > uint64(n) {
		return nil, fmt.Errorf("%d values in a page of %d", total, n)
	}
	d.miniSize, d.minis, d.left, d.last = int(block/minis), int(minis), int(total), unzigzag(last)
	return d, nil
}

func unzigzag(u uint64) uint64 { return u>>1 ^ -(u & 1) }

func (d *deltaDecoder[T]) uvarint() (uint64, error) {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		return 0, thrift.ErrShort
	}
	d.b = d.b[n:]
	return v, nil
}

func (d *deltaDecoder[T]) decode(dst []T) error {
	if len(dst) > d.left {
		return fmt.Errorf("it holds %d values too few", len(dst)-d.left)
	}
	d.left -= len(dst)
	if d.first && len(dst) > 0 {
		dst[0], dst, d.first = T(d.last), dst[1:], false
	}
	for len(dst) > 0 {
		if d.miniLeft == 0 {
			if err := d.nextMini(); err != nil {
				return err
			}
		}
		n := min(len(dst), d.miniLeft)
		d.unpack(dst[:n])
		d.miniLeft -= n
		dst = dst[n:]
	}
	return nil
}

func (d *deltaDecoder[T]) nextMini() error {
	if len(d.widths) == 0 {
		lowest, err := d.uvarint()
		if err != nil || len(d.b) < d.minis {
			return thrift.ErrShort
		}
		d.min, d.widths, d.b = unzigzag(lowest), d.b[:d.minis], d.b[d.minis:]
	}
	d.miniWidth, d.widths = uint(d.widths[0]), d.widths[1:]
	if d.miniWidth > 64 {
		return fmt.Errorf("differences of %d bits", d.miniWidth)
	}
	size := d.miniSize / 8 * int(d.miniWidth)
	if len(d.b) < size {
		return thrift.ErrShort
	}
	d.packs, d.b, d.bit, d.miniLeft = d.b[:size], d.b[size:], 0, d.miniSize
	return nil
}

// unpack decodes len(dst) values of the current miniblock.
func (d *deltaDecoder[T]) unpack(dst []T) {
	if d.miniWidth == 0 {
		for i := range dst {
			d.last += d.min
			dst[i] = T(d.last)
		}
		return
	}
	mask := ^uint64(0) >> (64 - d.miniWidth)
	for i := range dst {
		at, shift := d.bit>>3, uint(d.bit&7)
		v := load64(d.packs[at:]) >> shift
		if shift+d.miniWidth > 64 {
			v |= uint64(d.packs[at+8]) << (64 - shift)
		}
		d.last += d.min + v&mask
		dst[i] = T(d.last)
		d.bit += int(d.miniWidth)
	}
}

// load64 returns the first 8 bytes of b, or what there is of them.
func load64(b []byte) uint64 {
	if len(b) >= 8 {
		return binary.LittleEndian.Uint64(b)
	}
	return tail(b)
}

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
