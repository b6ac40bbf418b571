// Package kernel holds the inner loops of the joins: distances of blocks of
// points, compared with a threshold, counted or emitted. It knows neither
// metrics nor what rows mean.
//
// All kernels of one name return the same bits: d² is summed over the
// dimensions in order, every operation rounded to float64 on its own, never
// fused. A NaN is never within any threshold.
//
// There is portable Go for any number of dimensions, and assembly for AVX2 and
// AVX-512 up to MaxDim, written by the generator in _gen, a module of its own.
// After a change there:
//
//	go generate ./internal/kernel
//
// The build tag purego leaves the assembly out.
package kernel

import (
	"math"
)

//go:generate go -C _gen run . -o ..

// Slack is the number of elements that must be readable after the last point
// of a coordinate, and writable after the last result, so that vector code
// need not treat tails apart.
const Slack = 16

// MaxDim is the largest number of dimensions that have assembly; more are
// left to the portable code.
const MaxDim = 8

// Points is a column-major block: coordinate j of point i is
// Data[j*Stride+i]. Stride ≥ N + Slack for the last point to have its slack.
// Kernels are fastest where columns start at cache lines, Stride being an odd
// multiple of 8: an even one puts the columns in the same places of the cache.
type Points struct {
	Data   []float64
	Stride int
	N      int
	Dim    int
	ID     []uint32 // what Emit reports for each point, with Slack
}

// A Run is the points [Lo, Hi).
type Run struct{ Lo, Hi uint32 }

// Extend appends the run [lo, hi), or lengthens the last one if it continues it.
func Extend(runs []Run, lo, hi uint32) []Run {
	if n := len(runs); n > 0 && runs[n-1].Hi == lo {
		runs[n-1].Hi = hi
		return runs
	}
	return append(runs, Run{lo, hi})
}

// None is the ID in the places of a list that no point has taken, where dist
// is +Inf; the ID to skip when no point is to be; and what begins no candidates
// before a query.
const None uint32 = math.MaxUint32

// ListLen returns the room that a list of the k nearest needs.
func ListLen(k int) int { return (k + 7) &^ 7 }

// ClearList empties lists of the nearest.
func ClearList(dist []float64, id []uint32) {
	for i := range dist {
		dist[i] = math.Inf(1)
	}
	for i := range id {
		id[i] = None
	}
}
