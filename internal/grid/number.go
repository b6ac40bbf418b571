package grid

import (
	"math"

	"skyjoin/internal/column"
	"skyjoin/internal/kernel"
)

// A Numbering numbers the cells of one coordinate in ascending order, such
// that coordinates within the radius are at most one cell apart, at any
// extent.
type Numbering struct{ axis axis }

// NewNumbering returns a numbering of the coordinates in all the columns.
// radius must be at least that of [Reach].
func NewNumbering(radius float64, columns ...column.Column) Numbering {
	least, most := math.Inf(1), math.Inf(-1)
	for _, c := range columns {
		a, b := c.Bounds(0, c.Len())
		least, most = min(least, a), max(most, b)
	}
	if !(least < most) {
		return Numbering{axis{cells: 1, origin: least}}
	}
	a, ok := newUniform(radius, least, most, 1)
	if !ok {
		a = newSlabs(radius, 1, columns...)
	}
	return Numbering{a}
}

// Cells returns how many numbers there are.
func (n *Numbering) Cells() uint64 { return n.axis.cells }

// Number returns the number of the cell of coordinate x.
func (n *Numbering) Number(x float64) uint64 {
	if n.axis.cells == 1 {
		return 0
	}
	return n.axis.number(x)
}

// SortByKey sorts keys and, with them, rows by key, stably and in parallel. It
// uses both as scratch and returns where the result is. rows must have
// [kernel.Slack] elements more than keys, and so has the result.
func SortByKey(threads int, keys []uint64, rows []uint32) ([]uint64, []uint32) {
	b := &builder{
		threads: threads, n: len(keys),
		keys: keys, keys2: make([]uint64, len(keys)),
		rows: rows, rows2: make([]uint32, len(keys)+kernel.Slack),
	}
	for _, k := range keys {
		b.largest |= k // as many bits as the largest has
	}
	b.sort()
	return b.keys, b.rows
}
