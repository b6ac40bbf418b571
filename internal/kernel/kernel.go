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
	"os"
	"slices"
	"sync"
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

// Funcs are the kernels of one instruction set. They may be called from any
// number of goroutines. They panic when an argument does not fit another:
// dimensions that differ, a run or query outside its points, missing slack, a
// result that would not fit.
type Funcs struct {
	Name string

	// Count adds to count[q-lo], for the queries [lo, hi) of q, the number of
	// points of d in runs with d² ≤ t.
	Count func(q *Points, lo, hi int, d *Points, runs []Run, t float64, count []uint32)

	// Emit writes, query after query, the IDs of the points of d in runs with
	// d² ≤ t to out and, unless dist is nil, d² of each to dist, sets count[q-lo]
	// to how many each query has, and returns the number written. out and dist
	// must have room for (hi-lo) times the points in runs, and Slack; what is
	// after the results is overwritten with anything.
	Emit func(q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int

	// EmitSelf is Emit for queries that are points of the block themselves,
	// without the pairs of a point and itself: the candidates of query i of
	// [lo, hi) are (i, end), [begin, i) and runs, which must lie outside of
	// those. begin is at most lo, or None for no candidates before the query,
	// which lists each pair once. There must be room for (hi-lo) times all
	// points of [begin, end), or [lo, end), and runs, and Slack.
	EmitSelf func(p *Points, lo, hi, begin, end int, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int

	// EmitNear is Emit with d² where most runs are far from most queries: boxes
	// holds the points of each run, eight runs together, the last ones padded
	// with empty runs. For every eight, and for every coordinate, it has the
	// least of each and then the largest of each; a run that is not within t
	// of a query by its box is not looked at for it. All numbers must be
	// finite. See [Boxes].
	//
	// With a side, differences δ are those to the nearest image,
	// min(|δ|, side[c]-|δ|), each operation rounded; see [Sides]. Coordinates and
	// boxes are then between 0 and the side.
	EmitNear func(q *Points, lo, hi int, d *Points, runs []Run, boxes, side []float64, t float64, out []uint32, dist []float64, count []uint32) int

	// Half counts pairs of points of one block, each once. For every point i
	// of [lo, hi), each point j of (i, end) and of runs with d² ≤ t adds one
	// to count[i] and one to count[j]. The runs must lie outside [lo, end).
	// count needs Slack; the elements up to Slack behind a run may be
	// rewritten with what they were, so goroutines need counts of their own.
	Half func(p *Points, lo, hi, end int, runs []Run, t float64, count []uint32)

	// Nearest merges the points of d in runs, except the one with ID skip,
	// into the list of the k nearest to query i of q: dist[:k] is d² in
	// ascending order, id[:k] the IDs, equal distances in the order of their
	// IDs. Both must have room for ListLen(k) elements, be cleared with
	// ClearList before the first call and left alone between calls; elements
	// from k on mean nothing. No point may be merged twice.
	Nearest func(q *Points, i int, d *Points, runs []Run, skip uint32, k int, dist []float64, id []uint32)

	// Least writes the k least of each of several lists in the order of
	// (d², ID): list i is the next count[i] elements of dist and id, and its
	// results are outDist[i*k:(i+1)*k] and outID, which must have Slack more.
	// The ID skip[i] is left out, if skip is not nil. Nothing is written for
	// lists of less than k candidates, of less than k+1 with skip, or of more
	// than MostLeast(k); what is there, and the Slack, is overwritten with
	// anything. No d² may be negative or NaN.
	Least func(dist []float64, id []uint32, count, skip []uint32, k int, outDist []float64, outID []uint32)

	// Bounds sets least and most, one number for each coordinate, to the
	// bounds of points that lie one after the other, coordinate after
	// coordinate. There must be a point, and no NaN; which of 0 and -0 is less
	// is left open.
	Bounds func(points, least, most []float64)

	// Roots takes the square root of each number, rounded once.
	Roots func(x []float64)

	// Windows finds the cells in each window of each query: keys are those of
	// the cells, ascending, with WindowSlack times NoKey behind, and those of
	// the queries ascend too. Ranges that are not empty go to cells, and how many
	// there are up to each query to end, and the windows move on. There must be
	// room for all of them and one more. For an earlier query than before,
	// windows have to be rewound.
	Windows func(keys, query []uint64, windows []Window, cells []Run, end []uint32)

	// Hist adds the pairs of each query i of [lo, hi) of q with the points of
	// d in runs to h. If end is not 0, q must be d, and the pairs of i with
	// (i, end) are added too; runs must lie outside [lo, end) then for each
	// pair to count once.
	Hist func(q *Points, lo, hi, end int, d *Points, runs []Run, h *Histogram)
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

// Override is the environment variable that names the kernels to use instead
// of the fastest: generic, avx2 or avx512.
const Override = "SKYJOIN_KERNEL"

// Best returns the kernels that Override names, or else the fastest that this
// processor can run. A name that cannot be had is passed over.
func Best() *Funcs { return best() }

var best = sync.OnceValue(func() *Funcs {
	all := All()
	asked := os.Getenv(Override)
	if i := slices.IndexFunc(all, func(f *Funcs) bool { return f.Name == asked }); i >= 0 {
		return all[i]
	}
	return all[len(all)-1]
})

// All returns the kernels of every instruction set that this processor can
// run, generic Go first and the fastest last.
func All() []*Funcs { return append([]*Funcs{&generic}, vector()...) }

var generic = Funcs{
	Name:     "generic",
	Count:    countGeneric,
	Emit:     emitGeneric,
	EmitNear: emitNearGeneric,
	EmitSelf: emitSelfGeneric,
	Half:     halfGeneric,
	Nearest:  nearestGeneric,
	Least:    leastGeneric,
	Bounds:   boundsGeneric,
	Roots:    rootsGeneric,
	Windows:  windowsGeneric,
	Hist:     histGeneric,
}
