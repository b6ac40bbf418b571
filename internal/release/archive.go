package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// An entry is a file of an archive.
type entry struct {
	name string // with slashes
	data []byte
	mode fs.FileMode
}

func fileEntry(name, path string, mode fs.FileMode) (entry, error) {
	b, err := os.ReadFile(path)
	return entry{name, b, mode}, err
}

// archive writes the archive of a target: .zip for Windows, .tar.gz for the others.
func (r *release) archive(t target, files []entry) error {
	name := t.archive(r.version)
	make, ext := r.tarball, ".tar.gz"
	if t.os == "windows" {
		make, ext = r.zipped, ".zip"
	}
	b, err := make(name, files)
	if err != nil {
		return err
	}
	return write(filepath.Join(r.dir, name+ext), b)
}

// tarball packs files into a folder, in the order of their names, of one time and
// nobody's.
func (r *release) tarball(folder string, files []entry) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, e := range sorted(files) {
		h := tar.Header{Typeflag: tar.TypeReg, Name: path.Join(folder, e.name), Size: int64(len(e.data)), Mode: int64(e.mode), ModTime: r.at, Format: tar.FormatPAX}
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

// zipped is tarball for Windows.
func (r *release) zipped(folder string, files []entry) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range sorted(files) {
		h := zip.FileHeader{Name: path.Join(folder, e.name), Method: zip.Deflate, Modified: r.at}
		h.SetMode(e.mode)
		f, err := w.CreateHeader(&h)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(e.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func sorted(files []entry) []entry {
	return slices.SortedFunc(slices.Values(files), func(a, b entry) int { return cmp.Compare(a.name, b.name) })
}

// sums writes the SHA-256 of all files, as 'sha256sum -c' reads them.
func (r *release) sums() error {
	found, err := filepath.Glob(filepath.Join(r.dir, "*"))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(text), filepath.Base(path))
	}
	return write(filepath.Join(r.dir, "SHA256SUMS"), b.Bytes())
}

func write(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644)
}
