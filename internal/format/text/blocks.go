package text

import (
	"fmt"
	"io"

	"skyjoin/internal/format"
)

// Sizes of the parts in which a text file is read.
const (
	blockBytes = 1 << 20        // of a block of rows, if one row is not longer
	maxRow     = format.MostRow // beyond which a quote must be open
)

// errRowTooLong ends the reading of a file in which a quote is never closed before
// all of it is in memory.
var errRowTooLong = fmt.Errorf("a row is longer than %d MiB, or a quote before it is never closed", maxRow>>20)

// A blockReader divides a text into blocks of whole rows.
type blockReader struct {
	dialect *dialect
	r       io.Reader
	size    int    // usual bytes of a block
	carry   []byte // of the block before, after its last whole row
	over    bool   // the text has ended
}

func newBlockReader(r io.Reader, d *dialect) *blockReader {
	return &blockReader{dialect: d, r: r, size: blockBytes}
}

// next returns the next block, and io.EOF after the last one. buf is memory to
// use for it.
func (b *blockReader) next(buf []byte) ([]byte, error) {
	buf = append(buf[:0], b.carry...)
	for size := b.size; !b.over; size *= 2 {
		if size > maxRow {
			return nil, errRowTooLong
		}
		have := len(buf)
		if cap(buf) < size {
			buf = append(make([]byte, 0, size), buf...)
		}
		n, err := readFull(b.r, buf[have:max(size, have)])
		buf = buf[:have+n]
		if b.over = err == io.EOF; b.over {
			break
		}
		if err != nil {
			return nil, err
		}
		if end := b.dialect.lastRowEnd(buf); end > 0 {
			b.carry = append(b.carry[:0], buf[end:]...)
			return buf[:end], nil
		}
	}
	if b.carry = nil; len(buf) == 0 {
		return nil, io.EOF
	}
	return buf, nil
}

// readFull fills buf. At the end of the text it returns io.EOF, and so tells it
// from compressed data that end early, which io.ReadFull does not.
func readFull(r io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	if n == len(buf) && err == io.EOF {
		err = nil // comes again
	}
	return n, err
}
