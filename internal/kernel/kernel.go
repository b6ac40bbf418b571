// Package kernel holds the inner loops of the joins: distances of blocks of
// points, compared with a threshold, counted or emitted. It knows neither
// metrics nor what rows mean.
//
// All kernels of one name return the same bits: d² is summed over the
// dimensions in order, every operation rounded to float64 on its own, never
// fused.
package kernel

// Slack is the number of elements that must be readable after the last point
// of a coordinate, and writable after the last result, so that vector code
// need not treat tails apart.
const Slack = 16

// MaxDim is the largest number of dimensions that have kernels.
const MaxDim = 8

// Points is a column-major block: coordinate j of point i is
// Data[j*Stride+i]. Stride ≥ N + Slack for the last point to have its slack.
type Points struct {
	Data   []float64
	Stride int
	N      int
	Dim    int
	ID     []uint32 // what Emit reports for each point, with Slack
}

// A Run is the points [Lo, Hi).
type Run struct{ Lo, Hi uint32 }

// Funcs are the kernels of one instruction set.
type Funcs struct {
	Name string

	// Count adds to count[q-lo], for the queries [lo, hi) of q, the number of
	// points of d in runs with d² ≤ t.
	Count func(q *Points, lo, hi int, d *Points, runs []Run, t float64, count []uint32)

	// Emit writes, query after query, the IDs of the points of d in runs with
	// d² ≤ t to out, sets count[q-lo] to how many each query has, and returns
	// the number written. out must have room for (hi-lo) times the points in
	// runs, and Slack.
	Emit func(q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, count []uint32) int
}

// Best returns the fastest kernels that this processor can run.
func Best() *Funcs { return &generic }

// All returns the kernels of every instruction set that this processor can
// run, generic Go first.
func All() []*Funcs { return []*Funcs{&generic} }
