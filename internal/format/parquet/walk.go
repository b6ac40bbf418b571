package parquet

import (
	"fmt"
	"io"
)

// walkPages reads the headers of a chunk's pages, not what is in them, and reports
// whether they follow each other to the chunk's end and hold its values. It is
// what can be checked of a chunk that is copied as it is, for next to nothing:
// bytes that are missing or inserted anywhere in a file move its pages.
func walkPages(src io.ReaderAt, c *Chunk) error {
	values := int64(0)
	p := pager{chunk: c, src: src, pos: c.Offset, end: c.Offset + c.Size}
	defer p.release()
	for {
		h, ok, err := p.header()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if err := p.pass(&h); err != nil {
			return err
		}
		if h.Kind == dataPage || h.Kind == dataPageV2 {
			values += int64(h.values())
		}
	}
	if values != c.Values {
		return fmt.Errorf("its pages hold %d values, it should have %d", values, c.Values)
	}
	return nil
}
