package catalog

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"skyjoin/internal/format"
)

// Sizes of what is read of a text file at a time.
const (
	textBlock  = 1 << 20 // bytes of a block of rows, if one row is not longer
	maxTextRow = 1 << 28 // bytes of a row, beyond which a quote must be open
)

// errRowTooLong stops a file in which a quote is never closed from being read
// into memory.
var errRowTooLong = errors.New("a row is longer than 256 MiB, or a quote before it is never closed")

// openText opens a text file, decompressed if its name ends in .gz, without
// its byte order mark, at byte offset at of the text.
func openText(path string, at int64) (io.ReadCloser, error) {
	f, err := format.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	t := &textFile{Reader: f, close: []io.Closer{f}}
	if err := t.start(at, strings.HasSuffix(strings.ToLower(path), ".gz")); err != nil {
		f.Close()
		return nil, err
	}
	return t, nil
}

// byteOrderMark may stand at the start of UTF-8 text.
const byteOrderMark = "\xef\xbb\xbf"

type textFile struct {
	io.Reader
	close []io.Closer
}

// start puts t at byte offset at of the text.
func (t *textFile) start(at int64, compressed bool) error {
	if compressed {
		if err := t.gunzip(); err != nil {
			return err
		}
	}
	var head [len(byteOrderMark)]byte
	n, err := readFull(t.Reader, head[:])
	if err != nil && err != io.EOF {
		return err
	}
	mark := 0
	if string(head[:n]) == byteOrderMark {
		mark = n
	}
	if f, ok := t.Reader.(io.Seeker); ok {
		_, err := f.Seek(int64(mark)+at, io.SeekStart)
		return err
	}
	t.Reader = io.MultiReader(bytes.NewReader(head[mark:n]), t.Reader)
	if _, err := io.CopyN(io.Discard, t.Reader, at); err != nil && err != io.EOF {
		return err
	}
	return nil
}

// gunzip makes t the text that it is, decompressed.
func (t *textFile) gunzip() error {
	z, err := gzip.NewReader(t.Reader)
	if err != nil {
		return gzipError(err)
	}
	t.Reader, t.close = gunzipped{z}, append([]io.Closer{z}, t.close...)
	return nil
}

func (t *textFile) Close() error {
	var err error
	for _, c := range t.close {
		err = errors.Join(err, c.Close())
	}
	return err
}

// gunzipped is decompressed text, with errors that say what is wrong.
type gunzipped struct{ *gzip.Reader }

func (g gunzipped) Read(buf []byte) (int, error) {
	n, err := g.Reader.Read(buf)
	return n, gzipError(err)
}

func gzipError(err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case err == io.ErrUnexpectedEOF:
		return errors.New("the compressed data ends early: the file is truncated")
	default:
		return fmt.Errorf("the compressed data is corrupt: %w", err)
	}
}

// A blockReader hands out a text in blocks of whole rows, in order. It is safe
// for concurrent use.
type blockReader struct {
	dialect *dialect
	mu      sync.Mutex
	r       io.Reader
	size    int    // usual bytes of a block
	carry   []byte // of the block before, after its last whole row
	index   int    // of the next block
	err     error  // that ended the blocks
}

func newBlockReader(r io.Reader, d *dialect) *blockReader {
	return &blockReader{dialect: d, r: r, size: textBlock}
}

// next returns the next block, its index, and io.EOF after the last one. buf
// is memory to use for it.
func (b *blockReader) next(buf []byte) ([]byte, int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return nil, 0, b.err
	}
	buf = append(buf[:0], b.carry...)
	for size := b.size; ; size *= 2 {
		if size > maxTextRow {
			b.err = errRowTooLong
			return nil, 0, b.err
		}
		have := len(buf)
		if cap(buf) < size {
			buf = append(make([]byte, 0, size), buf...)
		}
		n, err := readFull(b.r, buf[have:max(size, have)])
		buf = buf[:have+n]
		if err == io.EOF {
			if b.err = io.EOF; len(buf) == 0 {
				return nil, 0, b.err
			}
			break
		}
		if err != nil {
			b.err = err
			return nil, 0, err
		}
		if end := b.dialect.lastRowEnd(buf); end > 0 {
			b.carry = append(b.carry[:0], buf[end:]...)
			buf = buf[:end]
			break
		}
	}
	b.index++
	return buf, b.index - 1, nil
}

// each takes blocks until the text ends, and hands them to do with their number
// from 0. A block is valid until do returns.
func (b *blockReader) each(ctx context.Context, do func(block []byte, index int) error) error {
	var buf []byte
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		block, index, err := b.next(buf)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = do(block, index)
		}
		if err != nil {
			return err
		}
		buf = block
	}
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

// stop ends the blocks: next returns io.EOF.
func (b *blockReader) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = io.EOF
}

// textError places an error in a file: "line 17: …".
func textError(line int, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", line, fmt.Errorf(format, args...))
}
