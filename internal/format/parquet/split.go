package parquet

import (
	"fmt"
)

// BYTE_STREAM_SPLIT holds byte k of every value in stream k, one stream after
// the other: value i is the bytes i, n+i, 2n+i, …

// joined puts the bytes of all values of width bytes in order.
func joined(data []byte, width int) ([]byte, error) {
	if width <= 0 || len(data)%width != 0 {
		return nil, fmt.Errorf("%d bytes do not split into %d streams", len(data), width)
	}
	n := len(data) / width
	b := make([]byte, len(data))
	for k := range width {
		for i, v := range data[k*n : (k+1)*n] {
			b[i*width+k] = v
		}
	}
	return b, nil
}

func newSplit32(_ *Chunk, data []byte, _ int) (decoder[uint32], error) {
	b, err := joined(data, 4)
	return &plain32{b}, err
}

func newSplit64(_ *Chunk, data []byte, _ int) (decoder[uint64], error) {
	b, err := joined(data, 8)
	return &plain64{b}, err
}

func newSplitBytes(c *Chunk, data []byte, _ int) (decoder[string], error) {
	width := fixedLength(c)
	b, err := joined(data, width)
	return &plainBytes{string(b), width}, err
}
