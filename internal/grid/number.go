package grid

import (
	"math"

	"skyjoin/internal/column"
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
