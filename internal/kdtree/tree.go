// Package kdtree is a flat k-d tree: points in the order of its leaves, nodes
// in an array without pointers, every leaf on the same level.
//
// Ranges are halved by (coordinate, row), so that duplicates cannot unbalance
// the tree, and among points that share all coordinates low rows come first.
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

// A Tree is an immutable k-d tree.
type Tree struct {
	Points kernel.Points // in the order of the leaves; ID holds the rows
	Start  []uint32      // where each leaf begins, and the end

	levels int       // below the root; leaf i is node 2^levels - 1 + i
	box    []float64 // of node i: Dim least, then Dim largest coordinates from 2·Dim·i on
	least  []uint32  // row of node i
}

// LeafSize returns how many points a leaf should have at most for searches
// within a radius.
func LeafSize(dim int) int {
	switch {
	case dim <= 2:
		return 32
	case dim <= 4:
		return 64
	}
	return 128
}

// NearLeafSize returns how many points a leaf should have at most for searches
// of the k nearest. Where these are for one query at a time, leaves with fewer
// than k points would give no bound.
func NearLeafSize(dim, k int) int {
	switch {
	case k > mostTogether:
		return min(max(LeafSize(dim), 2*k), 512)
	case dim <= 3:
		return 32
	}
	return LeafSize(dim)
}

// Predict returns the bytes that a tree of n points can take while it is
// built: the points twice, an entry of each while ranges are halved, and the
// boxes of 4n/leaf nodes.
func Predict(n, dim, leaf int) int64 {
	nodes := int64(4*n/leaf + 2)
	return int64(n)*int64(16*dim+8+16) + nodes*int64(16*dim+8)
}

// Memory returns the bytes that the tree holds.
func (t *Tree) Memory() int64 {
	return int64(len(t.Points.Data)+len(t.box))*8 + int64(len(t.Points.ID)+len(t.Start)+len(t.least))*4
}

// Rows returns the rows in the order of the leaves. It must not be changed.
func (t *Tree) Rows() []uint32 { return t.Points.ID[:t.Points.N:t.Points.N] }

// Leaves returns the number of leaves.
func (t *Tree) Leaves() int { return len(t.Start) - 1 }

// span returns the points of a node.
func (t *Tree) span(node int) (lo, hi uint32) {
	level := bits.Len(uint(node+1)) - 1
	first := node + 1 - 1<<level // place among the nodes of the level
	width := 1 << (t.levels - level)
	return t.Start[first*width], t.Start[(first+1)*width]
}

// Leaf returns the leaf that position i is in.
func (t *Tree) Leaf(i int) int {
	// The guess is exact, or one too low by the rounding in Start.
	leaf := int(uint64(i) << t.levels / uint64(t.Points.N))
	for t.Start[leaf+1] <= uint32(i) {
		leaf++
	}
	return leaf
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
