package kdtree

import (
	"context"
	"math"
	"math/bits"

	"skyjoin/internal/column"
	"skyjoin/internal/fresh"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// A builder moves whole points, stored row by row, so that it reads memory in
// order.
type builder struct {
	t      *Tree
	dim    int
	bounds func(points, least, most []float64)
	points []float64
	rows   []uint32

	// Room for as many points: that of the coordinates of the tree, which are
	// not needed until the points have their places.
	spare     []float64
	spareRows []uint32
}

// Build makes a tree of the rows of columns.
func Build(ctx context.Context, columns []column.Column, leaf, threads int) (*Tree, error) {
	threads = par.Threads(threads)
	n, dim := columns[0].Len(), len(columns)
	t := &Tree{}
	if n > leaf {
		t.levels = bits.Len(uint((n - 1) / leaf))
	}
	leaves := 1 << t.levels
	t.Start = make([]uint32, leaves+1)
	for i := range t.Start {
		t.Start[i] = uint32(uint64(i) * uint64(n) >> t.levels)
	}
	t.box = make([]float64, (2*leaves-1)*2*dim)
	t.least = make([]uint32, 2*leaves-1)

	stride := ((n+kernel.Slack+7)/8 | 1) * 8
	t.Points = kernel.Points{Data: fresh.Make[float64](threads, dim*stride), Stride: stride, N: n, Dim: dim}
	b := &builder{
		t: t, dim: dim, bounds: kernel.Best().Bounds,
		points: fresh.Make[float64](threads, n*dim), spare: t.Points.Data,
		rows: fresh.Make[uint32](threads, n+kernel.Slack), spareRows: fresh.Make[uint32](threads, n),
	}
	par.Chunks(threads, n, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			b.rows[i] = uint32(i)
			for c := range columns {
				b.points[i*dim+c] = columns[c].At(i)
			}
		}
	})
	b.divide(ctx, new([]entry), 0, 0, threads)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t.Points.ID = b.rows
	par.Chunks(threads, n, func(_, lo, hi int) {
		for c := range dim {
			to := t.Points.Data[c*stride : c*stride+n]
			for i := lo; i < hi; i++ {
				to[i] = b.points[i*dim+c]
			}
		}
	})
	return t, nil
}

// divide computes the box of a node and divides its points among its children.
// room is the goroutine's own, for entries.
func (b *builder) divide(ctx context.Context, room *[]entry, node, level, threads int) {
	t := b.t
	from, to := t.span(node)
	lo, hi := int(from), int(to)
	split := b.measure(node, lo, hi)
	if level == t.levels || ctx.Err() != nil {
		return
	}
	left, right := 2*node+1, 2*node+2
	mid, _ := t.span(right)
	b.halve(room, split, lo, hi, int(mid))
	if threads > 1 && hi-lo > 4096 {
		par.Chunks(2, 2, func(c, _, _ int) { b.divide(ctx, new([]entry), left+c, level+1, (threads+c)/2) })
		return
	}
	b.divide(ctx, room, left, level+1, 1)
	b.divide(ctx, room, right, level+1, 1)
}

// measure sets the box and the least row of a node, and returns the dimension
// in which the box is longest.
func (b *builder) measure(node, lo, hi int) int {
	dim := b.dim
	box := b.t.box[2*dim*node : 2*dim*(node+1)]
	least, most := box[:dim], box[dim:]
	if hi > lo {
		b.bounds(b.points[lo*dim:hi*dim], least, most)
	} else {
		for c := range dim {
			least[c], most[c] = math.Inf(1), math.Inf(-1)
		}
	}
	row := uint32(math.MaxUint32)
	for _, r := range b.rows[lo:hi] {
		row = min(row, r)
	}
	b.t.least[node] = row
	longest := 0
	for c := range dim {
		if most[c]-least[c] > most[longest]-least[longest] {
			longest = c
		}
	}
	return longest
}
