//go:build cuda && linux

package gpu

import "skyjoin/internal/cuda"

// A tree is a bounding volume tree over the points of one side, on the device:
// points that are near follow each other, 32 of them are a leaf, 32 nodes that
// follow each other a node of the next level. The least row of each node lets a
// search leave out nodes that are as near as its K-th neighbour is.
type tree struct {
	*index
	low, high cuda.Buffer[float64] // [dim][nodes], leaves first
	least     cuda.Buffer[uint32]
	first     []int // where the nodes of a level begin
	count     []int
}

const (
	treeWidth  = 32
	treeLevels = 6 // of 2^32 points
)

// newTree builds the tree over points that are in order.
func newTree(m *memory, points *index) (*tree, error) {
	t := &tree{index: points}
	nodes := 0
	for n := points.n; n > 0 && (len(t.count) == 0 || n > treeWidth); {
		n = ceilDiv(n, treeWidth)
		t.first, t.count = append(t.first, nodes), append(t.count, n)
		nodes += n
	}
	err := firstError(into(&t.low, m, points.dim*nodes), into(&t.high, m, points.dim*nodes), into(&t.least, m, nodes))
	if err != nil {
		return nil, err
	}
	p := levelParams{Low: points.x.Ptr, High: points.x.Ptr, Least: points.id.Ptr, N: uint32(points.n), Stride: uint32(points.stride), Nodes: uint32(nodes), Dim: int32(points.dim)}
	for level, first := range t.first {
		p.LowOut, p.HighOut = t.low.Slice(first, t.low.N).Ptr, t.high.Slice(first, t.high.N).Ptr
		p.LeastOut = t.least.Slice(first, nodes).Ptr
		if err := launchEach(m.stream, "tree_level", int(p.N), &p); err != nil {
			return nil, err
		}
		p.Low, p.High, p.Least, p.N, p.Stride = p.LowOut, p.HighOut, p.LeastOut, uint32(t.count[level]), uint32(nodes)
	}
	return t, nil
}

// params is the tree as the kernels see it.
func (t *tree) params() treeParams {
	p := treeParams{X: t.x.Ptr, ID: t.id.Ptr, Low: t.low.Ptr, High: t.high.Ptr, Least: t.least.Ptr,
		N: uint32(t.n), Stride: uint32(t.stride), Nodes: uint32(t.least.N), Levels: uint32(len(t.count))}
	for level := range t.count {
		p.First[level], p.Count[level] = uint32(t.first[level]), uint32(t.count[level])
	}
	return p
}
