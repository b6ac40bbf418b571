package parquet

import (
	"encoding/binary"
	"errors"
)

var errRuns = errors.New("its run-length data ends too early")

// hybridDecoder decodes the mix of run-length and bit-packed runs of the format, used
// for levels, dictionary indices and booleans. Values have width bits.
type hybridDecoder struct {
	b     []byte // what follows the current run
	width uint
	run   int    // values left in the current run
	value uint32 // of a run of equal values
	packs []byte // of a bit-packed run, nil otherwise
	bit   int    // position in packs
}

// newHybrid returns a decoder of b. With a width of 0 every value is 0 and b
// is not looked at.
func newHybrid(b []byte, width uint) hybridDecoder { return hybridDecoder{b: b, width: width} }

// next begins the next run.
func (h *hybridDecoder) next() error {
	n, size := binary.Uvarint(h.b)
	if size <= 0 || n>>1 > 1<<31 {
		return errRuns
	}
	h.b = h.b[size:]
	if n&1 == 0 {
		bytes := int(h.width+7) / 8
		if len(h.b) < bytes {
			return errRuns
		}
		var v uint32
		for i := range bytes {
			v |= uint32(h.b[i]) << (8 * i)
		}
		if h.width < 32 && v>>h.width != 0 {
			return errors.New("a run-length value has more bits than it may")
		}
		h.b, h.run, h.value, h.packs = h.b[bytes:], int(n>>1), v, nil
		return nil
	}
	// The last run may be cut short where no values follow.
	groups := int(n >> 1)
	bytes := min(groups*int(h.width), len(h.b))
	h.run = min(groups*8, bytes*8/int(h.width))
	h.packs, h.b, h.bit = h.b[:bytes:bytes], h.b[bytes:], 0
	if h.run == 0 && groups > 0 {
		return errRuns
	}
	return nil
}

// fillRuns decodes len(dst) values.
func fillRuns[T uint8 | uint32](h *hybridDecoder, dst []T) error {
	if h.width == 0 {
		clear(dst)
		return nil
	}
	for len(dst) > 0 {
		for h.run == 0 {
			if err := h.next(); err != nil {
				return err
			}
		}
		n := min(h.run, len(dst))
		if h.packs == nil {
			v := T(h.value)
			for i := range dst[:n] {
				dst[i] = v
			}
		} else {
			unpack(dst[:n], h.packs, h.bit, h.width)
			h.bit += n * int(h.width)
		}
		h.run -= n
		dst = dst[n:]
	}
	return nil
}

// unpack reads len(dst) numbers of width ≤ 32 bits, lowest bit first, from bit
// position bit of b, which must hold them.
func unpack[T uint8 | uint32](dst []T, b []byte, bit int, width uint) {
	mask := uint64(1)<<width - 1
	i := 0
	for ; i < len(dst) && bit>>3+8 <= len(b); i++ {
		dst[i] = T(binary.LittleEndian.Uint64(b[bit>>3:]) >> (bit & 7) & mask)
		bit += int(width)
	}
	for ; i < len(dst); i++ {
		dst[i] = T(tail(b[bit>>3:]) >> (bit & 7) & mask)
		bit += int(width)
	}
}

// tail returns the first bytes of b, up to 8, as a little-endian number.
func tail(b []byte) uint64 {
	var v uint64
	for i := range min(len(b), 8) {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

// appendHybrid encodes numbers below 2^width in Parquet's hybrid of run
// lengths and bit packing: eight or more equal numbers become a run, others
// are packed in groups of eight. The last group is filled up with zeros.
func appendHybrid(dst []byte, v []uint32, width int) []byte {
	literal := 0 // start of the numbers that wait to be packed
	for i := 0; i < len(v); {
		run := 1
		for i+run < len(v) && v[i+run] == v[i] {
			run++
		}
		if run < 8 {
			i = min(i+8, len(v))
			continue
		}
		dst = appendPacked(dst, v[literal:i], width)
		dst = binary.AppendUvarint(dst, uint64(run)<<1)
		for shift := 0; shift < width; shift += 8 {
			dst = append(dst, byte(v[i]>>shift))
		}
		i += run
		literal = i
	}
	return appendPacked(dst, v[literal:], width)
}

// appendPacked packs numbers into bits, the lowest first.
func appendPacked(dst []byte, v []uint32, width int) []byte {
	if len(v) == 0 {
		return dst
	}
	groups := (len(v) + 7) / 8
	dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
	end := len(dst) + groups*width
	var acc uint64
	bits := 0
	for _, x := range v {
		acc |= uint64(x) << bits
		for bits += width; bits >= 8; bits -= 8 {
			dst = append(dst, byte(acc))
			acc >>= 8
		}
	}
	if bits > 0 {
		dst = append(dst, byte(acc))
	}
	for len(dst) < end {
		dst = append(dst, 0)
	}
	return dst
}
