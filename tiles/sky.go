package tiles

import (
	"math"
	"slices"
	"sort"

	"skyjoin/internal/healpix"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// A skyDivision gives each tile a range of nested HEALPix cells of the finest
// order: tile i has [cuts[i], cuts[i+1]).
//
// The tree divides the sky down to where one tile alone is within reach, or to
// cells that are small beside the reach or the tiles. Its leaves are larger
// than the halo asks for, never smaller.
type skyDivision struct {
	cuts  []int64
	reach float64 // radians
	only  int     // the one tile that is asked about, -1 for all

	// chord2 is, for cells of each order, the square of the chord between the
	// centres of those that have points within reach of each other, at most.
	chord2 [finestOrder + 1]float64

	nodes []skyNode
	child []int32   // of each node: the first of its four parts, which are nodes; 0 for a leaf
	top   []int32   // of each cell of topOrder: the node, or -1 - tile if no other tile is near
	alone [][]int32 // of each tile, a list of itself
}

// A skyNode is a cell of the tree.
type skyNode struct {
	owner int32   // of a leaf: the tile that has all of it, else ask the cuts; or nobody
	near  []int32 // all tiles that are within reach of it, ascending
}

// Owners of leaves that are no tile.
const (
	askCuts = -1
	nobody  = -2 // none that is asked about
)

// finestOrder is that of the smallest cells of a tree: less than an arcsec.
const finestOrder = 20

// topOrder is the order of the table that spares the descent through the tree.
const topOrder = 7

// newSkyDivision makes the tree for an angle that halos reach. With only, a
// tile, it tells of that tile alone what is its own and in its halo; -1 is all.
func newSkyDivision(cuts []int64, reach float64, only int) *skyDivision {
	// The bounds of cells are rounded, and so are positions.
	d := &skyDivision{cuts: cuts, reach: reach*(1+1e-9) + 1e-12, only: only}
	for order := range d.chord2 {
		chord := 2 * math.Sin(min(d.reach+2*healpix.Radius(order), math.Pi)/2)
		d.chord2[order] = chord*chord*(1+1e-12) + 1e-24
	}
	all := make([]skyCell, healpix.Base)
	for i := range all {
		all[i] = d.cell(0, int64(i))
	}
	d.nodes, d.child = make([]skyNode, healpix.Base), make([]int32, healpix.Base)
	for i := range all {
		d.grow(int32(i), all[i], all)
	}
	d.alone = make([][]int32, len(cuts)-1)
	for i := range d.alone {
		d.alone[i] = []int32{int32(i)}
	}
	d.top = make([]int32, healpix.Cells(topOrder))
	for i := range d.top {
		node := d.descend(int32(i>>(2*topOrder)), 0, topOrder, int64(i)<<(2*(healpix.MaxOrder-topOrder)))
		if d.top[i] = node; d.child[node] == 0 && len(d.nodes[node].near) == 1 {
			d.top[i] = -1 - d.nodes[node].near[0]
		}
	}
	return d
}

// A skyCell is a cell and the tiles [first, last] that have parts of it.
type skyCell struct {
	order       int
	number      int64
	x, y, z     float64 // its centre
	first, last int
}

func (d *skyDivision) cell(order int, number int64) skyCell {
	lo, hi := healpix.Range(order, number)
	c := skyCell{order: order, number: number, first: d.tile(lo), last: d.tile(hi - 1)}
	c.x, c.y, c.z = healpix.Centre(order, number)
	return c
}

// parts returns the four parts of a cell.
func (d *skyDivision) parts(c skyCell) (out [4]skyCell) {
	for i := range out {
		out[i] = d.cell(c.order+1, 4*c.number+int64(i))
	}
	return out
}

// within reports whether points of two cells of one order can be within reach.
func (d *skyDivision) within(a, b *skyCell) bool {
	x, y, z := a.x-b.x, a.y-b.y, a.z-b.z
	return float64(x*x)+float64(y*y)+float64(z*z) <= d.chord2[a.order]
}

// grow makes the tree below a node, for the cell c; cells are all that can be
// within reach of it.
func (d *skyDivision) grow(node int32, c skyCell, cells []skyCell) {
	around := make([]skyCell, 0, len(cells)/2)
	var tiles []int32
	for i := range cells {
		if !d.within(&c, &cells[i]) {
			continue
		}
		around = append(around, cells[i])
		if n := len(tiles); n > 0 && cells[i].first == cells[i].last && tiles[n-1] == int32(cells[i].first) {
			continue // as most are
		}
		for t := cells[i].first; t <= cells[i].last; t++ {
			if d.cuts[t] < d.cuts[t+1] && !slices.Contains(tiles, int32(t)) {
				tiles = append(tiles, int32(t))
			}
		}
	}
	slices.Sort(tiles)
	n := &d.nodes[node]
	n.near = tiles
	if d.only >= 0 && !slices.Contains(tiles, int32(d.only)) {
		n.owner, n.near = nobody, nil
		return
	}
	n.owner = askCuts
	if c.first == c.last {
		n.owner = int32(c.first)
	}
	if len(tiles) == 1 || d.fine(c.order, tiles) {
		return
	}
	next := make([]skyCell, 0, 4*len(around))
	for _, a := range around {
		for _, p := range d.parts(a) {
			next = append(next, p)
		}
	}
	child := int32(len(d.nodes))
	d.child[node] = child
	d.nodes = append(d.nodes, make([]skyNode, 4)...) // n is not valid from here on
	d.child = append(d.child, make([]int32, 4)...)
	for i, p := range d.parts(c) {
		d.grow(child+int32(i), p, next)
	}
}

// fine reports whether smaller cells of the tree are not worth it: they are a
// fraction of the reach, or of the tiles.
func (d *skyDivision) fine(order int, tiles []int32) bool {
	if order == finestOrder {
		return true
	}
	parts := max(128, 2048/float64(d.tiles())) // of the side of a tile; many tiles have many borders
	width := healpix.Width(order)
	smallest := math.Inf(1)
	for _, t := range tiles {
		smallest = min(smallest, float64(d.cuts[t+1]-d.cuts[t]))
	}
	return width <= d.reach/2 || width <= math.Sqrt(smallest)*healpix.Width(healpix.MaxOrder)/parts
}

// tile returns the tile that has a cell of the finest order.
func (d *skyDivision) tile(cell int64) int {
	return sort.Search(len(d.cuts)-1, func(i int) bool { return d.cuts[i+1] > cell })
}

// descend goes down from a node, of the given order, that holds the cell of the
// finest order, to a leaf or a node of the order to.
func (d *skyDivision) descend(node int32, order, to int, cell int64) int32 {
	for ; order < to && d.child[node] > 0; order++ {
		node = d.child[node] + int32(cell>>(2*(healpix.MaxOrder-order-1))&3)
	}
	return node
}

func (d *skyDivision) tiles() int { return len(d.cuts) - 1 }

func (d *skyDivision) place(p *neighbors.Points, row int, _ *scratch) (owner int32, near []int32) {
	return d.at(cellOf(p.Column(0).At(row), p.Column(1).At(row)))
}

// at is place of a cell of the finest order.
func (d *skyDivision) at(cell int64) (owner int32, near []int32) {
	node := d.top[cell>>(2*(healpix.MaxOrder-topOrder))]
	if node < 0 {
		return -1 - node, d.alone[-1-node]
	}
	n := &d.nodes[d.descend(node, topOrder, healpix.MaxOrder, cell)]
	if owner = n.owner; owner == askCuts {
		owner = int32(d.tile(cell))
	}
	return owner, n.near
}

// cellOf returns the finest cell of a position in degrees.
func cellOf(ra, dec float64) int64 {
	sin, cos := neighbors.SinCosDec(dec)
	return healpix.Cell(ra, sin, cos)
}

// touch walks the tree for leaves that a range of RA and Dec can meet.
func (d *skyDivision) touch(b []catalog.Interval, tiles map[int32]bool) {
	if b[0].Lo > b[0].Hi || b[1].Lo > b[1].Hi {
		return // no row has a position
	}
	var walk func(node int32, c skyCell)
	walk = func(node int32, c skyCell) {
		n := &d.nodes[node]
		known := true
		for _, t := range n.near {
			known = known && tiles[t]
		}
		switch {
		case known || !meets(&c, b[0], b[1]):
		case d.child[node] > 0:
			for i, p := range d.parts(c) {
				walk(d.child[node]+int32(i), p)
			}
		default:
			for _, t := range n.near {
				tiles[t] = true
			}
		}
	}
	for i := range int64(healpix.Base) {
		walk(int32(i), d.cell(0, i))
	}
}

// meets reports whether a cell can have points of a range of RA and Dec in
// degrees.
func meets(c *skyCell, ra, dec catalog.Interval) bool {
	const degree = math.Pi / 180
	r := healpix.Radius(c.order) + 1e-9
	at := math.Atan2(c.z, math.Hypot(c.x, c.y))
	switch {
	case at+r < dec.Lo*degree || at-r > dec.Hi*degree:
		return false
	case !(ra.Hi-ra.Lo < 360) || math.Abs(at)+r >= math.Pi/2:
		return true
	}
	wide := math.Asin(min(1, math.Sin(r)/math.Cos(at)))/degree + (ra.Hi-ra.Lo)/2 + 1e-7
	off := math.Remainder(math.Atan2(c.y, c.x)/degree-(ra.Lo+(ra.Hi-ra.Lo)/2), 360)
	return math.Abs(off) <= wide
}
