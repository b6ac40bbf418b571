//go:build cuda && linux

package gpu

import (
	"math/bits"
	"slices"
)

const (
	stageBits  = 16
	stageChunk = 1 << 10
	leafBits   = 5 // of treeWidth
)

// layerBits says into how many layers, as a power of two, a stage cuts a segment, by
// dimension; 0 is none. More layers at once make boxes with less even sides, fewer
// layers take more stages, and many neighbours are worth one bit less. In a plane,
// cutting halves the time of a search, which then takes no longer than the transfer
// of its results. Measured on an H200.
var layerBits = [maxDim + 1]int{3: 4, 4: 3, 5: 2, 6: 2, 7: 2, 8: 2}

// manyNearest is the K from which a stage cuts fewer layers.
const manyNearest = 32

func layers(dim, k int) int {
	step := layerBits[dim]
	if k >= manyNearest {
		step--
	}
	return max(step, 0)
}

// cut sorts the points along the widest axis of their box, those of each of 2^step
// layers along the widest axis of the layer, and so on, until a layer is a leaf.
func (r *ordering) cut(step int) {
	q, n, dim := r.sequence, int(r.p.N), int(r.p.Dim)
	if step == 0 || n <= treeWidth || q.err != nil {
		return
	}
	shifts := stages(n, step)
	most := dim * ceilDiv(n, 1<<shifts[len(shifts)-1])
	low, high := temp[uint64](q, most), temp[uint64](q, most)
	v := &sortable{r.keys, r.spareKeys, r.order, r.rows}
	for _, shift := range shifts {
		segments := ceilDiv(n, 1<<shift)
		p := stageParams{X: r.p.X, Order: v.values.Ptr, Keys: v.keys.Ptr, Low: low.Ptr, High: high.Ptr, N: r.p.N, Segments: uint32(segments), Dim: r.p.Dim, Shift: int32(shift)}
		fill(q, low, 0xff)
		fill(q, high, 0)
		each(q, "stage_boxes", 32*ceilDiv(n, min(1<<shift, stageChunk)), &p)
		each(q, "stage_keys", n, &p)
		r.sort(v, n, stageBits+bits.Len(uint(segments-1)), false)
	}
	if v.values.Ptr != r.order.Ptr {
		copyTo(q, r.order, v.values)
	}
}

// stages returns the sizes, as powers of two, of the segments that are cut: the
// first has all points, and the last become leaves.
func stages(n, step int) (shifts []int) {
	shift := leafBits
	for 1<<shift < n {
		shift += step
		shifts = append(shifts, shift)
	}
	slices.Reverse(shifts)
	return shifts
}
