package neighbors

import (
	"fmt"
	"math"

	"skyjoin/internal/par"
)

// MaxRows is the largest number of rows of one set of points: row numbers are
// uint32.
const MaxRows = math.MaxUint32 - 1

// A Column is one coordinate of every row. Exactly one of its slices is set.
// Float32 values are kept as they are and widened, exactly, where they are
// used.
type Column struct {
	Float64 []float64
	Float32 []float32
}

// Float64s returns v as a Column.
func Float64s(v []float64) Column { return Column{Float64: v} }

// Float32s returns v as a Column.
func Float32s(v []float32) Column { return Column{Float32: v} }

// Len returns the number of rows.
func (c Column) Len() int { return max(len(c.Float64), len(c.Float32)) }

// At returns the value in row i, widened to float64.
func (c Column) At(i int) float64 {
	if c.Float32 != nil {
		return float64(c.Float32[i])
	}
	return c.Float64[i]
}

// Points is an immutable set of points, stored by column. It refers to the
// slices it was made from, which must not change afterwards.
type Points struct {
	n    int
	cols []Column
}

// NewPoints makes points of columns of equal length, one per coordinate. All
// values must be finite: rows that have no position are left out before. The
// error wraps ErrRequest or ErrCoordinate and names the first row at fault.
func NewPoints(cols ...Column) (*Points, error) {
	if len(cols) == 0 {
		return nil, fmt.Errorf("%w: no coordinate columns, at least 1 is needed", ErrRequest)
	}
	n := cols[0].Len()
	for j, c := range cols {
		if c.Float64 != nil && c.Float32 != nil {
			return nil, fmt.Errorf("%w: coordinate %d has both float64 and float32 values", ErrRequest, j)
		}
		if c.Len() != n {
			return nil, fmt.Errorf("%w: coordinate %d has %d rows, coordinate 0 has %d", ErrRequest, j, c.Len(), n)
		}
	}
	if uint64(n) > MaxRows {
		return nil, fmt.Errorf("%w: %d rows, at most %d fit one set of points", ErrRequest, n, uint64(MaxRows))
	}
	for j, c := range cols {
		if i := c.firstNotFinite(par.Threads(0)); i >= 0 {
			return nil, fmt.Errorf("%w: row %d, coordinate %d is %v", ErrCoordinate, i, j, c.At(i))
		}
	}
	return &Points{n: n, cols: cols}, nil
}

// Len returns the number of points.
func (p *Points) Len() int { return p.n }

// Dim returns the number of coordinates.
func (p *Points) Dim() int { return len(p.cols) }

// Column returns coordinate j.
func (p *Points) Column(j int) Column { return p.cols[j] }

// firstNotFinite returns the first row that is NaN or infinite, -1 if none is.
func (c Column) firstNotFinite(threads int) int {
	first := make([]int, threads)
	par.Chunks(threads, c.Len(), func(k, lo, hi int) {
		if c.Float32 != nil {
			first[k] = lo + firstNotFinite(c.Float32[lo:hi])
		} else {
			first[k] = lo + firstNotFinite(c.Float64[lo:hi])
		}
		if first[k] == hi {
			first[k] = -1
		}
	})
	for _, i := range first {
		if i >= 0 {
			return i
		}
	}
	return -1
}

// firstNotFinite returns the index of the first value that is NaN or infinite,
// that behind the last one if none is.
func firstNotFinite[T float32 | float64](v []T) int {
	for i, x := range v {
		if x-x != 0 { // NaN for NaN and for infinities
			return i
		}
	}
	return len(v)
}

// Slice returns the points of rows [lo, hi). It shares their values.
func (p *Points) Slice(lo, hi int) *Points {
	cols := make([]Column, len(p.cols))
	for j, c := range p.cols {
		if c.Float32 != nil {
			cols[j] = Float32s(c.Float32[lo:hi:hi])
		} else {
			cols[j] = Float64s(c.Float64[lo:hi:hi])
		}
	}
	return &Points{n: hi - lo, cols: cols}
}

// Subset returns the points of the given rows, in that order.
func (p *Points) Subset(rows []uint32) *Points {
	cols := make([]Column, len(p.cols))
	for j, c := range p.cols {
		if c.Float32 != nil {
			cols[j] = Float32s(subset(c.Float32, rows))
		} else {
			cols[j] = Float64s(subset(c.Float64, rows))
		}
	}
	return &Points{n: len(rows), cols: cols}
}

func subset[T any](v []T, rows []uint32) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = v[r]
	}
	return out
}
