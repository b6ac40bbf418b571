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
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"skyjoin/internal/column"
	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// A Sequence is points in an epsilon grid order.
type Sequence struct {
	Points kernel.Points // coordinates by column, not reordered; ID holds the rows
	Start  []uint32      // where each cell that is not empty begins, and the end

	order *Order
	cell  []uint32 // numbers of the cells, those of cell c from c·Dim on, in the order of the dimensions
}

// Sort returns the points in the order, those of a cell by row. The sort is a
// stable radix sort in parallel, as HEGJoin has it.
func (o *Order) Sort(ctx context.Context, columns []column.Column, threads int) (*Sequence, error) {
	threads = par.Threads(threads)
	n := columns[0].Len()
	rows := make([]uint32, n+kernel.Slack)
	for i := range n {
		rows[i] = uint32(i)
	}
	keys := make([]uint64, n)
	for _, w := range slices.Backward(o.words()) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		o.keys(w, columns, rows[:n], keys, threads)
		keys, rows = grid.SortByKey(threads, keys, rows)
	}
	return o.gather(ctx, columns, rows, threads)
}

// SortPlain is Sort as Super-EGO does it: one thread compares cells, dimension
// by dimension, and points of a cell come in any order.
func (o *Order) SortPlain(ctx context.Context, columns []column.Column) (*Sequence, error) {
	n, dim := columns[0].Len(), len(o.dims)
	cell := make([]uint32, n*dim)
	for i, j := range o.dims {
		for r := range n {
			cell[r*dim+i] = uint32(o.axes[i].Number(columns[j].At(r)))
		}
	}
	rows := make([]uint32, n+kernel.Slack)
	for i := range n {
		rows[i] = uint32(i)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(rows[:n], func(a, b uint32) int {
		return slices.Compare(cell[int(a)*dim:int(a+1)*dim], cell[int(b)*dim:int(b+1)*dim])
	})
	return o.gather(ctx, columns, rows, 1)
}

// A span is the dimensions [lo, hi) of an order, whose numbers of cells fit
// one key together.
type span struct{ lo, hi int }

// words divides the dimensions into as few keys as will do.
func (o *Order) words() []span {
	var words []span
	product := uint64(1)
	for i := range o.axes {
		hi, lo := bits.Mul64(product, o.axes[i].Cells())
		if i == 0 || hi > 0 {
			words = append(words, span{i, i})
			lo = o.axes[i].Cells()
		}
		product = lo
		words[len(words)-1].hi = i + 1
	}
	return words
}

// keys sets the key of every row to its cell in the dimensions of w.
func (o *Order) keys(w span, columns []column.Column, rows []uint32, keys []uint64, threads int) {
	par.Chunks(threads, len(rows), func(_, lo, hi int) {
		clear(keys[lo:hi])
		for i := w.lo; i < w.hi; i++ {
			a, c := &o.axes[i], columns[o.dims[i]]
			if a.Cells() == 1 {
				continue
			}
			for k, r := range rows[lo:hi] {
				keys[lo+k] = keys[lo+k]*a.Cells() + a.Number(c.At(int(r)))
			}
		}
	})
}

// gather makes a sequence of the rows, which are in order.
func (o *Order) gather(ctx context.Context, columns []column.Column, rows []uint32, threads int) (*Sequence, error) {
	n, dim := columns[0].Len(), len(columns)
	stride := ((n+kernel.Slack+7)/8 | 1) * 8 // odd multiples of a cache line spread over the sets of the caches
	s := &Sequence{order: o, Points: kernel.Points{Data: make([]float64, dim*stride), Stride: stride, N: n, Dim: dim, ID: rows}}
	type part struct{ start, cell []uint32 }
	parts := make([]part, threads)
	par.Chunks(threads, n, func(chunk, lo, hi int) {
		for j := range dim {
			columns[j].Gather(s.Points.Data[j*stride+lo:j*stride+hi], rows[lo:hi])
		}
		if ctx.Err() != nil || lo == hi {
			return
		}
		p := &parts[chunk]
		last, here := make([]uint32, dim), make([]uint32, dim)
		if lo > 0 {
			o.number(last, columns, rows[lo-1])
		}
		for i := lo; i < hi; i++ {
			for k, j := range o.dims {
				here[k] = uint32(o.axes[k].Number(s.Points.Data[j*stride+i]))
			}
			if i == 0 || !slices.Equal(here, last) {
				p.start = append(p.start, uint32(i))
				p.cell = append(p.cell, here...)
				last, here = here, last
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, p := range parts {
		s.Start = append(s.Start, p.start...)
		s.cell = append(s.cell, p.cell...)
	}
	s.Start = append(s.Start, uint32(n))
	return s, nil
}

// number sets cell to the cells of a row.
func (o *Order) number(cell []uint32, columns []column.Column, row uint32) {
	for k, j := range o.dims {
		cell[k] = uint32(o.axes[k].Number(columns[j].At(int(row))))
	}
}

// Predict returns the bytes that a sequence of n points can take while it is
// made: the points, their keys and rows twice, and their cells.
func Predict(n, dim int) int64 { return int64(n) * int64(12*dim+28) }

// Rows returns the rows in order. It must not be changed.
func (s *Sequence) Rows() []uint32 { return s.Points.ID[:s.Points.N:s.Points.N] }

// Cells returns the number of cells that are not empty.
func (s *Sequence) Cells() int { return len(s.Start) - 1 }

// at returns the numbers of a cell in the order of the dimensions.
func (s *Sequence) at(cell int) []uint32 {
	d := s.Points.Dim
	return s.cell[cell*d : (cell+1)*d]
}

// find returns the part that position i is in, of those that begin at start.
func find(start []uint32, i int) int {
	lo, hi := 0, len(start)-1
	for hi-lo > 1 {
		mid := int(uint(lo+hi) / 2)
		if start[mid] <= uint32(i) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// Cell returns the cell that position i is in.
func (s *Sequence) Cell(i int) int { return find(s.Start, i) }

// after is the number of the cell behind one, and before that in front of it,
// without running over.
func after(c uint32) uint32  { return min(c, math.MaxUint32-1) + 1 }
func before(c uint32) uint32 { return max(c, 1) - 1 }

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
