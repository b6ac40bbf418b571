//go:build cuda && linux

package gpu

import "skyjoin/internal/cuda"

// A curve puts points into an order in which consecutive points are near each other:
// along a Hilbert curve over their extents and then, because the boxes along it
// overlap, by cutting it into layers, in stages, as a k-d tree does. The points of
// the last layers keep the order of the curve.
type curve struct {
	extents []extent
	step    int // layers per stage, as a power of two; 0: none
	rounds  int // in which groups of points with equal keys were refined
}

// maxRefined is how many times points with equal keys are refined. Each round uses a
// curve over the box of the points that share a key, so that a distant outlier costs
// one round, and nested clusters one for each level that 64 bits cannot resolve;
// groups that remain make searches slow, not wrong.
const maxRefined = 16

// sorted returns the points in the order of the curve; points with equal coordinates
// are in the order of their rows. They live as long as m.
func (c *curve) sorted(m *memory, x []cuda.Buffer[float64]) (*index, error) {
	q := begin(m.stream)
	n, dim := x[0].N, len(x)
	ix := &index{n: n, dim: dim, stride: (n + 31) &^ 31, id: kept[uint32](q, m, n)}
	if q.err != nil || n == 0 {
		return ix, q.err
	}
	c.order(q, x, ix.id)
	q.end()
	ix.x = kept[float64](q, m, dim*ix.stride)
	each(q, "gather", n, &gatherParams{X: addresses(x), Sorted: ix.x.Ptr, Order: ix.id.Ptr, N: uint32(n), Stride: uint32(ix.stride), Dim: int32(dim)})
	return ix, q.err
}

// order writes the rows in the order of the curve to id.
func (c *curve) order(q *sequence, x []cuda.Buffer[float64], id cuda.Buffer[uint32]) {
	n := id.N
	v := &sortable{keys: temp[uint64](q, n), spareKeys: temp[uint64](q, n), values: temp[uint32](q, n), spareValues: id}
	s := newSorter(q, n)
	p := curveParams{X: addresses(x), Keys: v.keys.Ptr, N: uint32(n), Dim: int32(len(x)), Bits: curveBits(64, len(x))}
	for j, e := range c.extents {
		p.Low[j], p.High[j] = e.low, e.high
	}
	each(q, "curve_keys", n, &p)
	s.sort(v, n, int(p.Bits)*len(x), true)
	if v.values.Ptr != id.Ptr {
		copyTo(q, id, v.values)
		v.values, v.spareValues = v.spareValues, v.values
	}
	r := &ordering{sorter: s, keys: v.keys, spareKeys: v.spareKeys, order: id, rows: v.spareValues, p: refineParams{X: p.X, N: p.N, Dim: p.Dim}}
	more := r.look()
	for c.rounds = 0; more && c.rounds < maxRefined; {
		if more = r.round(); more {
			c.rounds++
		}
	}
	r.cut(c.step)
}
