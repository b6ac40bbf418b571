package neighbors

import (
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/column"
	"skyjoin/internal/fresh"
	"skyjoin/internal/par"
	"skyjoin/internal/space"
)

// lower turns points into plain coordinates. Columns that need no change are
// not copied.
func (m Metric) lower(p *Points, threads int) (*space.Space, error) {
	if err := m.Check(p.Dim()); err != nil {
		return nil, err
	}
	s := &space.Space{}
	rest := 0
	scale := m.scale
	if n := m.position(); n > 0 {
		position, err := m.positions(p, threads)
		if err != nil {
			return nil, err
		}
		s.Columns = append(s.Columns, position...)
		rest = n
		if scale != nil {
			scale = scale[1:]
		}
	}
	computed := len(s.Columns) // and the scaled ones are: the others are finite already
	for j := rest; j < p.Dim(); j++ {
		c := p.cols[j]
		if l := m.Side(j); l > 0 {
			c = reduced(c, l, threads)
		}
		if scale != nil && scale[j-rest] != 1 {
			c = mapped(c, threads, func(x float64) float64 { return x / scale[j-rest] })
			computed = len(s.Columns) + 1
		}
		s.Columns = append(s.Columns, c)
	}
	for j, c := range s.Columns[:computed] {
		if i := c.FirstNotFinite(threads); i >= 0 {
			return nil, &CoordinateError{i, j, fmt.Sprintf(", coordinate %d is %v after scaling", j, c.At(i))}
		}
	}
	s.Side = m.periods()
	return s, nil
}

// periods returns the period of every coordinate after scaling, 0 for none, or
// nil if none has one. A period that scaling makes infinite is none either: all
// differences are less than half of it.
func (m Metric) periods() []float64 {
	var side []float64
	for j, l := range m.side {
		if m.scale != nil {
			l /= m.scale[j]
		}
		if !(l > 0) || math.IsInf(l, 1) {
			continue
		}
		if side == nil {
			side = make([]float64, len(m.side))
		}
		side[j] = l
	}
	return side
}

// positions returns three columns: the coordinates of the positions, divided by the
// first scale if there are scales.
func (m Metric) positions(p *Points, threads int) ([]column.Column, error) {
	n := p.Len()
	x, y, z := fresh.Make[float64](threads, n), fresh.Make[float64](threads, n), fresh.Make[float64](threads, n)
	kind, s := m.Kind(), m.Scale(0)
	faults := make([]error, threads)
	par.Chunks(threads, n, func(c, lo, hi int) {
		var at [3]float64
		for i := lo; i < hi; i++ {
			for j := range kind.Position {
				at[j] = p.cols[j].At(i)
				if l := &limits[j]; at[j] < l.Least || at[j] > l.Most {
					faults[c] = l.Check(i, at[j])
					return
				}
			}
			x[i], y[i], z[i] = kind.place(at[0], at[1], at[2])
			if s != 1 {
				x[i], y[i], z[i] = x[i]/s, y[i]/s, z[i]/s
			}
		}
	})
	for _, err := range faults { // the first chunk that has one has the first row
		if err != nil {
			return nil, err
		}
	}
	return []column.Column{{Float64: x}, {Float64: y}, {Float64: z}}, nil
}

// mapped returns f of all values of the column.
func mapped(c column.Column, threads int, f func(float64) float64) column.Column {
	v := fresh.Make[float64](threads, c.Len())
	par.Chunks(threads, len(v), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			v[i] = f(c.At(i))
		}
	})
	return column.Column{Float64: v}
}

// reduced returns the column reduced to [0, l).
func reduced(c column.Column, l float64, threads int) column.Column {
	if inside(c, l, threads) {
		return c
	}
	return mapped(c, threads, func(x float64) float64 { return Reduced(x, l) })
}

// Reduced returns a coordinate of a periodic axis reduced to [0, l), l being the
// period; a result of l becomes 0.
func Reduced(x, l float64) float64 {
	x = math.Mod(x, l)
	if x < 0 {
		x += l
	}
	if x >= l {
		x = 0
	}
	return x
}

// inside reports whether all values are in [0, l), which are then reduced.
func inside(c column.Column, l float64, threads int) bool {
	outside := make([]bool, threads)
	par.Chunks(threads, c.Len(), func(chunk, lo, hi int) {
		least, most := c.Bounds(lo, hi)
		outside[chunk] = least < 0 || most >= l
	})
	return !slices.Contains(outside, true)
}
