package catalog

import (
	"context"
	"fmt"
	"io"
	"sync"
)

// Stdin is the name of an input that is no file: Options.Stdin.
const Stdin = "-"

// A Stream is an input that comes but once, such as standard input. The first
// catalog that reads it keeps it in a temporary file, so that others can read it
// again.
type Stream struct {
	r    io.Reader
	mu   sync.Mutex
	kept *scratch
	err  error
}

// NewStream returns a stream that is read when a catalog is opened from it.
func NewStream(r io.Reader) *Stream { return &Stream{r: r} }

// file returns the path of the temporary file.
func (s *Stream) file(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil && s.err == nil {
		if s.kept, s.err = newScratch(ctx, s.r); s.err != nil {
			s.err = fmt.Errorf("standard input cannot be kept in a temporary file: %w", s.err)
		}
	}
	if s.err != nil {
		return "", s.err
	}
	return s.kept.path, nil
}

// Close removes the temporary file. Catalogs of the stream cannot be read any more.
func (s *Stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept != nil {
		s.kept.close()
		s.kept = nil
	}
}
