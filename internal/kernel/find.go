package kernel

import (
	"math"
	"sort"
)

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
