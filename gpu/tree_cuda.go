//go:build cuda && linux

package gpu

import (
	"skyjoin/internal/cuda"
)

// A tree is a bounding volume tree over the points of one side, on the device:
// points that are near each other are consecutive, 32 of them are a leaf, and 32
// consecutive nodes a node of the next level. The least row of each node lets a
// search skip nodes that are only as near as its K-th neighbour.
type tree struct {
	*index
	low, high cuda.Buffer[float64] // [dim][nodes], leaves first
	least     cuda.Buffer[uint32]
	first     []int // where the nodes of a level begin
	count     []int
}

const treeWidth = 32

// newTree builds the tree over points that are in order. It lives as long as m.
func newTree(q *sequence, m *memory, points *index) *tree {
	t := &tree{index: points}
	nodes := 0
	for n := points.n; n > 0 && (len(t.count) == 0 || n > treeWidth); {
		n = ceilDiv(n, treeWidth)
		t.first, t.count = append(t.first, nodes), append(t.count, n)
		nodes += n
	}
	t.low, t.high, t.least = kept[float64](q, m, points.dim*nodes), kept[float64](q, m, points.dim*nodes), kept[uint32](q, m, nodes)
	p := levelParams{Low: points.x.Ptr, High: points.x.Ptr, Least: points.id.Ptr, N: uint32(points.n), Stride: uint32(points.stride), Nodes: uint32(nodes), Dim: int32(points.dim)}
	for level, first := range t.first {
		p.LowOut, p.HighOut, p.LeastOut = slice(q, t.low, first, t.low.N).Ptr, slice(q, t.high, first, t.high.N).Ptr, slice(q, t.least, first, nodes).Ptr
		each(q, "tree_level", int(p.N), &p)
		p.Low, p.High, p.Least, p.N, p.Stride = p.LowOut, p.HighOut, p.LeastOut, uint32(t.count[level]), uint32(nodes)
	}
	return t
}

// params returns the tree in the form that kernels take.
func (t *tree) params() treeParams {
	p := treeParams{X: t.x.Ptr, ID: t.id.Ptr, Low: t.low.Ptr, High: t.high.Ptr, Least: t.least.Ptr,
		N: uint32(t.n), Stride: uint32(t.stride), Nodes: uint32(t.least.N), Levels: uint32(len(t.count))}
	for level := range t.count {
		p.First[level], p.Count[level] = uint32(t.first[level]), uint32(t.count[level])
	}
	return p
}
