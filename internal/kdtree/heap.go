package kdtree

import "math"

// A heap keeps the k least pairs (d², row) that it has been offered, the
// largest of them at the root.
type heap struct {
	k        int
	d2       []float64
	row      []uint32
	worst    float64 // pairs that are not less than (worst, worstRow) have no place
	worstRow uint32
}

func newHeap(k int) *heap {
	return &heap{k: k, d2: make([]float64, 0, k), row: make([]uint32, 0, k)}
}

func (h *heap) reset() {
	h.d2, h.row = h.d2[:0], h.row[:0]
	h.worst, h.worstRow = math.Inf(1), math.MaxUint32
}

// offer puts (d2, row) in its place, if it has one.
func (h *heap) offer(d2 float64, row uint32) {
	switch {
	case !(d2 < h.worst || d2 == h.worst && row < h.worstRow):
		return
	case len(h.d2) < h.k:
		h.d2, h.row = append(h.d2, d2), append(h.row, row)
		for i := len(h.d2) - 1; i > 0 && h.less((i-1)/2, i); i = (i - 1) / 2 {
			h.swap(i, (i-1)/2)
		}
	default:
		h.d2[0], h.row[0] = d2, row
		h.sink(0, h.k)
	}
	if len(h.d2) == h.k {
		h.worst, h.worstRow = h.d2[0], h.row[0]
	}
}

// sink moves pair i down in the heap of the first n.
func (h *heap) sink(i, n int) {
	for {
		child := 2*i + 1
		if child >= n {
			return
		}
		if child+1 < n && h.less(child, child+1) {
			child++
		}
		if !h.less(i, child) {
			return
		}
		h.swap(i, child)
		i = child
	}
}

func (h *heap) less(i, j int) bool {
	return h.d2[i] < h.d2[j] || h.d2[i] == h.d2[j] && h.row[i] < h.row[j]
}

func (h *heap) swap(i, j int) {
	h.d2[i], h.d2[j] = h.d2[j], h.d2[i]
	h.row[i], h.row[j] = h.row[j], h.row[i]
}

// sorted returns the pairs in order. The heap must be reset afterwards.
func (h *heap) sorted() ([]uint32, []float64) {
	for n := len(h.d2) - 1; n > 0; n-- {
		h.swap(0, n)
		h.sink(0, n)
	}
	return h.row, h.d2
}
