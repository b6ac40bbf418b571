package parquet

import (
	"errors"
	"fmt"
)

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
