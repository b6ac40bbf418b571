package tiles

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"

	"skyjoin/internal/each"
	"skyjoin/internal/healpix"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// A skyDivision gives each tile a range of nested HEALPix cells of the finest order:
// tile i has [cuts[i], cuts[i+1]).
//
// A quadtree divides the sky down to cells that only one tile is within reach of, or
// that are small compared with the reach or the tiles. Such a leaf may list more
// tiles than its rows are near to, never fewer. The tree grows where it is queried,
// so that its size depends on the queries more than on the number of tiles; complete
// grows all of it, after which goroutines may share it.
type skyDivision struct {
	cuts  []int64
	reach float64 // radians
	only  int     // the one tile of interest, -1 for all

	// chord2 is, for each order, an upper bound on the squared chord between the
	// centres of two cells that have points within reach of each other.
	chord2 [finestOrder + 1]float64

	nodes []skyNode
	lists [][]int32        // of tiles, ascending: what skyNode.near numbers
	known map[string]int32 // the numbers of lists, by their content
	top   []int32          // of each cell of topOrder: the node; nil until the tree is complete

	path  [finestOrder + 1]skyStep
	next  []skyCell // memory for children
	key   []byte    // memory for list
	cells []skyCell // recently computed cells, at hashed positions
}

// A skyNode is a node of the tree.
type skyNode struct {
	child int32 // the first of its four children; 0 for a leaf, or a negative value below
	owner int32 // the tile that owns all of it, or a negative value below
	near  int32 // the number of the list of tiles within reach of it
}

// Values of child and owner that are no node or tile.
const (
	unknown = -1 // whether it is a leaf
	askCuts = -1
	nobody  = -2 // none that is asked about
)

// A skyStep is the cell of an order in which the tree grew last, and all cells that
// can be within reach of it.
type skyStep struct {
	number int64
	around []skyCell
}

// finestOrder is that of the smallest cells of a tree: less than an arcsec.
const finestOrder = 20

// topOrder is the order of the table that shortens the descent through a complete
// tree.
const topOrder = 7

// cellCache is how many cells are kept: each is needed by all cells around it.
const cellCache = 1 << 13

// newSkyDivision makes the division for halos that are reach wide, in radians. If
// only is a tile, the division knows nothing but the own rows and the halo of that
// tile; -1 stands for all tiles.
func newSkyDivision(cuts []int64, reach float64, only int) *skyDivision {
	// The bounds of cells and positions are rounded.
	d := &skyDivision{cuts: cuts, reach: reach*(1+1e-9) + 1e-12, only: only, known: map[string]int32{}, cells: make([]skyCell, cellCache)}
	for order := range d.chord2 {
		chord := 2 * math.Sin(min(d.reach+2*healpix.Radius(order), math.Pi)/2)
		d.chord2[order] = chord*chord*(1+1e-12) + 1e-24
	}
	for i := range d.cells {
		d.cells[i].order = -1
	}
	for order := range d.path {
		d.path[order].number = -1
	}
	all := each.To(healpix.Base, func(i int) skyCell { return d.cell(0, int64(i), 0, d.tiles()-1) })
	for i := range all {
		d.nodes = append(d.nodes, d.node(&all[i], all))
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

// cell returns a cell of which tiles [first, last] have parts.
func (d *skyDivision) cell(order int, number int64, first, last int) skyCell {
	hash := uint64(number)*0x9E3779B97F4A7C15>>32 + uint64(order)
	c := &d.cells[hash%cellCache]
	if c.order == order && c.number == number {
		return *c
	}
	*c = skyCell{order: order, number: number, first: first, last: last}
	if first < last {
		lo, hi := healpix.Range(order, number)
		c.first, c.last = d.tile(lo), d.tile(hi-1)
	}
	c.x, c.y, c.z = healpix.Centre(order, number)
	return *c
}

// part returns one of the four children of a cell.
func (d *skyDivision) part(c *skyCell, i int) skyCell {
	return d.cell(c.order+1, 4*c.number+int64(i), c.first, c.last)
}

// within reports whether points of two cells of one order can be within reach.
func (d *skyDivision) within(a, b *skyCell) bool {
	x, y, z := a.x-b.x, a.y-b.y, a.z-b.z
	return float64(x*x)+float64(y*y)+float64(z*z) <= d.chord2[a.order]
}

// node makes the node of a cell; cells are all that can be within reach of it.
func (d *skyDivision) node(c *skyCell, cells []skyCell) skyNode {
	var some [64]int32
	tiles := some[:0]
	for i := range cells {
		if !d.within(c, &cells[i]) {
			continue
		}
		if n := len(tiles); n > 0 && cells[i].first == cells[i].last && tiles[n-1] == int32(cells[i].first) {
			continue // as most are
		}
		for t := cells[i].first; t <= cells[i].last; t++ {
			if d.cuts[t] < d.cuts[t+1] {
				tiles = append(tiles, int32(t))
			}
		}
	}
	slices.Sort(tiles)
	tiles = slices.Compact(tiles)
	if d.only >= 0 && !slices.Contains(tiles, int32(d.only)) {
		return skyNode{owner: nobody, near: d.list(nil)}
	}
	n := skyNode{child: unknown, owner: askCuts, near: d.list(tiles)}
	if c.first == c.last {
		n.owner = int32(c.first)
	}
	if len(tiles) == 1 || d.fine(c.order, tiles) {
		n.child = 0
	}
	return n
}

// list returns the number of a list of tiles, of which one copy is kept.
func (d *skyDivision) list(tiles []int32) int32 {
	d.key = d.key[:0]
	for _, t := range tiles {
		d.key = binary.LittleEndian.AppendUint32(d.key, uint32(t))
	}
	n, is := d.known[string(d.key)]
	if !is {
		n = int32(len(d.lists))
		d.lists = append(d.lists, slices.Clone(tiles))
		d.known[string(d.key)] = n
	}
	return n
}

// around returns the cells that can be within reach of a cell, including itself.
func (d *skyDivision) around(order int, number int64) []skyCell {
	step := &d.path[order]
	if step.number == number {
		return step.around
	}
	step.number, step.around = number, step.around[:0]
	if order == 0 {
		c := d.cell(0, number, 0, d.tiles()-1)
		for i := range int64(healpix.Base) {
			if a := d.cell(0, i, 0, d.tiles()-1); d.within(&c, &a) {
				step.around = append(step.around, a)
			}
		}
		return step.around
	}
	cells := d.around(order-1, number/4)
	c := d.centre(cells, number/4)
	c = d.part(&c, int(number%4))
	for i := range cells {
		for k := range 4 {
			if a := d.part(&cells[i], k); d.within(&c, &a) {
				step.around = append(step.around, a)
			}
		}
	}
	return step.around
}

// centre returns the cell with a given number from a list.
func (d *skyDivision) centre(cells []skyCell, number int64) skyCell {
	return cells[slices.IndexFunc(cells, func(c skyCell) bool { return c.number == number })]
}

// children returns the first of the four children of a node, which it makes if they
// do not exist yet; 0 for a leaf. number is the number of the node's cell.
func (d *skyDivision) children(node int32, order int, number int64) int32 {
	if child := d.nodes[node].child; child != unknown {
		return child
	}
	cells := d.around(order, number)
	d.next = d.next[:0]
	for i := range cells {
		for k := range 4 {
			d.next = append(d.next, d.part(&cells[i], k))
		}
	}
	c := d.centre(cells, number)
	child := int32(len(d.nodes))
	d.nodes[node].child = child
	for k := range 4 {
		p := d.part(&c, k)
		d.nodes = append(d.nodes, d.node(&p, d.next))
	}
	return child
}

func (d *skyDivision) complete() {
	if d.top != nil {
		return
	}
	var below func(node int32, order int, number int64)
	below = func(node int32, order int, number int64) {
		if child := d.children(node, order, number); child > 0 {
			for k := range int32(4) {
				below(child+k, order+1, 4*number+int64(k))
			}
		}
	}
	for i := range int32(healpix.Base) {
		below(i, 0, int64(i))
	}
	top := make([]int32, healpix.Cells(topOrder))
	for i := range top {
		top[i] = d.descend(int32(i>>(2*topOrder)), 0, topOrder, int64(i)<<(2*(healpix.MaxOrder-topOrder)))
	}
	d.top = top
}

// fine reports whether smaller cells would not pay: these are already a fraction of
// the reach, or of the tiles.
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

// descend goes down from a node of the given order that contains a cell of the
// finest order, to a leaf or to a node of the order to.
func (d *skyDivision) descend(node int32, order, to int, cell int64) int32 {
	for ; order < to; order++ {
		child := d.nodes[node].child
		if child == unknown {
			child = d.children(node, order, cell>>(2*(healpix.MaxOrder-order)))
		}
		if child == 0 {
			break
		}
		node = child + int32(cell>>(2*(healpix.MaxOrder-order-1))&3)
	}
	return node
}

func (d *skyDivision) tiles() int { return len(d.cuts) - 1 }

func (d *skyDivision) place(p *neighbors.Points, row int, _ *scratch) (owner int32, near []int32) {
	return d.at(cellOf(p.Column(0).At(row), p.Column(1).At(row)))
}

// at is place for a cell of the finest order.
func (d *skyDivision) at(cell int64) (owner int32, near []int32) {
	node, order := int32(cell>>(2*healpix.MaxOrder)), 0
	if d.top != nil {
		node, order = d.top[cell>>(2*(healpix.MaxOrder-topOrder))], topOrder
	}
	n := &d.nodes[d.descend(node, order, healpix.MaxOrder, cell)]
	if owner = n.owner; owner == askCuts {
		owner = int32(d.tile(cell))
	}
	return owner, d.lists[n.near]
}

// cellOf returns the finest cell of a position in degrees.
func cellOf(ra, dec float64) int64 {
	sin, cos := neighbors.SinCosDec(dec)
	return healpix.Cell(ra, sin, cos)
}

// touch finds the leaves that intersect a range of RA and Dec.
func (d *skyDivision) touch(b []catalog.Interval, tiles map[int32]bool) {
	if b[0].Lo > b[0].Hi || b[1].Lo > b[1].Hi {
		return // no row has a position
	}
	var walk func(node int32, c skyCell)
	walk = func(node int32, c skyCell) {
		near := d.lists[d.nodes[node].near]
		known := true
		for _, t := range near {
			known = known && tiles[t]
		}
		if known || !meets(&c, b[0], b[1]) {
			return
		}
		child := d.children(node, c.order, c.number)
		if child == 0 {
			for _, t := range near {
				tiles[t] = true
			}
			return
		}
		for k := range 4 {
			walk(child+int32(k), d.part(&c, k))
		}
	}
	for i := range int64(healpix.Base) {
		walk(int32(i), d.cell(0, i, 0, d.tiles()-1))
	}
}

// meets reports whether a cell can have points in a range of RA and Dec, in degrees.
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
