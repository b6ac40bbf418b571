//go:build cuda && linux

package gpu

import (
	"math"

	"skyjoin/internal/space"
)

// The near kernels compute d² in float32 from columns x' = fl((x - c)·s), c the
// middle of the column. With u = 2⁻²⁴, X' half the extent of a scaled column
// and ‖·‖ over the columns, for a pair whose true scaled distance is d':
//
//   - x' is off by u·X', a difference by 2u·X' plus u of itself, so the norm of
//     the differences by 2u·‖X'‖ + u·d'; in a periodic box of scaled sides L' the
//     way around adds 3u·L' each;
//   - the sum of D squares is off by (D+1)·u of itself, its root by half of that;
//   - the root by rsqrt.approx is off by less than 2⁻²² of itself, and the product
//     and the sum after it by u of themselves each.
//
// far is the first part, of every distance alike, and slope the factor of d' in
// the rest, each rounded up.
type nearness struct {
	centre []float64
	scale  float64
	far    float64
	slope  float64
	most   float64 // largest scaled distance there can be
}

const unitRoundoff = 0x1p-24

func newNearness(e []extent, side []float64, scale float64) nearness {
	n := nearness{centre: make([]float64, len(e)), scale: scale}
	var half2, side2, most2 float64
	for j, x := range e {
		n.centre[j] = x.low/2 + x.high/2
		h := max(x.high-n.centre[j], n.centre[j]-x.low) * scale
		half2 += h * h
		m := 2 * h
		if side != nil && side[j] > 0 {
			l := side[j] * scale
			side2 += l * l
			m = min(m, l/2)
		}
		most2 += m * m
	}
	dim := float64(len(e))
	n.far = 1.05*unitRoundoff*(2*math.Sqrt(half2)+3*math.Sqrt(side2)) + 0x1p-40
	n.slope = 0x1p-22 + 1.05*unitRoundoff*(dim/2+5)
	n.most = math.Sqrt(most2) * (1 + 0x1p-20)
	return n
}

// extentsOf returns the range of every coordinate over both sides.
func extentsOf(sides ...*space.Space) []extent {
	e := make([]extent, sides[0].Dim())
	for j := range e {
		e[j] = extent{math.Inf(1), math.Inf(-1)}
		for _, s := range sides {
			for _, v := range s.Columns[j].Float64 {
				e[j].low, e[j].high = min(e[j].low, v), max(e[j].high, v)
			}
			for _, v := range s.Columns[j].Float32 {
				e[j].low, e[j].high = min(e[j].low, float64(v)), max(e[j].high, float64(v))
			}
		}
	}
	return e
}

// unitScale returns the power of two that scales the extents to about 1, so that no
// square leaves the range of float32.
func unitScale(e []extent, side []float64) float64 {
	largest := 0.0
	for j, x := range e {
		largest = max(largest, x.half())
		if side != nil {
			largest = max(largest, side[j])
		}
	}
	if largest == 0 {
		return 1
	}
	_, exp := math.Frexp(largest)
	return math.Ldexp(1, max(min(-exp, 1000), -1000))
}

// leastSure is the least part of half a bin that must be certain for even bins to
// pay.
const leastSure = 0.4

// evenBins are even bins of d, given as thresholds on d², for the near kernels.
type evenBins struct {
	nearness
	low, near float64 // as in pairsParams
	open      bool    // nothing is below the first edge or above the last
}

// newEvenBins describes bins in float32; ok is false if they are not of one width,
// or too narrow for float32.
func newEvenBins(e []extent, side []float64, squared []float64) (b evenBins, ok bool) {
	n := len(squared) - 1
	lo, hi := math.Sqrt(squared[0]), math.Sqrt(squared[n])
	scale := float64(n) / (hi - lo)
	if n > 1<<21 || math.IsInf(scale, 0) || !(scale > 0) {
		return b, false
	}
	uneven := 0.0
	for k, t := range squared {
		uneven = max(uneven, math.Abs((math.Sqrt(t)-lo)*scale-float64(k)))
	}
	b.nearness = newNearness(e, side, scale)
	first := lo * scale
	b.open = lo == 0 && b.most < float64(n)
	reach := b.most // beyond the last bin it does not matter
	if !b.open {
		reach = min(reach, first+float64(n)+2)
	}
	b.low = first - 1
	doubt := uneven + b.far + b.slope*reach + 2*unitRoundoff*(math.Abs(b.low)+float64(n)+2) + 1e-6
	b.near = 0.5 - doubt
	// The smallest distances are the root of 1e-30, far below the uncertainty.
	return b, b.near >= leastSure && first+float64(n) < 1<<21 && b.most < 1<<22
}

// nearEdges returns, for thresholds on d², the float32 of scaled d² below which
// a pair is surely below the threshold, and from which on surely not.
func (n *nearness) nearEdges(squared []float64) (low, high []float32) {
	low, high = make([]float32, len(squared)), make([]float32, len(squared))
	for k, t := range squared {
		if t == 0 {
			continue // no d² is below
		}
		d := math.Sqrt(t) * n.scale
		below := max(d*(1-2*n.slope)-n.far, 0)
		above := d*(1+2*n.slope) + n.far
		low[k] = math.Nextafter32(float32(below*below), 0)
		high[k] = math.Nextafter32(float32(above*above), float32(math.Inf(1)))
	}
	return low, high
}

// doubtful reports whether so many distances would be uncertain near the edges that
// float64 is the better choice from the start: more than one in ten of distances
// spread evenly over the reach.
func (n *nearness) doubtful(squared []float64) bool {
	last := math.Sqrt(squared[len(squared)-1]) * n.scale
	return 2*(n.far+2*n.slope*last)*float64(len(squared)) > 0.1*min(last, n.most)
}

// A lookup finds the counter of a number from its leading bits.
type lookup struct {
	start              []uint32
	first, last, shift uint32
}

const maxLookup = 4096

// newLookup makes the table for ascending edges, given by their bits: start of a key
// is the number of edges at or below the least number with that key.
func newLookup(bits []uint32) lookup {
	lowest := bits[len(bits)-1]
	for _, b := range bits {
		if b > 0 {
			lowest = b
			break
		}
	}
	highest := bits[len(bits)-1]
	var l lookup
	for highest>>l.shift-lowest>>l.shift >= maxLookup {
		l.shift++
	}
	l.first, l.last = lowest>>l.shift, highest>>l.shift
	l.start = make([]uint32, l.last-l.first+1)
	e := 0
	for k := range l.start {
		for e < len(bits) && bits[e] <= (l.first+uint32(k))<<l.shift {
			e++
		}
		l.start[k] = uint32(e)
	}
	l.start[0] = 0 // smaller numbers have this key too
	return l
}

func float32Bits(v []float32) []uint32 {
	bits := make([]uint32, len(v))
	for i, x := range v {
		bits[i] = math.Float32bits(x)
	}
	return bits
}

// upperBits returns the upper halves of float64 numbers, plus one: a number whose
// upper half equals that of an edge may lie below the edge.
func upperBits(v []float64) []uint32 {
	bits := make([]uint32, len(v))
	for i, x := range v {
		b := math.Float64bits(x)
		bits[i] = uint32(b >> 32)
		if uint32(b) != 0 {
			bits[i]++
		}
	}
	return bits
}
