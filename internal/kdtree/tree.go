// Package kdtree is a flat k-d tree: points in the order of its leaves, nodes
// in an array without pointers, every leaf on the same level.
//
// Ranges are halved by (coordinate, row), so that duplicates cannot unbalance
// the tree, and among points that share all coordinates low rows come first.
package kdtree

import (
	"math/bits"

	"skyjoin/internal/kernel"
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

// mostTogether is the largest k that is looked for in groups: of somewhat more
// candidates than that, the kernel takes the least.
const mostTogether = kernel.MaxLeast * 3 / 4

// maxTogether is the number of candidates beyond which queries are looked for one
// by one.
const maxTogether = 1 << 14

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

// Levels returns how many times the points have been halved: nodes are
// numbered level by level, the children of node i are 2i+1 and 2i+2, and leaf
// k is node 2^Levels - 1 + k.
func (t *Tree) Levels() int { return t.levels }

// Span returns the points of a node, [lo, hi) in the order of the leaves.
func (t *Tree) Span(node int) (lo, hi uint32) { return t.span(node) }

// Box returns the least and the largest coordinates of the points of a node.
// They must not be changed.
func (t *Tree) Box(node int) (least, most []float64) {
	d := t.Points.Dim
	box := t.box[2*d*node : 2*d*(node+1) : 2*d*(node+1)]
	return box[:d:d], box[d:]
}
