package kernel

import (
	"fmt"
	"math"
	"slices"
)

// together is the number of boxes that lie side by side.
const together = 8

// Boxes are runs of points and what holds them, as EmitNear takes them.
type Boxes struct {
	Runs []Run     // a multiple of eight
	Box  []float64 // 2·Dim numbers for each
	n    int
}

// Reset leaves no runs.
func (b *Boxes) Reset() { b.Runs, b.Box, b.n = b.Runs[:0], b.Box[:0], 0 }

// Add adds a run whose points lie in a box: the least coordinates, then the
// largest.
func (b *Boxes) Add(r Run, box []float64) {
	dim := len(box) / 2
	lane := b.n % together
	if lane == 0 {
		for range together {
			b.Runs = append(b.Runs, Run{})
		}
		for range dim {
			b.Box = append(b.Box, noBox[:]...)
		}
	}
	b.Runs[b.n] = r
	at := b.Box[len(b.Box)-2*together*dim:]
	for c := range dim {
		at[2*together*c+lane], at[2*together*c+together+lane] = box[c], box[dim+c]
	}
	b.n++
}

// Len returns the number of runs added.
func (b *Boxes) Len() int { return b.n }

// noBox is one coordinate of boxes that are infinitely far from everything.
var noBox = func() (b [2 * together]float64) {
	for i := range together {
		b[i], b[together+i] = math.Inf(1), math.Inf(-1)
	}
	return b
}()

// checkBoxes panics unless there is a box for each of the runs.
func checkBoxes(d *Points, runs []Run, boxes []float64) {
	if len(runs)%together != 0 || len(boxes) < len(runs)*2*d.Dim {
		panic(fmt.Sprintf("kernel: %d numbers for the boxes of %d runs, a multiple of %d, in %d dimensions", len(boxes), len(runs), together, d.Dim))
	}
}

// checkSide panics unless there is a side for each coordinate, or none at all.
func checkSide(d *Points, side []float64) {
	if side != nil && len(side) < d.Dim {
		panic(fmt.Sprintf("kernel: %d sides in %d dimensions", len(side), d.Dim))
	}
}

// Sides returns the periods of all coordinates, 0 or less being none, as
// EmitNear takes them: infinite where there is none. It returns nil if there
// are no periods at all.
func Sides(periods []float64) []float64 {
	var side []float64
	for c, l := range periods {
		if l > 0 {
			if side == nil {
				side = slices.Repeat([]float64{math.Inf(1)}, len(periods))
			}
			side[c] = l
		}
	}
	return side
}

// boxSquared returns a lower bound of d² between query i and points in the box
// of a run. The same operations as for d², in the same order, make it a bound
// in floating point too: rounding is monotone.
func boxSquared(q *Points, i int, boxes, side []float64, run int) float64 {
	at := boxes[run/together*2*together*q.Dim+run%together:]
	var sum float64
	for c := range q.Dim {
		x := q.Data[c*q.Stride+i]
		low, high := at[2*together*c]-x, x-at[2*together*c+together]
		gap := max(low, high, 0)
		if side != nil && side[c] <= math.MaxFloat64 {
			gap = max(min(gap, side[c]+min(low, high)), 0)
		}
		sum += float64(gap * gap)
	}
	return sum
}

func emitNearGeneric(q *Points, lo, hi int, d *Points, runs []Run, boxes, side []float64, t float64, out []uint32, dist []float64, count []uint32) int {
	return emitNear(emitGeneric, q, lo, hi, d, runs, boxes, side, t, out, dist, count)
}

// An emitter is an Emit.
type emitter = func(q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int

// emitNear lets Emit, or emitWrapped if there is a side, look at the
// runs that are near each query.
func emitNear(emit emitter, q *Points, lo, hi int, d *Points, runs []Run, boxes, side []float64, t float64, out []uint32, dist []float64, count []uint32) int {
	total := check(q, lo, hi, d, runs)
	checkBoxes(d, runs, boxes)
	checkSide(d, side)
	checkCount(hi-lo, count)
	checkRoom(hi-lo, total, d, min(len(out), len(dist)))
	if side != nil {
		emit = func(q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int {
			return emitWrapped(q, lo, d, runs, side, t, out, dist, count)
		}
	}
	var some [64]Run
	n := 0
	for i := lo; i < hi; i++ {
		start := n
		near := some[:0]
		for r := range runs {
			if !(boxSquared(q, i, boxes, side, r) <= t) {
				continue
			}
			if len(near) == len(some) {
				n += emit(q, i, i+1, d, near, t, out[n:], dist[n:], count[i-lo:])
				near = some[:0]
			}
			near = append(near, runs[r])
		}
		n += emit(q, i, i+1, d, near, t, out[n:], dist[n:], count[i-lo:])
		count[i-lo] = uint32(n - start)
	}
	return n
}

// emitWrapped is Emit of query i, and differences to the nearest image.
func emitWrapped(q *Points, i int, d *Points, runs []Run, side []float64, t float64, out []uint32, dist []float64, count []uint32) int {
	var buffer [block]float64
	n := 0
	for _, r := range runs {
		for j := int(r.Lo); j < int(r.Hi); j += block {
			sum := buffer[:min(block, int(r.Hi)-j)]
			WrappedSquares(q, i, d, j, side, sum)
			for m, d2 := range sum {
				if d2 <= t {
					out[n], dist[n] = d.ID[j+m], d2
					n++
				}
			}
		}
	}
	count[0] = uint32(n)
	return n
}

// WrappedSquares sets sum[k] to d² between query i of q and point lo+k of d,
// differences being those to the nearest image; see [Sides].
func WrappedSquares(q *Points, i int, d *Points, lo int, side []float64, sum []float64) {
	clear(sum)
	for c := range d.Dim {
		x, l := q.Data[c*q.Stride+i], side[c]
		xs := d.Data[c*d.Stride+lo:][:len(sum)]
		if l > math.MaxFloat64 { // where a difference can be infinite too
			for k, y := range xs {
				sum[k] += float64((x - y) * (x - y))
			}
			continue
		}
		for k, y := range xs {
			a := math.Abs(x - y)
			a = min(a, l-a)
			sum[k] += float64(a * a)
		}
	}
}
