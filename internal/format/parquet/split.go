package parquet

import "fmt"

// BYTE_STREAM_SPLIT holds byte k of every value in stream k, one stream after
// the other: value i is the bytes i, n+i, 2n+i, …

// stride returns the number of values of width bytes that data holds.
func stride(data []byte, width int) (int, error) {
	if width <= 0 || len(data)%width != 0 {
		return 0, fmt.Errorf("%d bytes do not split into %d streams", len(data), width)
	}
	return len(data) / width, nil
}

type split32 struct {
	b     []byte
	at, n int
}

func newSplit32(_ *Chunk, data []byte, _ int) (decoder[uint32], error) {
	n, err := stride(data, 4)
	return &split32{b: data, n: n}, err
}

func (d *split32) decode(dst []uint32) error {
	if d.n-d.at < len(dst) {
		return errValues(len(d.b), 4*(d.at+len(dst)))
	}
	s0, s1, s2, s3 := d.b[d.at:][:len(dst)], d.b[d.n+d.at:][:len(dst)], d.b[2*d.n+d.at:][:len(dst)], d.b[3*d.n+d.at:][:len(dst)]
	for i := range dst {
		dst[i] = uint32(s0[i]) | uint32(s1[i])<<8 | uint32(s2[i])<<16 | uint32(s3[i])<<24
	}
	d.at += len(dst)
	return nil
}

type split64 struct{ lo, hi split32 }

func newSplit64(_ *Chunk, data []byte, _ int) (decoder[uint64], error) {
	n, err := stride(data, 8)
	return &split64{split32{b: data[:4*n], n: n}, split32{b: data[4*n:], n: n}}, err
}

func (d *split64) decode(dst []uint64) error {
	var lo, hi [512]uint32
	for len(dst) > 0 {
		n := min(len(dst), len(lo))
		if err := d.lo.decode(lo[:n]); err != nil {
			return err
		}
		if err := d.hi.decode(hi[:n]); err != nil {
			return err
		}
		for i := range dst[:n] {
			dst[i] = uint64(lo[i]) | uint64(hi[i])<<32
		}
		dst = dst[n:]
	}
	return nil
}

// newSplitBytes puts the bytes of all values in order first.
func newSplitBytes(c *Chunk, data []byte, _ int) (decoder[string], error) {
	width := fixedLength(c)
	n, err := stride(data, width)
	if err != nil {
		return nil, err
	}
	b := make([]byte, len(data))
	for k := range width {
		for i, v := range data[k*n : (k+1)*n] {
			b[i*width+k] = v
		}
	}
	return &plainBytes{string(b), width}, nil
}
