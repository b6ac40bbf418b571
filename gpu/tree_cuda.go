//go:build cuda && linux

package gpu

import (
	"math/bits"

	"skyjoin/internal/cuda"
)

// A tree is a bounding volume tree over the points of one side, on the device:
// points in the order of a Hilbert curve, 32 of them a leaf, 32 nodes that
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
		if err := cuda.Launch(m.stream, "tree_level", ceilDiv(int(p.N), 256), 256, 0, &p); err != nil {
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

// A curve orders points along a Hilbert curve over their extents.
type curve struct {
	extents []extent
	rounds  int // in which groups of points with the same key were refined, in all
}

// maxRefined is how many times points that share a key are told apart. Each
// time the curve is one over the box of those that share it, so that a distant
// outlier costs one, and clusters in clusters one for each level that 64 bits do
// not tell apart; what is left is slow, not wrong.
const maxRefined = 16

// sorted returns the points in the order of the curve, and points with the same
// coordinates in that of their rows.
func (c *curve) sorted(m *memory, x []cuda.Buffer[float64]) (*index, error) {
	n, dim := x[0].N, len(x)
	ix := &index{n: n, dim: dim, stride: (n + 31) &^ 31}
	if err := into(&ix.id, m, n); err != nil || n == 0 {
		return ix, err
	}
	if err := c.order(m.stream, x, ix.id); err != nil {
		return nil, err
	}
	if err := into(&ix.x, m, dim*ix.stride); err != nil {
		return nil, err
	}
	p := gatherParams{Sorted: ix.x.Ptr, Order: ix.id.Ptr, N: uint32(n), Stride: uint32(ix.stride), Dim: int32(dim)}
	for j := range x {
		p.X[j] = x[j].Ptr
	}
	return ix, cuda.Launch(m.stream, "gather", ceilDiv(n, 256), 256, 0, &p)
}

// order writes the rows in the order of the curve to id.
func (c *curve) order(st *cuda.Stream, x []cuda.Buffer[float64], id cuda.Buffer[uint32]) error {
	n := id.N
	scratch := &memory{stream: st}
	defer scratch.release()
	var keys, keys2 cuda.Buffer[uint64]
	var rows cuda.Buffer[uint32]
	err := firstError(into(&keys, scratch, n), into(&keys2, scratch, n), into(&rows, scratch, n))
	if err != nil {
		return err
	}
	s, err := newSorter(scratch, n)
	if err != nil {
		return err
	}
	p := curveParams{Keys: keys.Ptr, N: uint32(n), Dim: int32(len(x)), Bits: curveBits(64, len(x))}
	for j, e := range c.extents {
		p.X[j], p.Low[j], p.High[j] = x[j].Ptr, e.low, e.high
	}
	if err := cuda.Launch(st, "curve_keys", ceilDiv(n, 256), 256, 0, &p); err != nil {
		return err
	}
	sorted, order, err := s.sort(st, keys, keys2, rows, id, n, int(p.Bits)*len(x), true)
	if err != nil {
		return err
	}
	if order.Ptr != id.Ptr {
		if err := cuda.Copy(st, id, order); err != nil {
			return err
		}
	}
	if sorted.Ptr != keys.Ptr {
		keys, keys2 = keys2, keys
	}
	r := &refinement{memory: scratch, sorter: s, keys: keys, keys2: keys2, order: id, rows: rows, p: refineParams{X: p.X, N: p.N, Dim: p.Dim}}
	more, err := r.look()
	for c.rounds = 0; err == nil && more && c.rounds < maxRefined; {
		if more, err = r.round(); more {
			c.rounds++
		}
	}
	return err
}

// curveBits is the bits of a coordinate in keys of so many.
func curveBits(key, dim int) int32 { return int32(min(key/dim, 32)) }

// A refinement tells points apart that share a key.
type refinement struct {
	*memory
	*sorter
	keys, keys2    cuda.Buffer[uint64]
	order          cuda.Buffer[uint32]
	rows, rows2    cuda.Buffer[uint32]
	flags, group   cuda.Buffer[uint32]
	start, large   cuda.Buffer[uint32]
	member, places cuda.Buffer[uint32]
	p              refineParams
}

// look reports whether more points than a leaf has share a key. If so it takes
// the memory that rounds need.
func (r *refinement) look() (bool, error) {
	n := int(r.p.N)
	var found cuda.Buffer[uint32]
	var any [1]uint32
	if err := firstError(into(&found, r.memory, 1), cuda.Clear(r.stream, found, 0)); err != nil {
		return false, err
	}
	r.p.Keys, r.p.Found, r.p.Order = r.keys.Ptr, found.Ptr, r.order.Ptr
	if err := firstError(r.launch("refine_look", n), cuda.Download(r.stream, any[:], found), r.stream.Sync()); err != nil || any[0] == 0 {
		return false, err
	}
	err := firstError(into(&r.rows2, r.memory, n), into(&r.flags, r.memory, n), into(&r.group, r.memory, n), into(&r.start, r.memory, n+1),
		into(&r.large, r.memory, n), into(&r.member, r.memory, n), into(&r.places, r.memory, n))
	if err != nil {
		return false, err
	}
	r.p.Flags, r.p.Group, r.p.Start, r.p.Large = r.flags.Ptr, r.group.Ptr, r.start.Ptr, r.large.Ptr
	r.p.Member, r.p.Position, r.p.Rows = r.member.Ptr, r.places.Ptr, r.rows.Ptr
	return true, r.launch("refine_flags", n)
}

// round refines the groups that have more points than a leaf. It reports
// whether there were any whose points do not all coincide.
func (r *refinement) round() (more bool, err error) {
	n, dim := int(r.p.N), int(r.p.Dim)
	groups, err := r.number(r.flags, r.group)
	if err != nil {
		return false, err
	}
	r.p.Groups = uint32(groups)
	large := r.large.Slice(0, groups)
	if err := firstError(r.launch("refine_groups", n), r.launch("refine_large", groups)); err != nil {
		return false, err
	}
	larger, err := r.number(large, large)
	if err != nil || larger == 0 {
		return false, err
	}
	boxes := &memory{stream: r.stream}
	defer boxes.release()
	var low, high cuda.Buffer[uint64]
	err = firstError(into(&low, boxes, dim*larger), into(&high, boxes, dim*larger))
	if err != nil {
		return false, err
	}
	r.p.Larger, r.p.Low, r.p.High = uint32(larger), low.Ptr, high.Ptr
	err = firstError(cuda.Clear(r.stream, low, 0xff), cuda.Clear(r.stream, high, 0), r.launch("refine_boxes", n), r.launch("refine_members", n))
	if err != nil {
		return false, err
	}
	members, err := r.number(r.member, r.member)
	if err != nil || members == 0 {
		return false, err
	}
	of := bits.Len(uint(larger - 1))
	r.p.Members, r.p.Bits = uint32(members), curveBits(64-of, dim)
	r.p.Keys, r.p.Rows = r.keys.Ptr, r.rows.Ptr
	if err := r.launch("refine_keys", n); err != nil {
		return false, err
	}
	sorted, rows, err := r.sort(r.stream, r.keys, r.keys2, r.rows, r.rows2, members, int(r.p.Bits)*dim+of, false)
	if err != nil {
		return false, err
	}
	r.p.Keys, r.p.Rows = sorted.Ptr, rows.Ptr
	return true, r.launch("refine_put", members)
}

// number writes the sums of what is before each element, and returns that of
// all.
func (r *refinement) number(in, out cuda.Buffer[uint32]) (int, error) {
	var sum [1]uint64
	err := firstError(r.scan(r.stream, in, out, cuda.Buffer[uint64]{}), cuda.Download(r.stream, sum[:], r.total(in.N)), r.stream.Sync())
	return int(sum[0]), err
}

func (r *refinement) launch(kernel string, threads int) error {
	p := r.p // of a struct with pointers C must not see
	return cuda.Launch(r.stream, kernel, ceilDiv(threads, 256), 256, 0, &p)
}
