//go:build !cuda || !linux

package gpu

import (
	"context"
	"iter"

	"skyjoin/neighbors"
)

// A Joiner runs joins on GPUs. This build has none.
type Joiner struct{}

// Open returns ErrNotBuilt.
func Open(Config) (*Joiner, error) { return nil, ErrNotBuilt }

// Devices returns ErrNotBuilt.
func Devices() ([]Device, error) { return nil, ErrNotBuilt }

// Close does nothing.
func (*Joiner) Close() error { return nil }

// Join returns ErrNotBuilt.
func (*Joiner) Join(context.Context, *neighbors.Plan, neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	return func(yield func(*neighbors.Batch, error) bool) { yield(nil, ErrNotBuilt) }
}
