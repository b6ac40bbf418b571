package kernel

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// Bins are the bins of a histogram of d²: bin i holds edge[i] ≤ d² <
// edge[i+1]. They may be shared by goroutines.
type Bins struct {
	edges []float64
	n     int

	// The leading bits of d², its key, look up its bin: of the bits of d²
	// plus table[bits>>shift-firstKey], those above shift are the number of
	// edges ≤ d². The word of a key is made of the number of edges up to the
	// least number with the key, and of what makes the bits below carry if d²
	// is not less than the next edge; keys are so long that no two edges share
	// one. Smaller d² than low are taken for low, which is in the same bin.
	// table is nil where no affordable length parts the edges.
	table    []uint64
	firstKey uint64
	shift    uint
	low      float64
}

// maxBins bounds the bins, those outside the edges included, that have a
// table; maxTable the length of that.
const (
	maxBins  = 2048
	maxTable = 1 << 16
)

// NewBins returns the bins between the given squared edges, which must be at
// least two, finite, not negative and in ascending order; equal ones make
// empty bins. SquaredEdge turns an edge of distance into one of d².
func NewBins(edges []float64) (*Bins, error) {
	if len(edges) < 2 {
		return nil, fmt.Errorf("%d bin edges, at least 2 are needed", len(edges))
	}
	for i, e := range edges {
		if !(e >= 0) || math.IsInf(e, 1) {
			return nil, fmt.Errorf("squared bin edge %d is %g, it must be finite and not negative", i, e)
		}
		if i > 0 && e < edges[i-1] {
			return nil, fmt.Errorf("squared bin edge %d is %g, less than %g before it", i, e, edges[i-1])
		}
	}
	b := &Bins{n: len(edges) - 1}
	b.edges = slices.Clone(edges)
	// -0 would not compare by its bits.
	b.edges[0] = math.Abs(b.edges[0])
	b.makeTable()
	return b, nil
}

// Len returns the number of bins.
func (b *Bins) Len() int { return b.n }

// Last returns the last edge.
func (b *Bins) Last() float64 { return b.edges[b.n] }

// SquaredEdge returns the least d² whose square root in float64 is at least
// r ≥ 0, so that d² < SquaredEdge(r) exactly if sqrt(d²) < r.
func SquaredEdge(r float64) float64 {
	d2 := r * r
	for d2 > 0 && math.Sqrt(math.Nextafter(d2, 0)) >= r {
		d2 = math.Nextafter(d2, 0)
	}
	for math.Sqrt(d2) < r {
		d2 = math.Nextafter(d2, math.Inf(1))
	}
	return d2
}

func (b *Bins) makeTable() {
	edges := b.edges
	if b.n+2 > maxBins {
		return
	}
	if edges[0] > 0 {
		b.low = math.Nextafter(edges[0], 0)
	} else {
		b.low = edges[1] / 2
	}
	last := math.Float64bits(edges[b.n])
	for shift := 52; shift >= 0; shift-- {
		first := math.Float64bits(b.low) >> shift
		keys := last>>shift - first + 1
		if keys > maxTable {
			return
		}
		if !parted(edges, shift) {
			continue
		}
		b.shift, b.firstKey = uint(shift), first
		b.table = make([]uint64, keys)
		e := 0
		for k := range b.table {
			key := first + uint64(k)
			for e <= b.n && math.Float64bits(edges[e]) <= key<<shift {
				e++
			}
			word := uint64(e)<<shift - key<<shift
			if e <= b.n && math.Float64bits(edges[e])>>shift == key {
				word += (key+1)<<shift - math.Float64bits(edges[e])
			}
			b.table[k] = word
		}
		return
	}
}

// parted reports whether, shifted to the right, no two edges have the same
// bits.
func parted(edges []float64, shift int) bool {
	for i := 1; i < len(edges); i++ {
		if math.Float64bits(edges[i])>>shift == math.Float64bits(edges[i-1])>>shift {
			return false
		}
	}
	return true
}

// count adds the d² below the last edge to the counts of their number of
// edges ≤ d².
func (b *Bins) count(squared []float64, counts []uint64) {
	last := b.edges[b.n]
	if b.table == nil {
		for _, d2 := range squared {
			if d2 < last {
				counts[sort.Search(b.n, func(i int) bool { return b.edges[i] > d2 })]++
			}
		}
		return
	}
	low, shift := math.Float64bits(b.low), b.shift&63
	for _, d2 := range squared {
		if d2 < last {
			bits := max(math.Float64bits(d2), low)
			counts[(bits+b.table[bits>>shift-b.firstKey])>>shift]++
		}
	}
}

// Find returns how many edges are ≤ d2, which must not be NaN: bin i holds
// what i+1 are.
func (b *Bins) Find(d2 float64) int {
	switch {
	case d2 >= b.edges[b.n]:
		return b.n + 1
	case b.table == nil:
		return sort.Search(b.n, func(i int) bool { return b.edges[i] > d2 })
	}
	bits := max(math.Float64bits(d2), math.Float64bits(b.low))
	shift := b.shift & 63
	return int((bits + b.table[bits>>shift-b.firstKey]) >> shift)
}

// FindAll sets found[k] to Find of squared[k]; both are of one length.
func (b *Bins) FindAll(squared []float64, found []int32) {
	found = found[:len(squared)]
	if b.table == nil {
		for k, d2 := range squared {
			found[k] = int32(b.Find(d2))
		}
		return
	}
	table, first, shift := b.table, b.firstKey, b.shift&63
	low, last := math.Float64bits(b.low), math.Float64bits(b.edges[b.n])
	for k, d2 := range squared {
		bits := min(max(math.Float64bits(d2), low), last)
		found[k] = int32((bits + table[bits>>shift-first]) >> shift)
	}
}

// Add adds pairs by their d², none of which may be NaN.
func (h *Histogram) Add(squared []float64) {
	h.pairs += uint64(len(squared))
	h.bins.count(squared, h.count)
}
