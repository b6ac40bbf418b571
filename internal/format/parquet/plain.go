package parquet

import (
	"encoding/binary"
	"fmt"
	"math"

	"skyjoin/internal/format/parquet/thrift"
)

type plain32 struct{ b []byte }

func newPlain32(_ *Chunk, data []byte, _ int) (decoder[uint32], error) { return &plain32{data}, nil }

func (d *plain32) decode(dst []uint32) error {
	if len(d.b)/4 < len(dst) {
		return errValues(len(d.b), 4*len(dst))
	}
	b := d.b[:4*len(dst)]
	d.b = d.b[len(b):]
	for i := range dst {
		dst[i] = binary.LittleEndian.Uint32(b[4*i : 4*i+4 : 4*i+4])
	}
	return nil
}

type plain64 struct{ b []byte }

func newPlain64(_ *Chunk, data []byte, _ int) (decoder[uint64], error) { return &plain64{data}, nil }

func (d *plain64) decode(dst []uint64) error {
	if len(d.b)/8 < len(dst) {
		return errValues(len(d.b), 8*len(dst))
	}
	b := d.b[:8*len(dst)]
	d.b = d.b[len(b):]
	for i := range dst {
		dst[i] = binary.LittleEndian.Uint64(b[8*i : 8*i+8 : 8*i+8])
	}
	return nil
}

type plainBool struct {
	b   []byte
	bit int
}

func newPlainBool(_ *Chunk, data []byte, _ int) (decoder[bool], error) {
	return &plainBool{b: data}, nil
}

func (d *plainBool) decode(dst []bool) error {
	if len(d.b)*8-d.bit < len(dst) {
		return errValues(len(d.b), (d.bit+len(dst)+7)/8)
	}
	for i := range dst {
		dst[i] = d.b[d.bit>>3]>>(d.bit&7)&1 != 0
		d.bit++
	}
	return nil
}

type rleBool struct {
	runs hybridDecoder
	buf  [512]uint8
}

func newRLEBool(_ *Chunk, data []byte, _ int) (decoder[bool], error) {
	if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
		return nil, thrift.ErrShort
	}
	n := 4 + int(binary.LittleEndian.Uint32(data))
	return &rleBool{runs: newHybrid(data[4:n], 1)}, nil
}

func (d *rleBool) decode(dst []bool) error {
	for len(dst) > 0 {
		buf := d.buf[:min(len(dst), len(d.buf))]
		if err := fillRuns(&d.runs, buf); err != nil {
			return err
		}
		for i, v := range buf {
			dst[i] = v != 0
		}
		dst = dst[len(buf):]
	}
	return nil
}

// plainBytes cuts values off a copy of the page.
type plainBytes struct {
	s     string
	fixed int // bytes of every value, -1 if each has its length before it
}

func newPlainBytes(c *Chunk, data []byte, n int) (decoder[string], error) {
	return &plainBytes{string(data), fixedLength(c)}, nil
}

func (d *plainBytes) decode(dst []string) error {
	for i := range dst {
		n := d.fixed
		if n < 0 {
			if len(d.s) < 4 {
				return errValues(len(d.s), 4)
			}
			u := uint32(d.s[0]) | uint32(d.s[1])<<8 | uint32(d.s[2])<<16 | uint32(d.s[3])<<24
			if u > math.MaxInt32 {
				return fmt.Errorf("a value of %d bytes", u)
			}
			n, d.s = int(u), d.s[4:]
		}
		if len(d.s) < n {
			return errValues(len(d.s), n)
		}
		dst[i], d.s = d.s[:n], d.s[n:]
	}
	return nil
}
