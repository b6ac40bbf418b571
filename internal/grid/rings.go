package grid

import (
	"math"

	"skyjoin/internal/kernel"
)

// ringReach is the number of cells around a query within which the nearest
// neighbours are looked for, at most.
const ringReach = 2

// evenSample is how many points are looked at for how evenly they are spread.
const evenSample = 1 << 14

// Even reports whether the points are spread so evenly over their extent that
// cells of one width suit them all: a sample of them, counted in about 1,000
// bins, varies little more than by chance.
func Even(threads int, query, data Source) bool {
	dim := len(data.Columns)
	sample := gather(data, sampleRows(data.Len(), evenSample, 0))
	n := len(sample[0])
	least, most := bounds(threads, query, data)
	for j := range most {
		if math.IsInf(most[j]-least[j], 1) {
			return false // more than a number tells, and than NewRings has cells for
		}
	}
	perDim := math.Floor(math.Pow(float64(n)/16, 1/float64(dim)))
	if perDim < 2 {
		return false // too few points to tell
	}
	counts := make([]int, int(math.Pow(perDim, float64(dim))+.5))
	for i := range n {
		bin := 0
		for j := range dim {
			at := 0.0
			if w := most[j] - least[j]; w > 0 {
				at = (sample[j][i] - least[j]) / w * perDim
			}
			bin = bin*int(perDim) + min(int(at), int(perDim)-1)
		}
		counts[bin]++
	}
	squares := 0
	for _, c := range counts {
		squares += c * c
	}
	// A point shares its bin with n/bins others by chance.
	mean := float64(n) / float64(len(counts))
	return float64(squares)/float64(n) < 1.5*(mean+1)
}

// NewRings returns a geometry with about perCell points of data in each cell of
// the extent of both, to look for nearest neighbours in rings of cells. side is
// nil or has the periods, 0 for an open axis. It returns false where no such
// cells can be made.
func NewRings(threads int, perCell float64, side []float64, query, data Source) (*Geometry, bool) {
	least, most := bounds(threads, query, data)
	sh := shape{leading: ringReach, last: ringReach}
	volume := perCell / float64(data.Len())
	for j := range data.Columns {
		if w := most[j] - least[j]; w > 0 {
			sh.dims = append(sh.dims, j)
			volume *= w
		}
	}
	width := math.Pow(volume, 1/float64(len(sh.dims)))
	if len(sh.dims) == 0 || !(width > 0x1p-500) || math.IsInf(width, 1) {
		return nil, false
	}
	g := NewGeometry(Config{Radius: ringReach * width, Side: side, Threads: threads, shape: &sh}, query, data)
	for _, a := range g.axes {
		if a.starts != nil {
			return nil, false
		}
	}
	g.extent = append(least, most...)
	return g, len(g.axes) == len(sh.dims)
}

// Extent returns the least, then the largest coordinates of all points that the
// geometry, one of NewRings, was made for. They must not be changed.
func (g *Geometry) Extent() []float64 { return g.extent }

// ringSlack is more than what cell numbers are off by, in cells.
const ringSlack = 0x1p-18

// Margin returns a distance within which every data point of point i, or its
// nearest image, is in the cells up to reach away, reach being at most
// ringReach; +Inf if these are all the cells there are. The geometry must be one
// of NewRings.
func (g *Grid) Margin(i, reach int) float64 {
	margin := math.Inf(1)
	for k := range g.Geometry.axes {
		a := &g.Geometry.axes[k]
		q := (g.Points.Data[a.column*g.Points.Stride+i] - a.origin) * a.scale
		c := int64(min(uint64(q), a.cells-1))
		cells := math.Inf(1)
		if low := c - int64(reach); low > 0 || a.wraps {
			cells = min(cells, q-float64(low))
		}
		if high := c + int64(reach) + 1; high < int64(a.cells) || a.wraps {
			cells = min(cells, float64(high)-q)
		}
		margin = min(margin, (cells-ringSlack)/a.scale)
	}
	return margin
}

// RingMargin is the least Margin of any point.
func (g *Grid) RingMargin(reach int) float64 {
	margin := math.Inf(1)
	for _, a := range g.Geometry.axes {
		margin = min(margin, (float64(reach)-ringSlack)/a.scale)
	}
	return margin
}

// RingVolume returns the volume of all cells up to reach away, where none is
// beyond the ends of the grid, in units of cubes whose edges are the RingMargin,
// and in how many dimensions there are cells.
func (g *Grid) RingVolume(reach int) (volume float64, dim int) {
	volume = 1
	margin := g.RingMargin(reach)
	for _, a := range g.Geometry.axes {
		volume *= float64(2*reach+1) / a.scale / margin
	}
	return volume, len(g.Geometry.axes)
}

// NewRingSweep returns a sweep that finds the points of data up to reach cells
// away.
func NewRingSweep(query, data *Grid, reach int) *Sweep {
	return newSweep(query, data, int64(reach))
}

// Points returns the number of points in runs.
func Points(runs []kernel.Run) int {
	n := 0
	for _, r := range runs {
		n += int(r.Hi - r.Lo)
	}
	return n
}
