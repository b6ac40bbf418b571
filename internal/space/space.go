// Package space holds points in the plain coordinates that a metric lowers them
// to, in which joins measure.
package space

import (
	"math"

	"skyjoin/internal/column"
)

// A Space is points lowered by a metric to plain coordinates: d² of two rows
// is the sum over Columns, in order, of the squared differences. Where Side is
// set and Side[j] > 0, the difference of coordinate j, δ = fl(x-y), is first
// replaced by min(|δ|, fl(Side[j]-|δ|)); coordinates are then in [0, Side[j]).
type Space struct {
	Columns []column.Column
	Side    []float64 // nil when no axis is periodic
}

// Len returns the number of rows.
func (s *Space) Len() int { return s.Columns[0].Len() }

// Dim returns the number of coordinates.
func (s *Space) Dim() int { return len(s.Columns) }

// SquaredDistance is d² of row i of s and row j of o, the reference that
// every kernel must equal bit for bit.
func (s *Space) SquaredDistance(i int, o *Space, j int) float64 {
	var sum float64
	for c := range s.Columns {
		d := s.Columns[c].At(i) - o.Columns[c].At(j)
		if s.Side != nil && s.Side[c] > 0 {
			d = math.Abs(d)
			d = min(d, s.Side[c]-d)
		}
		sum += float64(d * d)
	}
	return sum
}

// Subset returns the points of the given rows, in that order.
func (s *Space) Subset(rows []uint32) *Space {
	sub := &Space{Side: s.Side, Columns: make([]column.Column, s.Dim())}
	for j, c := range s.Columns {
		sub.Columns[j] = c.Subset(rows)
	}
	return sub
}
