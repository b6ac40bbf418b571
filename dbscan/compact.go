package dbscan

import (
	"math"

	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// maxCompactDim is the largest dimension with compact cells: with more, a cell
// has too many cells around it.
const maxCompactDim = 3

// compact divides core rows into cells so small that rows of one cell are
// within ε of each other, and thus in one cluster (Gunawan, 2013).
//
// Nothing depends on the rounding of cell numbers: a cell counts as one only
// if the corners of the bounding box of its rows are within ε, computed as d²
// of rows is, which is monotone in the differences; and the cells looked at
// around a cell are one more in each direction than the radius needs.
type compact struct {
	points  *kernel.Points
	t       float64 // largest d² within ε
	dim     int
	reach   int64 // cells further apart in any dimension hold no neighbours
	origin  [maxCompactDim]float64
	width   float64
	indexOf map[uint64]uint32

	// Per cell:
	key  []uint64
	row  []uint32  // the first core row
	box  []float64 // dim least and dim largest coordinates
	one  []bool    // all rows are in one cluster
	done []bool    // and so are all core rows that are neighbours of any
}

// keyBits is the number of bits of the cell number of one dimension in a key.
const keyBits = 20

// newCompact returns an empty division of the points of a plan, or nil where
// it cannot be had: too many dimensions, an extent of too many cells, an ε too
// small for squares to be normal numbers.
func newCompact(points *kernel.Points, t float64) *compact {
	c := &compact{points: points, t: t, dim: points.Dim, indexOf: map[uint64]uint32{}}
	if c.dim > maxCompactDim || points.N == 0 || t < 0x1p-900 {
		return nil
	}
	radius := grid.Reach(t)
	c.width = math.Sqrt(t/float64(c.dim)) * (1 - 0x1p-20)
	c.reach = int64(radius/c.width+0x1p-10) + 1
	for j := range c.dim {
		column := points.Data[j*points.Stride:][:points.N]
		least, most := column[0], column[0]
		for _, x := range column {
			least, most = min(least, x), max(most, x)
		}
		// Below 2^20 cells a computed cell number is off by less than 2^-30.
		if !((most-least)/c.width < 1<<keyBits-2) {
			return nil
		}
		c.origin[j] = least
	}
	return c
}

// keyAt returns the key of the cell of a position.
func (c *compact) keyAt(slot uint32) (key uint64) {
	for j := range c.dim {
		x := c.points.Data[j*c.points.Stride+int(slot)]
		key = key<<keyBits | uint64((x-c.origin[j])/c.width)
	}
	return key
}

// add puts the core row at a position into its cell, which it returns.
func (c *compact) add(slot uint32) uint32 {
	key := c.keyAt(slot)
	cell, ok := c.indexOf[key]
	if !ok {
		cell = uint32(len(c.key))
		c.indexOf[key] = cell
		c.key = append(c.key, key)
		c.row = append(c.row, c.points.ID[slot])
		for range 2 {
			for j := range c.dim {
				c.box = append(c.box, c.points.Data[j*c.points.Stride+int(slot)])
			}
		}
		return cell
	}
	box := c.boxOf(cell)
	for j := range c.dim {
		x := c.points.Data[j*c.points.Stride+int(slot)]
		box[j], box[c.dim+j] = min(box[j], x), max(box[c.dim+j], x)
	}
	return cell
}

func (c *compact) boxOf(cell uint32) []float64 { return c.box[2*c.dim*int(cell):][:2*c.dim] }

// close ends the adding.
func (c *compact) close() {
	c.one, c.done = make([]bool, len(c.key)), make([]bool, len(c.key))
	for cell := range c.one {
		box := c.boxOf(uint32(cell))
		var d2 float64
		for j := range c.dim {
			d := box[c.dim+j] - box[j]
			d2 += float64(d * d)
		}
		c.one[cell] = d2 <= c.t
	}
}

// cellsAround is the number of cells that are looked at around one.
func (c *compact) cellsAround() float64 { return math.Pow(float64(2*c.reach+1), float64(c.dim)) }

// finish marks the cells that are done, given the sets known so far.
func (c *compact) finish(f *forest, threads int) {
	par.Chunks(threads, len(c.done), func(_, lo, hi int) {
		for cell := lo; cell < hi; cell++ {
			if !c.done[cell] {
				c.done[cell] = c.one[cell] && c.united(f, uint32(cell))
			}
		}
	})
}

// united reports whether all cells that can hold neighbours of the rows of a
// cell are in the same set as it.
func (c *compact) united(f *forest, cell uint32) bool {
	root := f.root(c.row[cell])
	var at, least, most [maxCompactDim]int64
	for j := range c.dim {
		at[j] = int64(c.key[cell] >> (keyBits * (c.dim - 1 - j)) & (1<<keyBits - 1))
		least[j], most[j] = max(at[j]-c.reach, 0), min(at[j]+c.reach, 1<<keyBits-1)
		at[j] = least[j]
	}
	for {
		var key uint64
		for j := range c.dim {
			key = key<<keyBits | uint64(at[j])
		}
		if other, ok := c.indexOf[key]; ok && other != cell && (!c.one[other] || f.root(c.row[other]) != root) && c.near(cell, other) {
			return false
		}
		j := c.dim - 1
		for ; j >= 0; j-- { // the next cell
			if at[j]++; at[j] <= most[j] {
				break
			}
			at[j] = least[j]
		}
		if j < 0 {
			return true
		}
	}
}

// near reports whether rows of two cells can be neighbours, by the gap between
// their boxes.
func (c *compact) near(a, b uint32) bool {
	p, q := c.boxOf(a), c.boxOf(b)
	var d2 float64
	for j := range c.dim {
		d := max(q[j]-p[c.dim+j], p[j]-q[c.dim+j], 0)
		d2 += float64(d * d)
	}
	return d2 <= c.t
}
