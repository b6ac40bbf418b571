//go:build !cuda || !linux

package gpu

import (
	"context"
	"errors"
	"iter"

	"skyjoin/internal/hook"
	"skyjoin/internal/pairfunc"
	"skyjoin/neighbors"
)

// A Joiner runs joins on a GPU. This build has none.
type Joiner struct{}

// Open returns ErrNotBuilt.
func Open(Config) (*Joiner, error) { return nil, ErrNotBuilt }

// Close does nothing.
func (*Joiner) Close() error { return nil }

// Launched returns that of no kernel.
func (*Joiner) Launched() Launched { return Launched{} }

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

func init() {
	hook.Provide("gpu.Reduce", func(*Cards, context.Context, *pairfunc.Job, func(a, b []uint32) error) (*pairfunc.Result, error) {
		return nil, ErrNotBuilt
	})
	hook.Provide("gpu.ActiveLanes", func(*Joiner, *neighbors.Plan) (lanes [4]uint64, found uint64, seconds float64, err error) {
		return lanes, 0, 0, ErrNotBuilt
	})
	hook.Provide("gpu.PairSeconds", func(_ *Joiner, _ neighbors.Input, _ []float64, copies, threads, width int, unbalanced, inside bool) (seconds float64, found, chosen int, err error) {
		return 0, 0, 0, ErrNotBuilt
	})
	hook.Provide("gpu.Single", func(*Joiner, *neighbors.Plan) (seconds [2]float64, found [2]uint64, err error) {
		return seconds, found, ErrNotBuilt
	})
	hook.Provide("gpu.Tune", func(*Joiner, float64, bool) {})
	hook.Provide("gpu.Rounds", func(*Joiner) []int { return nil })
	hook.Provide("gpu.Occupancy", func(*Joiner, string, int) (float64, error) { return 0, ErrNotBuilt })
}

// Devices returns ErrNotBuilt.
func Devices() ([]Device, error) { return nil, ErrNotBuilt }

// Look returns ErrNotBuilt in the survey.
func Look() Survey { return Survey{Err: ErrNotBuilt} }

// IsAbsent reports whether an error says that there is no GPU to use.
func IsAbsent(err error) bool { return errors.Is(err, ErrNotBuilt) }

// IsFull reports whether an error says that memory of a GPU ran out.
func IsFull(error) bool { return false }

// IsFailure reports whether an error is the fault of the GPU.
func IsFailure(err error) bool { return errors.Is(err, ErrNotBuilt) }
