package format

import (
	"archive/zip"
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A compression is a way to compress files.
type compression struct {
	name       string
	magic      string   // that files start with
	extensions []string // of compressed files, after their own
	open       func(f *os.File) (io.Reader, error)
}

// compressions are those that are read.
var compressions = []compression{
	{"gzip", "\x1f\x8b\x08", []string{".gz", ".gzip"}, func(f *os.File) (io.Reader, error) { return gzip.NewReader(f) }},
	{"bzip2", "BZh", []string{".bz2"}, func(f *os.File) (io.Reader, error) { return bzip2.NewReader(f), nil }},
	{"xz", "\xfd7zXZ\x00", []string{".xz"}, openXZ},
	{"zstd", "\x28\xb5\x2f\xfd", []string{".zst", ".zstd"}, openZstd},
	{"zstd", "\x50\x2a\x4d\x18", nil, openZstd}, // of pzstd, which begins with a frame to skip
	{"LZ4", "\x04\x22\x4d\x18", []string{".lz4"}, openLZ4},
	{"LZ4", "\x02\x21\x4c\x18", nil, openLZ4}, // its first form
	{"ZIP", "PK\x03\x04", []string{".zip"}, openZIP},
}

// compressionOf returns the compression of a file by its first bytes, nil if it has
// none. The file is at its start afterwards.
func compressionOf(f *os.File) *compression {
	var head [10]byte
	n, _ := f.ReadAt(head[:], 0) // a file that cannot be read says so later
	for i := range compressions {
		c := &compressions[i]
		if !strings.HasPrefix(string(head[:n]), c.magic) {
			continue
		}
		// After the size of the blocks, bzip2 has a number that is no text.
		if c.name == "bzip2" && (n < 10 || string(head[4:10]) != "1AY&SY" && string(head[4:10]) != "\x17rE8P\x90") {
			continue
		}
		if c.name == "ZIP" && isArrays(f) {
			continue
		}
		return c
	}
	return nil
}

// isArrays reports whether a ZIP archive has arrays of numpy and nothing else: an .npz
// file, which is one catalog.
func isArrays(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	z, err := zip.NewReader(f, info.Size())
	return err == nil && len(z.File) > 0 && !slices.ContainsFunc(z.File, func(m *zip.File) bool { return path.Ext(m.Name) != ".npy" })
}

// Uncompressed returns a name without the end that says that the file is compressed.
func Uncompressed(name string) string {
	for _, c := range compressions {
		for _, e := range c.extensions {
			if n := len(name) - len(e); n > 0 && strings.EqualFold(name[n:], e) {
				return name[:n]
			}
		}
	}
	return name
}

// failed is an error of the compressed data.
func (c *compression) failed(err error) error {
	switch {
	case err == nil || err == io.EOF || errors.Is(err, errArchive):
		return err
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return errWindow(mostWindow, "write it again with zstd --long=28 or less: zstd -dc --long=31 FILE | zstd > NEW")
	case errors.Is(err, zip.ErrFormat):
		return errors.New("the ZIP archive has no list of its files at its end: it is truncated or damaged")
	case errors.Is(err, io.ErrUnexpectedEOF) && c.name == "bzip2": // of damaged blocks, too
		return errors.New("the compressed data ends early: the file is truncated or damaged")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the compressed data ends early: the file is truncated")
	default:
		return fmt.Errorf("the compressed data is corrupt: %s: %w", c.name, err)
	}
}

// mostWindow bounds the window of a zstd file: what zstd --long=28 takes.
const mostWindow = 1 << 28

func openZstd(f *os.File) (io.Reader, error) {
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(mostWindow))
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}

// frames are the contents of all frames of an LZ4 file.
type frames struct {
	from *bufio.Reader
	of   *lz4.Reader
}

func openLZ4(f *os.File) (io.Reader, error) {
	from := bufio.NewReaderSize(f, 1<<16)
	return &frames{from, lz4.NewReader(from)}, nil
}

// Read implements io.Reader.
func (f *frames) Read(b []byte) (int, error) {
	n, err := f.of.Read(b)
	if err == io.EOF {
		if _, more := f.from.Peek(1); more == nil {
			f.of.Reset(f.from)
			err = nil
		}
	}
	return n, err
}

// errArchive marks errors that say what an archive has, not that it is damaged.
var errArchive = errors.New("archive")

// openZIP opens the only file of an archive.
func openZIP(f *os.File) (io.Reader, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, err
	}
	var files []*zip.File
	for _, m := range z.File {
		if base := path.Base(m.Name); !m.FileInfo().IsDir() && !strings.HasPrefix(m.Name, "__MACOSX/") && base[0] != '.' {
			files = append(files, m)
		}
	}
	switch {
	case len(files) == 0:
		return nil, Mark(errors.New("it is a ZIP archive without a file"), errArchive)
	case isWorkbook(files):
		return nil, Mark(errors.New("it is a workbook of a spreadsheet program; save the sheet as CSV"), errArchive)
	case len(files) > 1:
		return nil, Mark(fmt.Errorf("it is a ZIP archive of %d files, %s and %s%s; one is read: unzip it, and give a file or the folder",
			len(files), Clip(files[0].Name), Clip(files[1].Name), map[bool]string{true: ", …"}[len(files) > 2]), errArchive)
	case files[0].Flags&1 != 0:
		return nil, Mark(errors.New("it is a ZIP archive with a password; unzip it"), errArchive)
	}
	r, err := files[0].Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		err = Mark(fmt.Errorf("the file in the ZIP archive is compressed in a way that is not read (method %d); unzip it", files[0].Method), errArchive)
	}
	return r, err
}

// isWorkbook reports whether an archive is an .xlsx or .ods file.
func isWorkbook(files []*zip.File) bool {
	for _, m := range files {
		if m.Name == "xl/workbook.xml" || m.Name == "content.xml" {
			return true
		}
	}
	return false
}
