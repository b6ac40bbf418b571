// Package superego joins two sets of points by the epsilon grid order: points
// are sorted by the cells they are in, dimension after dimension, and the
// sorted sequences are halved until pairs of parts are too far apart or small
// enough to compare.
//
// There are two ways through the sequences. [Join] is Super-EGO: both
// sequences are halved together, and pairs of points are compared dimension by
// dimension until they are too far apart. [Finder] is what is left of it when
// queries come in any order, as the work queue of HEGJoin hands them out:
// cells of queries are joined with the whole data sequence, and the candidates
// go to vector kernels.
//
// Dimensions are reordered so that those come first which tell most pairs
// apart. The order serves sorting and pruning only: what is accepted is always
// d² summed in column order.
//
// Sources: Böhm, Braunmüller, Krebs and Kriegel, Epsilon Grid Order (SIGMOD
// 2001); Kalashnikov, Super-EGO (VLDB Journal 22, 2013); Gallet and Gowanlock,
// HEGJoin, §3.2 and §4.5.
package superego

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/column"
	"skyjoin/internal/grid"
)

// An Order is an epsilon grid order of points: by the cell in the dimension
// that prunes most, then by that in the next, and so on. Both sides of a join
// share one.
type Order struct {
	dims []int            // columns, those that prune most first
	axes []grid.Numbering // cells of these columns
	near []float64        // share of the pairs of points that are in the same or in adjacent cells
}

// sampled is the number of points of each side that the order of the
// dimensions is chosen by.
const sampled = 1 << 14

// NewOrder returns an order for the join of query and data within a radius,
// which must be at least that of [grid.Reach]. A nil data makes it that of a
// self-join.
func NewOrder(radius float64, query, data []column.Column) (*Order, error) {
	if data == nil {
		data = query
	}
	self := &data[0] == &query[0]
	type dimension struct {
		column int
		axis   grid.Numbering
		near   float64
	}
	all := make([]dimension, len(query))
	for j := range query {
		a := grid.Numbering{}
		if self {
			a = grid.NewNumbering(radius, query[j])
		} else {
			a = grid.NewNumbering(radius, query[j], data[j])
		}
		if a.Cells() > math.MaxUint32 {
			return nil, fmt.Errorf("coordinate %d has %d cells, more than the order can number (%d)", j, a.Cells(), uint32(math.MaxUint32))
		}
		x := histogram(&a, query[j])
		y := x
		if !self {
			y = histogram(&a, data[j])
		}
		all[j] = dimension{j, a, nearby(x, y)}
	}
	slices.SortStableFunc(all, func(a, b dimension) int { return cmp.Compare(a.near, b.near) })
	o := &Order{}
	for _, d := range all {
		o.dims = append(o.dims, d.column)
		o.axes = append(o.axes, d.axis)
		o.near = append(o.near, d.near)
	}
	return o, nil
}

// Dims returns the columns in the order in which they are compared.
func (o *Order) Dims() []int { return o.dims }

// A bar is the number of sampled points in a cell.
type bar struct {
	cell  uint64
	count int
}

// histogram counts sampled points by cell, in ascending order of cells. Rows
// are taken by a Weyl sequence, so that no period in them matters.
func histogram(a *grid.Numbering, c column.Column) []bar {
	n := c.Len()
	cells := make([]uint64, min(n, sampled))
	var x uint64
	for i := range cells {
		row := i
		if n > sampled {
			x += 0x9E3779B97F4A7C15 // 2^64 / golden ratio
			row = int((x >> 32) * uint64(n) >> 32)
		}
		cells[i] = a.Number(c.At(row))
	}
	slices.Sort(cells)
	var bars []bar
	for _, cell := range cells {
		if n := len(bars); n == 0 || bars[n-1].cell != cell {
			bars = append(bars, bar{cell, 0})
		}
		bars[len(bars)-1].count++
	}
	return bars
}

// nearby returns which share of the pairs of two histograms is at most one
// cell apart: those that the dimension does not tell apart.
func nearby(x, y []bar) float64 {
	pairs, nx, ny := 0, 0, 0
	for _, b := range y {
		ny += b.count
	}
	first := 0
	for _, b := range x {
		nx += b.count
		for first < len(y) && y[first].cell+1 < b.cell {
			first++
		}
		for k := first; k < len(y) && y[k].cell <= b.cell+1; k++ {
			pairs += b.count * y[k].count
		}
	}
	if pairs == 0 {
		return 0
	}
	return float64(pairs) / (float64(nx) * float64(ny))
}
