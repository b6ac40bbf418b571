package grid

import (
	"math"
	"slices"
	"sort"

	"skyjoin/internal/column"
)

// maxQuotient is the largest cell number of a uniform axis. Below it a
// computed quotient is off by less than 2^-20.
const maxQuotient = 1 << 31

// widen is the factor by which cells are wider than the radius. The slack of
// 2^-18 of a cell covers the rounding of two quotients, and of the difference
// of their coordinates, several times over.
const widen = 1 + 0x1p-18

// An axis numbers the cells of one gridded coordinate, such that coordinates
// within the radius are at most reach cells apart. A uniform axis has cells of
// one width. An axis of slabs begins a cell at a coordinate that occurs, and
// the next at the first coordinate more than one width further on: empty space
// takes no numbers and nothing can overflow, whatever the extent.
type axis struct {
	column        int
	reach         uint64
	cells         uint64    // numbers are in [0, cells)
	stride        uint64    // of the number in the key
	wraps         bool      // periodic: cell 0 follows the last
	side          float64   // the period
	origin, scale float64   // uniform: floor((x-origin)·scale)
	starts        []float64 // slabs: where each begins; nil if uniform
}

// newUniform returns a uniform axis for coordinates in [least, most], or false
// if it would have too many cells.
func newUniform(radius, least, most float64, reach int) (axis, bool) {
	a := axis{reach: uint64(reach), origin: least, scale: float64(reach) / (radius * widen)}
	q := (most - least) * a.scale
	if !(q < maxQuotient) { // also when the extent overflows
		return a, false
	}
	a.cells = uint64(q) + 1
	return a, true
}

// newPeriodic returns an axis of whole cells around [0, side]. It returns
// false if a cell would be its neighbour's neighbour on both sides.
func newPeriodic(radius, side float64, reach int) (axis, bool) {
	a := axis{reach: uint64(reach), wraps: true, side: side}
	q := math.Floor(side * (float64(reach) / (radius * widen)))
	return a, a.divide(min(q, maxQuotient))
}

// divide gives a periodic axis q cells, or returns false if these are too few.
func (a *axis) divide(q float64) bool {
	a.cells, a.scale = uint64(q), q/a.side
	return a.cells > 2*a.reach
}

// newSlabs returns an axis of slabs over the values of all columns.
func newSlabs(radius float64, reach int, columns ...column.Column) axis {
	n := 0
	for _, c := range columns {
		n += c.Len()
	}
	values := make([]float64, n)
	n = 0
	for _, c := range columns {
		c.Copy(values[n:n+c.Len()], 0)
		n += c.Len()
	}
	slices.Sort(values)
	width := radius * widen / float64(reach)
	starts := values[:0]
	for _, x := range values {
		if len(starts) == 0 || x-starts[len(starts)-1] > width {
			starts = append(starts, x)
		}
	}
	starts = slices.Clone(starts)
	return axis{reach: uint64(reach), cells: uint64(len(starts)), starts: starts}
}

// number returns the cell of coordinate x.
func (a *axis) number(x float64) uint64 {
	if a.starts != nil {
		return uint64(sort.Search(len(a.starts), func(i int) bool { return a.starts[i] > x }) - 1)
	}
	// A quotient can round up to the number of cells on a periodic axis,
	// where a coordinate can also be the side itself.
	return min(uint64((x-a.origin)*a.scale), a.cells-1)
}

// add adds the share of this axis to the key of each coordinate.
func (a *axis) add(key []uint64, x []float64) {
	if a.starts != nil {
		for i, x := range x {
			key[i] += (a.number(x) + a.reach) * a.stride
		}
		return
	}
	last, pad := a.cells-1, a.reach*a.stride
	for i, x := range x {
		key[i] += min(uint64(int64((x-a.origin)*a.scale)), last)*a.stride + pad
	}
}

// padded is the number of cells with those left empty at both ends, so that
// the cells around one never run into the next row of cells.
func (a *axis) padded() uint64 { return a.cells + 2*a.reach }

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
