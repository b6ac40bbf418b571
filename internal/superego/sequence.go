package superego

import (
	"context"
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
