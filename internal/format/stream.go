package format

import (
	"context"
	"errors"
	"io"
	"os"
)

// ByteOrderMark may stand at the start of UTF-8 text.
const ByteOrderMark = "\xef\xbb\xbf"

// OpenAt opens the decompressed contents of a file at a byte offset. If the file is
// not compressed the result is an *os.File. Whether it is, its first bytes tell.
func OpenAt(path string, at int64) (io.ReadCloser, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	var r io.ReadCloser = f
	if c := compressionOf(f); c == nil {
		_, err = f.Seek(at, io.SeekStart)
	} else if r, err = decompress(c, f); err == nil {
		_, err = io.CopyN(io.Discard, r, at)
	}
	if err != nil && err != io.EOF {
		f.Close()
		return nil, Bare(err)
	}
	return r, nil
}

// IsCompressed reports whether a file is read through a decompressor, by its first
// bytes.
func IsCompressed(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return compressionOf(f) != nil
}

// decompressed is the contents of a compressed file, with readable errors.
type decompressed struct {
	io.Reader
	of   *compression
	file *os.File
}

func decompress(c *compression, f *os.File) (io.ReadCloser, error) {
	r, err := c.open(f)
	if err == io.EOF { // within its header
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, c.failed(err)
	}
	return &decompressed{r, c, f}, nil
}

// Read implements io.Reader.
func (d *decompressed) Read(buf []byte) (int, error) {
	n, err := d.Reader.Read(buf)
	return n, d.of.failed(err)
}

// Close closes the file.
func (d *decompressed) Close() error {
	if c, ok := d.Reader.(io.Closer); ok {
		return errors.Join(c.Close(), d.file.Close())
	}
	return d.file.Close()
}

// UntilDone is a reader that ends with its context.
type UntilDone struct {
	Ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (u UntilDone) Read(b []byte) (int, error) {
	if u.Ctx.Err() != nil {
		return 0, context.Cause(u.Ctx)
	}
	return u.Reader.Read(b)
}
