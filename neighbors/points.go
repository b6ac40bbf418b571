package neighbors

import (
	"fmt"
	"math"

	"skyjoin/internal/column"
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
func (c Column) Len() int { return column.Column(c).Len() }

// At returns the value in row i, widened to float64.
func (c Column) At(i int) float64 { return column.Column(c).At(i) }

// Points is an immutable set of points, stored by column. It refers to the
// slices it was made from, which must not change afterwards.
type Points struct {
	n    int
	cols []column.Column
}

// NewPoints makes points of columns of equal length, one per coordinate. All values
// must be finite: callers leave out rows without a position. The error wraps
// ErrRequest, or is a CoordinateError of the first row at fault.
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
	p := &Points{n: n, cols: make([]column.Column, len(cols))}
	for j, c := range cols {
		p.cols[j] = column.Column(c)
		if i := p.cols[j].FirstNotFinite(par.Threads(0)); i >= 0 {
			return nil, &CoordinateError{i, j, fmt.Sprintf(", coordinate %d is %v", j, c.At(i))}
		}
	}
	return p, nil
}

// Len returns the number of points.
func (p *Points) Len() int { return p.n }

// Dim returns the number of coordinates.
func (p *Points) Dim() int { return len(p.cols) }

// Column returns coordinate j.
func (p *Points) Column(j int) Column { return Column(p.cols[j]) }

// Slice returns the points of rows [lo, hi). It shares their values.
func (p *Points) Slice(lo, hi int) *Points {
	return p.each(hi-lo, func(c column.Column) column.Column { return c.Slice(lo, hi) })
}

// Subset returns the points of the given rows, in that order.
func (p *Points) Subset(rows []uint32) *Points {
	return p.each(len(rows), func(c column.Column) column.Column { return c.Subset(rows) })
}

// each returns n points of the columns that f makes of those of p.
func (p *Points) each(n int, f func(column.Column) column.Column) *Points {
	q := &Points{n: n, cols: make([]column.Column, len(p.cols))}
	for j, c := range p.cols {
		q.cols[j] = f(c)
	}
	return q
}
