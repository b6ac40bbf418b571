package parquet

import (
	"fmt"
)

// A Value is what physical values are decoded to: Int32 and Float to uint32
// and Int64 and Double to uint64, as their bits, Boolean to bool, all others
// to strings of their bytes.
type Value interface {
	uint32 | uint64 | bool | string
}

// A decoder decodes the values of a page.
type decoder[T Value] interface {
	// decode fills dst or returns an error.
	decode(dst []T) error
}

// A newDecoder makes the decoder of a page with at most n values.
type newDecoder[T Value] func(c *Chunk, data []byte, n int) (decoder[T], error)

// noValues are those of a page without any.
type noValues[T Value] struct{ before decoder[T] }

func (noValues[T]) decode(dst []T) error {
	return fmt.Errorf("it holds %d values too few", len(dst))
}

// errValues says that the data of a page is too short for its values.
func errValues(have, want int) error {
	return fmt.Errorf("%d bytes, its values need %d", have, want)
}

// fixedLength returns the length of all values of the chunk, -1 if they have
// their own.
func fixedLength(c *Chunk) int {
	switch c.Physical {
	case FixedLenByteArray:
		return c.Length
	case Int96:
		return 12
	}
	return -1
}
