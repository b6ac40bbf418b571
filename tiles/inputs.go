package tiles

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"

	"skyjoin/internal/each"
	"skyjoin/io/catalog"
)

// files describes the present state of the files of a catalog.
func files(cat *catalog.Catalog) ([]File, error) {
	var out []File
	for _, f := range cat.Files() {
		path, err := filepath.Abs(f.Path)
		if err != nil {
			return nil, err
		}
		d, err := describe(path)
		if err != nil {
			return nil, err
		}
		d.Rows, d.Extension = f.Rows, f.Extension
		out = append(out, d)
	}
	return out, nil
}

// hashed is how many bytes are hashed at the beginning and at the end of a file: the
// footer of a Parquet file reflects every change.
const hashed = 64 << 10

func describe(path string) (File, error) {
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return File{}, err
	}
	h := sha256.New()
	_, err = io.Copy(h, io.NewSectionReader(f, 0, min(hashed, st.Size())))
	if err == nil {
		_, err = io.Copy(h, io.NewSectionReader(f, max(0, st.Size()-hashed), hashed))
	}
	if err != nil {
		return File{}, err
	}
	return File{
		Path: path, Bytes: st.Size(), Modified: st.ModTime().UTC().Format("2006-01-02T15:04:05.999999999Z07:00"),
		Hash: hex.EncodeToString(h.Sum(nil)[:16]),
	}, nil
}

// open opens a file of a set as the plan read it.
func (s *Set) open(ctx context.Context, file, threads int) (*catalog.Catalog, error) {
	return catalog.Open(ctx, []string{s.Files[file].name()}, s.Options(threads))
}

// Options are those that the catalog of the plan was opened with.
func (s *Set) Options(threads int) catalog.Options {
	return catalog.Options{Format: s.Format, Names: s.Labels, Null: s.Null, Define: s.Define, Threads: threads}
}

// Names returns the names with which catalog.Open opens the set.
func (s *Set) Names() []string {
	return each.To(len(s.Files), func(i int) string { return s.Files[i].name() })
}

// Paths returns the files of the set.
func (s *Set) Paths() []string {
	var paths []string
	for i := range s.Files {
		paths = append(paths, s.Files[i].Path)
	}
	return paths
}

func (f *File) name() string { return catalog.File{Path: f.Path, Extension: f.Extension}.Name() }

// Unchanged returns an error that wraps ErrPlan if an input of the set is not what
// it was when the plan was made.
func (s *Set) Unchanged() error {
	for i := range s.Files {
		if err := s.Files[i].unchanged(); err != nil {
			return err
		}
	}
	return nil
}

// unchanged is Unchanged for one file.
func (f *File) unchanged() error {
	now, err := describe(f.Path)
	if err != nil {
		return err
	}
	switch {
	case now.Bytes != f.Bytes:
		return planf("%s has %d bytes, it had %d when the plan was made; make the plan anew", f.Path, now.Bytes, f.Bytes)
	case now.Hash != f.Hash || now.Modified != f.Modified:
		return planf("%s was changed at %s, after the plan was made; make the plan anew", f.Path, now.Modified)
	}
	return nil
}
