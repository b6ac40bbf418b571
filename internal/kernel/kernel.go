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

// A Box holds the least and the largest coordinates of points.
type Box struct{ Least, Most []float64 }

// NewBox returns a box of dim coordinates, of no points yet.
func NewBox(dim int) Box { return Box{make([]float64, dim), make([]float64, dim)} }

// Around sets the box to that of the points [lo, hi) of p, of which there is at
// least one.
func (b Box) Around(p *Points, lo, hi int) {
	for c := range p.Dim {
		x := p.Data[c*p.Stride+lo : c*p.Stride+hi]
		least, most := x[0], x[0]
		for _, v := range x[1:] {
			if v < least {
				least = v
			}
			if v > most {
				most = v
			}
		}
		b.Least[c], b.Most[c] = least, most
	}
}

// Nearest returns the least d² that points of two boxes can have, and Farthest
// the largest. They are made by the operations of d² itself, so that rounding,
// which is monotone, keeps them bounds.
func (b Box) Nearest(o Box) (d2 float64) {
	for c := range b.Least {
		near := max(b.Least[c]-o.Most[c], o.Least[c]-b.Most[c], 0)
		d2 += float64(near * near)
	}
	return d2
}

// Farthest is the other bound, see Nearest.
func (b Box) Farthest(o Box) (d2 float64) {
	for c := range b.Least {
		far := max(b.Most[c]-o.Least[c], o.Most[c]-b.Least[c])
		d2 += float64(far * far)
	}
	return d2
}
