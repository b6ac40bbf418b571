//go:build cuda && linux

package gpu

import "skyjoin/internal/cuda"

// A curve orders points such that those that follow each other are near: along a
// Hilbert curve over their extents, and then, as that crosses itself in boxes,
// in stages of slabs, as the cells of a k-d tree are. What many points of a slab
// share they keep of the curve's order.
type curve struct {
	extents []extent
	step    int // of the slabs, as a power of two; 0: none
	rounds  int // in which groups of points with the same key were refined
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
	return ix, launchEach(m.stream, "gather", n, &p)
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
	if err := launchEach(st, "curve_keys", n, &p); err != nil {
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
	r := &ordering{memory: scratch, sorter: s, keys: keys, keys2: keys2, order: id, rows: rows, p: refineParams{X: p.X, N: p.N, Dim: p.Dim}}
	more, err := r.look()
	for c.rounds = 0; err == nil && more && c.rounds < maxRefined; {
		if more, err = r.round(); more {
			c.rounds++
		}
	}
	if err != nil {
		return err
	}
	return r.cut(c.step)
}

// curveBits is the bits of a coordinate in keys of so many.
func curveBits(key, dim int) int32 { return int32(min(key/dim, 32)) }
