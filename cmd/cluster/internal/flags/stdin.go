package flags

import (
	"context"

	"skyjoin/io/catalog"
)

// stdinKey is the key of a context for standard input.
type stdinKey struct{}

// WithStdin returns a context in which catalogs named - are read from a stream.
func WithStdin(ctx context.Context, s *catalog.Stream) context.Context {
	return context.WithValue(ctx, stdinKey{}, s)
}

// stdinOf returns the stream, nil if there is none.
func stdinOf(ctx context.Context) *catalog.Stream {
	s, _ := ctx.Value(stdinKey{}).(*catalog.Stream)
	return s
}
