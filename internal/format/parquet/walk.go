package parquet

import (
	"errors"
	"fmt"
	"io"

	"skyjoin/internal/format/parquet/thrift"
)

// walk reads the headers of a chunk's pages, not what is in them, and reports
// whether they follow each other to the chunk's end and hold its values. It is
// what can be checked of a chunk that is copied as it is, for next to nothing:
// bytes that are missing or inserted anywhere in a file move its pages.
func walk(src io.ReaderAt, c *Chunk) error {
	values, pos, end := int64(0), c.Offset, c.Offset+c.Size
	for pos < end {
		h, size, err := headerAt(src, pos, end)
		if err != nil {
			return fmt.Errorf("page header: %w", err)
		}
		if pos += int64(size); int64(h.Packed) > end-pos {
			return fmt.Errorf("a page of %d bytes ends after the chunk", h.Packed)
		}
		pos += int64(h.Packed)
		if h.Kind == dataPage || h.Kind == dataPageV2 {
			values += int64(h.values())
		}
	}
	if values != c.Values {
		return fmt.Errorf("its pages hold %d values, it should have %d", values, c.Values)
	}
	return nil
}

// headerAt parses the header at pos, before end, and returns its length.
func headerAt(src io.ReaderAt, pos, end int64) (h pageHeader, size int, err error) {
	var buf [256]byte
	for n := int64(len(buf)); ; n *= 8 {
		b := buf[:min(n, end-pos, int64(len(buf)))]
		if n > int64(len(buf)) {
			b = make([]byte, min(n, end-pos))
		}
		if got, err := src.ReadAt(b, pos); got < len(b) {
			if err == io.EOF {
				err = errors.New("the file ends within it")
			}
			return h, 0, err
		}
		if h, size, err = parseHeader(b); err != thrift.ErrShort || int64(len(b)) < n {
			return h, size, err
		}
	}
}
