package format

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ByteOrderMark may stand at the start of UTF-8 text.
const ByteOrderMark = "\xef\xbb\xbf"

// IsCompressed reports whether a file is read through gzip, by its name.
func IsCompressed(path string) bool { return strings.HasSuffix(strings.ToLower(path), ".gz") }

// OpenAt opens the decompressed contents of a file at a byte offset. If the file is
// not compressed the result is an *os.File.
func OpenAt(path string, at int64) (io.ReadCloser, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	var r io.ReadCloser = f
	if !IsCompressed(path) {
		_, err = f.Seek(at, io.SeekStart)
	} else if r, err = gunzip(f); err == nil {
		_, err = io.CopyN(io.Discard, r, at)
	}
	if err != nil && err != io.EOF {
		f.Close()
		return nil, Bare(err)
	}
	return r, nil
}

// gunzipped is decompressed data, with readable errors.
type gunzipped struct {
	*gzip.Reader
	file *os.File
}

func gunzip(f *os.File) (io.ReadCloser, error) {
	z, err := gzip.NewReader(f)
	return gunzipped{z, f}, gzipError(err)
}

// Read implements io.Reader.
func (g gunzipped) Read(buf []byte) (int, error) {
	n, err := g.Reader.Read(buf)
	return n, gzipError(err)
}

// Close closes the file.
func (g gunzipped) Close() error { return errors.Join(g.Reader.Close(), g.file.Close()) }

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
