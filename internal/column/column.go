// Package column holds coordinate columns as the indexes read them: float64,
// or float32 kept as they are and widened, exactly, where they are used.
package column

import (
	"math"
	"slices"

	"skyjoin/internal/each"
	"skyjoin/internal/par"
)

// A Column is one coordinate of every row. At most one of its slices is set.
type Column struct {
	Float64 []float64
	Float32 []float32
}

// Len returns the number of rows.
func (c Column) Len() int { return max(len(c.Float64), len(c.Float32)) }

// At returns the value in row i, widened to float64.
func (c Column) At(i int) float64 {
	if c.Float32 != nil {
		return float64(c.Float32[i])
	}
	return c.Float64[i]
}

// Gather sets dst[i] to the value in row rows[i].
func (c Column) Gather(dst []float64, rows []uint32) {
	dst = dst[:len(rows)]
	if c.Float32 != nil {
		for i, r := range rows {
			dst[i] = float64(c.Float32[r])
		}
		return
	}
	for i, r := range rows {
		dst[i] = c.Float64[r]
	}
}

// Copy sets dst to the values in the rows from lo on.
func (c Column) Copy(dst []float64, lo int) {
	if c.Float32 != nil {
		for i, v := range c.Float32[lo : lo+len(dst)] {
			dst[i] = float64(v)
		}
		return
	}
	copy(dst, c.Float64[lo:])
}

// Slice returns the rows [lo, hi). It shares their values.
func (c Column) Slice(lo, hi int) Column {
	if c.Float32 != nil {
		return Column{Float32: c.Float32[lo:hi:hi]}
	}
	return Column{Float64: c.Float64[lo:hi:hi]}
}

// Subset returns the given rows, in that order.
func (c Column) Subset(rows []uint32) Column {
	if c.Float32 != nil {
		return Column{Float32: each.At(c.Float32, rows)}
	}
	return Column{Float64: each.At(c.Float64, rows)}
}

// FirstNotFinite returns the first row that is NaN or infinite, -1 if none is.
func (c Column) FirstNotFinite(threads int) int {
	first := make([]int, threads)
	par.Chunks(threads, c.Len(), func(k, lo, hi int) {
		if c.Float32 != nil {
			first[k] = lo + 1 + firstNotFinite(c.Float32[lo:hi])
		} else {
			first[k] = lo + 1 + firstNotFinite(c.Float64[lo:hi])
		}
		if first[k] > hi {
			first[k] = 0
		}
	})
	// The first chunk that has one has the first row.
	return first[max(0, slices.IndexFunc(first, func(row int) bool { return row > 0 }))] - 1
}

// firstNotFinite returns the index of the first value that is NaN or infinite,
// the number of values if none is.
func firstNotFinite[T float32 | float64](v []T) int {
	for i, x := range v {
		if x-x != 0 { // NaN for NaN and for infinities
			return i
		}
	}
	return len(v)
}

// Bounds returns the least and the largest value in the rows [lo, hi), +Inf
// and -Inf if there are none.
func (c Column) Bounds(lo, hi int) (least, most float64) {
	if c.Float32 != nil {
		return bounds(c.Float32[lo:hi])
	}
	if c.Float64 == nil {
		return math.Inf(1), math.Inf(-1)
	}
	return bounds(c.Float64[lo:hi])
}

func bounds[T float32 | float64](v []T) (least, most float64) {
	a, b := T(math.Inf(1)), T(math.Inf(-1))
	for _, x := range v {
		if x < a {
			a = x
		}
		if x > b {
			b = x
		}
	}
	return float64(a), float64(b)
}
