package catalog

import (
	"context"
	"fmt"
	"io"
	"os"

	"skyjoin/internal/file"
	"skyjoin/internal/format"
)

// A scratch is a copy of what cannot be read at any position, on disk for as long as
// it is needed.
type scratch struct {
	file   *os.File
	remove func()
	path   string // by which it can be opened
}

// newScratch copies what is left of a reader.
func newScratch(ctx context.Context, r io.Reader) (*scratch, error) {
	f, remove, err := file.ScratchFile(os.TempDir())
	if err != nil {
		return nil, err
	}
	s := &scratch{f, remove, f.Name()}
	// On Linux an open file can be opened again though its name is removed.
	if again := fmt.Sprintf("/proc/self/fd/%d", f.Fd()); isThere(again) {
		s.path = again
	}
	if _, err := io.Copy(f, format.UntilDone{Ctx: ctx, Reader: r}); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// close removes the copy.
func (s *scratch) close() {
	s.file.Close()
	s.remove()
}

// decompressedCopy is a copy of the contents of a compressed file.
func decompressedCopy(ctx context.Context, path string) (*scratch, error) {
	r, err := format.OpenAt(path, 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return newScratch(ctx, r)
}
