package dbscan

import (
	"slices"
	"unsafe"

	"skyjoin/internal/each"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// label returns the label of each position, with clusters numbered by their lowest
// core row, and the number of core rows of each cluster. It consumes the forest.
func (c *cellRun) label() (byPosition []int32, sizes []int64, err error) {
	if byPosition, sizes, err = c.forest.labels(nil); err != nil {
		return nil, nil, err
	}
	return byPosition, c.number(byPosition, sizes), nil
}

// byRow returns the labels of all rows, and which rows are core. It reuses the
// memory of the points' IDs for the labels and that of enough for core: neither is
// needed any longer.
func (c *cellRun) byRow(byPosition []int32) (labels []int32, core []bool) {
	n := len(byPosition)
	labels = unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(c.points.ID))), n)
	c.points.ID = nil
	if core, c.enough = c.enough, nil; core == nil {
		core = make([]bool, n)
	}
	par.Chunks(c.threads, n, func(_, lo, hi int) {
		for i, row := range c.grid.Rows()[lo:hi] {
			labels[row] = byPosition[lo+i]
			core[row] = c.kind[lo+i] != other
		}
	})
	return labels, core
}

// number renumbers clusters by their lowest core row.
func (c *cellRun) number(byPosition []int32, sizes []int64) []int64 {
	lowest := slices.Repeat([]uint32{kernel.None}, len(sizes))
	for i, row := range c.grid.Rows() {
		if k := byPosition[i]; k != Noise {
			lowest[k] = min(lowest[k], row)
		}
	}
	order := each.To(len(sizes), func(k int) int32 { return int32(k) })
	slices.SortFunc(order, func(a, b int32) int { return int(int64(lowest[a]) - int64(lowest[b])) })
	number, sorted := make([]int32, len(sizes)), make([]int64, len(sizes))
	for k, old := range order {
		number[old], sorted[k] = int32(k), sizes[old]
	}
	par.Chunks(c.threads, len(byPosition), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if k := byPosition[i]; k != Noise {
				byPosition[i] = number[k]
			}
		}
	})
	return sorted
}
