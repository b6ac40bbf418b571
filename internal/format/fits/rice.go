package fits

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// riceBlock is how many differences share one width (FITS Standard 4.0, section
// 10.4.1).
const riceBlock = 32

// riceCode is how the integers of a width in bytes are coded: the bits that say how
// many low bits of a difference are stored as they are, and their number that
// stands for differences stored whole.
var riceCode = map[int]struct{ bits, whole int }{1: {3, 6}, 2: {4, 14}, 4: {5, 25}}

var errRice = errors.New("its compressed bytes (RICE_1) end early")

// unrice undoes RICE_1: it fills dst with big-endian integers of the given width.
func unrice(dst, src []byte, width int) error {
	code, all := riceCode[width], 8*width
	in := bitReader{src: src}
	last := in.take(all)
	for left := len(dst) / width; left > 0; {
		n := min(left, riceBlock)
		left -= n
		low := in.take(code.bits) - 1
		for range n {
			var v uint32 // the difference; its lowest bit is the sign
			switch {
			case int32(low) < 0:
			case int(low) == code.whole:
				v = in.take(all)
			default:
				v = in.zeros()<<low | in.take(int(low))
			}
			last += v>>1 ^ -(v & 1)
			switch width {
			case 1:
				dst[0] = byte(last)
			case 2:
				binary.BigEndian.PutUint16(dst, uint16(last))
			default:
				binary.BigEndian.PutUint32(dst, last)
			}
			dst = dst[width:]
		}
		if in.over {
			return errRice
		}
	}
	return nil
}

// A bitReader reads bits, the highest of each byte first.
type bitReader struct {
	src  []byte
	next uint64 // bits that come next, from the highest on; zeros behind them
	have int    // their number
	over bool   // more were asked for than there are
}

func (r *bitReader) fill() {
	for r.have <= 56 && len(r.src) > 0 {
		r.next |= uint64(r.src[0]) << (56 - r.have)
		r.have += 8
		r.src = r.src[1:]
	}
}

// take returns the next n bits, at most 32.
func (r *bitReader) take(n int) uint32 {
	if r.have < n {
		r.fill()
	}
	v := uint32(r.next >> 32 >> (32 - n))
	r.skip(n)
	return v
}

func (r *bitReader) skip(n int) {
	r.over = r.over || n > r.have
	r.next <<= n
	r.have = max(0, r.have-n)
}

// zeros counts the zeros before the next one, and skips it.
func (r *bitReader) zeros() (n uint32) {
	for {
		r.fill()
		z := bits.LeadingZeros64(r.next)
		if z < r.have || r.have == 0 {
			r.skip(z + 1)
			return n + uint32(z)
		}
		n += uint32(r.have)
		r.skip(r.have)
	}
}
