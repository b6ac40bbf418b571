package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// delta decodes DELTA_BINARY_PACKED: a first value, then blocks of differences
// less their minimum, in miniblocks with a bit width each. All arithmetic
// wraps around.
type delta[T uint32 | uint64] struct {
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
	if len(data) == 0 {
		return &delta[T]{}, nil // a page of nulls
	}
	return parseDelta[T](data, n)
}

// parseDelta reads the head of an encoding of at most n values.
func parseDelta[T uint32 | uint64](data []byte, n int) (*delta[T], error) {
	d := &delta[T]{b: data, first: true}
	block, e1 := d.uvarint()
	minis, e2 := d.uvarint()
	total, e3 := d.uvarint()
	last, e4 := d.uvarint()
	if err := errors.Join(e1, e2, e3, e4); err != nil {
		return nil, errShort
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

func (d *delta[T]) uvarint() (uint64, error) {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		return 0, errShort
	}
	d.b = d.b[n:]
	return v, nil
}

func (d *delta[T]) decode(dst []T) error {
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

func (d *delta[T]) nextMini() error {
	if len(d.widths) == 0 {
		lowest, err := d.uvarint()
		if err != nil || len(d.b) < d.minis {
			return errShort
		}
		d.min, d.widths, d.b = unzigzag(lowest), d.b[:d.minis], d.b[d.minis:]
	}
	d.miniWidth, d.widths = uint(d.widths[0]), d.widths[1:]
	if d.miniWidth > 64 {
		return fmt.Errorf("differences of %d bits", d.miniWidth)
	}
	size := d.miniSize / 8 * int(d.miniWidth)
	if len(d.b) < size {
		return errShort
	}
	d.packs, d.b, d.bit, d.miniLeft = d.b[:size], d.b[size:], 0, d.miniSize
	return nil
}

// unpack decodes len(dst) values of the current miniblock.
func (d *delta[T]) unpack(dst []T) {
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

// lengths decodes the n or fewer lengths at the start of data and returns them
// with what follows.
func lengths(data []byte, n int) ([]uint32, []byte, error) {
	d, err := parseDelta[uint32](data, n)
	if err != nil {
		return nil, nil, err
	}
	out := make([]uint32, d.left)
	if err := d.decode(out); err != nil {
		return nil, nil, err
	}
	return out, d.b, nil
}

// deltaLength decodes DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes.
type deltaLength struct {
	s       string
	lengths []uint32
}

func newDeltaLength(_ *Chunk, data []byte, n int) (decoder[string], error) {
	if len(data) == 0 {
		return &deltaLength{}, nil // a page of nulls
	}
	return parseDeltaLength(data, n)
}

func parseDeltaLength(data []byte, n int) (*deltaLength, error) {
	l, rest, err := lengths(data, n)
	if err != nil {
		return nil, err
	}
	return &deltaLength{string(rest), l}, nil
}

func (d *deltaLength) decode(dst []string) error {
	if len(dst) > len(d.lengths) {
		return fmt.Errorf("it holds %d values too few", len(dst)-len(d.lengths))
	}
	for i, n := range d.lengths[:len(dst)] {
		if uint64(n) > uint64(len(d.s)) {
			return errValues(len(d.s), int(n))
		}
		dst[i], d.s = d.s[:n], d.s[n:]
	}
	d.lengths = d.lengths[len(dst):]
	return nil
}

// deltaBytes decodes DELTA_BYTE_ARRAY: for every value how many bytes it
// shares with the one before, then the rest of each.
type deltaBytes struct {
	shared []uint32
	rest   *deltaLength
	last   string
	fixed  int
	suffix []string
	budget int
}

// maxShared bounds the bytes that the values of a page copy from the ones
// before them, per byte of the page: a chain of ever longer values could
// otherwise ask for any amount of memory.
const maxShared = 1 << 12

func newDeltaBytes(c *Chunk, data []byte, n int) (decoder[string], error) {
	if len(data) == 0 {
		return &deltaBytes{}, nil // a page of nulls
	}
	shared, rest, err := lengths(data, n)
	if err != nil {
		return nil, err
	}
	suffixes, err := parseDeltaLength(rest, n)
	if err != nil {
		return nil, err
	}
	return &deltaBytes{shared: shared, rest: suffixes, fixed: fixedLength(c), budget: maxShared * len(data)}, nil
}

// follow lets the first value of the page share with the last value of the
// page before, as some writers have it (PARQUET-246); pages of others begin
// with a value that shares nothing.
func (d *deltaBytes) follow(before any) {
	if b, ok := before.(*deltaBytes); ok {
		d.last = b.last
	}
}

func (d *deltaBytes) decode(dst []string) error {
	if len(dst) > len(d.shared) {
		return fmt.Errorf("it holds %d values too few", len(dst)-len(d.shared))
	}
	if cap(d.suffix) < len(dst) {
		d.suffix = make([]string, len(dst))
	}
	suffix := d.suffix[:len(dst)]
	if err := d.rest.decode(suffix); err != nil {
		return err
	}
	for i, n := range d.shared[:len(dst)] {
		if uint64(n) > uint64(len(d.last)) {
			return fmt.Errorf("a value shares %d bytes with one of %d", n, len(d.last))
		}
		if suffix[i] == "" {
			dst[i] = d.last[:n]
		} else {
			if d.budget -= int(n); d.budget < 0 {
				return errors.New("its values are far longer than its bytes can make them")
			}
			dst[i] = d.last[:n] + suffix[i]
		}
		if d.last = dst[i]; d.fixed >= 0 && len(d.last) != d.fixed {
			return fmt.Errorf("a value of %d bytes, they all have %d", len(d.last), d.fixed)
		}
	}
	d.shared = d.shared[len(dst):]
	return nil
}
