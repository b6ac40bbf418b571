//go:build cuda && linux

package gpu

import (
	"math/bits"
	"slices"

	"skyjoin/internal/cuda"
)

const (
	stageBits  = 16
	stageChunk = 1 << 10
	leafBits   = 5 // of treeWidth
)

// slabBits says into how many slabs, as a power of two, a stage cuts a segment, by
// dimension; 0 is none. Slabs that are cut fewer times have less even sides, more
// stages take longer, and many neighbours are worth one bit less. In a plane that
// halves a search which takes no longer than its results are on their way.
// Measured on an H200.
var slabBits = [maxDim + 1]int{3: 4, 4: 3, 5: 2, 6: 2, 7: 2, 8: 2}

// manyNearest is from which K on there are finer slabs.
const manyNearest = 32

func slabs(dim, k int) int {
	step := slabBits[dim]
	if k >= manyNearest {
		step--
	}
	return max(step, 0)
}

// cut sorts the points along the widest axis of their box, those of each slab
// of 2^step along the widest axis of its own, and so on, until a slab is a leaf.
func (r *ordering) cut(step int) error {
	n, dim := int(r.p.N), int(r.p.Dim)
	if step == 0 || n <= treeWidth {
		return nil
	}
	shifts := stages(n, step)
	boxes := &memory{stream: r.stream}
	defer boxes.release()
	var low, high cuda.Buffer[uint64]
	most := dim * ceilDiv(n, 1<<shifts[len(shifts)-1])
	if err := firstError(into(&low, boxes, most), into(&high, boxes, most)); err != nil {
		return err
	}
	order, other := r.order, r.rows
	for _, shift := range shifts {
		segments := ceilDiv(n, 1<<shift)
		p := stageParams{X: r.p.X, Order: order.Ptr, Keys: r.keys.Ptr, Low: low.Ptr, High: high.Ptr, N: r.p.N, Segments: uint32(segments), Dim: r.p.Dim, Shift: int32(shift)}
		warps := ceilDiv(n, min(1<<shift, stageChunk))
		err := firstError(cuda.Clear(r.stream, low, 0xff), cuda.Clear(r.stream, high, 0),
			launchEach(r.stream, "stage_boxes", 32*warps, &p),
			launchEach(r.stream, "stage_keys", n, &p))
		if err != nil {
			return err
		}
		sorted, rows, err := r.sort(r.stream, r.keys, r.keys2, order, other, n, stageBits+bits.Len(uint(segments-1)), false)
		if err != nil {
			return err
		}
		if rows.Ptr != order.Ptr {
			order, other = other, order
		}
		if sorted.Ptr != r.keys.Ptr {
			r.keys, r.keys2 = r.keys2, r.keys
		}
	}
	if order.Ptr == r.order.Ptr {
		return nil
	}
	return cuda.Copy(r.stream, r.order, order)
}

// stages returns the sizes, as powers of two, of the segments that are cut, the
// largest first: all points are in one of these, and the last become leaves.
func stages(n, step int) (shifts []int) {
	shift := leafBits
	for 1<<shift < n {
		shift += step
		shifts = append(shifts, shift)
	}
	slices.Reverse(shifts)
	return shifts
}
