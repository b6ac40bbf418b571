//go:build !cuda || !linux

package gpu

import (
	"context"
	"errors"
	"iter"

	"skyjoin/internal/pairfunc"
	"skyjoin/neighbors"
)

// ErrNoCompiler says that generated kernels cannot be compiled here.
var ErrNoCompiler = errors.New("no run-time compiler for GPUs")

// A Joiner runs joins on a GPU. This build has none.
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

// BinPairs returns ErrNotBuilt.
func (*Joiner) BinPairs(context.Context, neighbors.Input, []float64) ([]uint64, error) {
	return nil, ErrNotBuilt
}

// Cards are GPUs that share statistics of all pairs. This build has none.
type Cards struct{ *Joiner }

// OpenCards returns ErrNotBuilt.
func OpenCards(Config) (*Cards, error) { return nil, ErrNotBuilt }

// CountPairs returns ErrNotBuilt.
func (*Joiner) CountPairs(context.Context, neighbors.Input, float64) (uint64, error) {
	return 0, ErrNotBuilt
}

// ListPairs returns ErrNotBuilt.
func (*Joiner) ListPairs(context.Context, neighbors.Input, float64) ([]uint64, error) {
	return nil, ErrNotBuilt
}

// Reduce returns ErrNotBuilt.
func (*Joiner) Reduce(context.Context, *pairfunc.Job, func(a, b []uint32) error) (*pairfunc.Result, error) {
	return nil, ErrNotBuilt
}
