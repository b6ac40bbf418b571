// Package grid is a sparse grid index: points sorted by the cell they lie in,
// row by row, with only the cells that hold points kept.
//
// The candidates of a cell are few long runs of points: for every offset in
// the leading gridded dimensions, the cells around it in the last dimension
// are neighbours in the order. [Sweep] finds them.
package grid

import (
	"fmt"
	"math"
	"strings"

	"skyjoin/internal/column"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// A Source is the points of one side of a join.
type Source struct {
	Columns []column.Column
}

// Len returns the number of points.
func (s Source) Len() int { return s.Columns[0].Len() }

// Config says what a grid must be able to find.
type Config struct {
	// Radius is the largest computed difference of two neighbours in any
	// dimension. It is at least 2^-500, see [Reach].
	Radius  float64
	Side    []float64 // periods; nil, or 0 for an open axis
	Threads int       // 0: GOMAXPROCS
	Pair    float64   // nanoseconds per candidate and dimension; 0: those of vector kernels

	// shape overrides the choice of dimensions and reaches in tests.
	shape *shape
}

func (c *Config) side(j int) float64 {
	if c.Side == nil {
		return 0
	}
	return c.Side[j]
}

// Reach returns the Radius for a threshold on d²: the largest difference in
// one dimension whose square can be at most t. Below 2^-500, where squares
// lose bits or vanish, it is not made smaller.
func Reach(t float64) float64 {
	return max(math.Sqrt(t)*(1+0x1p-50), 0x1p-500)
}

// A shape is a choice of gridded dimensions and of how many cells make up the
// radius in each.
type shape struct {
	dims    []int // leading dimensions first, the last one is that of the runs
	leading int   // reach of the leading dimensions
	last    int   // reach of the last
}

// A Geometry says which cell a position is in. Both sides of a join share one.
type Geometry struct {
	axes    []axis // leading first
	wraps   bool   // some axis is periodic
	allWrap bool   // so is one that is not gridded: every pair can wrap
	side    []float64
	extent  []float64 // of the points, of NewRings; see Extent
}

// maxKey bounds the keys, so that sums of a key and an offset do not overflow.
const maxKey = 1 << 62

// maxKey returns a bound of the keys.
func (g *Geometry) maxKey() uint64 {
	if len(g.axes) == 0 {
		return 0
	}
	return g.axes[0].stride * g.axes[0].padded()
}

// AllWrap reports whether every pair needs the minimum image arithmetic,
// because some periodic dimension is not gridded.
func (g *Geometry) AllWrap() bool { return g.allWrap }

// String describes the geometry, for tests and provenance.
func (g *Geometry) String() string {
	var b strings.Builder
	for _, a := range g.axes {
		kind := ""
		if a.starts != nil {
			kind = " slabs"
		}
		fmt.Fprintf(&b, "[%d: %d%s /%d]", a.column, a.cells, kind, a.reach)
	}
	return b.String()
}

// A Grid is the points of one side in the order of their cells.
type Grid struct {
	Geometry *Geometry
	Points   kernel.Points // ID holds the rows
	Start    []uint32      // where each cell that is not empty begins, and the end
	keys     []uint64      // of these cells, as kernel.Cells wants them
}

// Cells returns the number of cells that are not empty.
func (g *Grid) Cells() int { return len(g.Start) - 1 }

// Rows returns the rows in the order of the grid. It must not be changed.
func (g *Grid) Rows() []uint32 { return g.Points.ID[:g.Points.N:g.Points.N] }

// Cell returns the cell that position i is in.
func (g *Grid) Cell(i int) int {
	lo, hi := 0, g.Cells()
	for hi-lo > 1 {
		mid := int(uint(lo+hi) / 2)
		if g.Start[mid] <= uint32(i) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// Memory returns the bytes that the grid holds.
func (g *Grid) Memory() int64 {
	return int64(len(g.Points.Data))*8 + int64(len(g.Points.ID)+len(g.Start))*4 + int64(len(g.keys))*8
}

// Predict returns the bytes that a grid of n points can take while it is
// built: the coordinates, in whose room their keys are sorted, the rows, twice
// where keys are wide, and a key and a start for each of at most n cells.
func Predict(n, dim int) int64 { return int64(n) * int64(max(8*dim, 16)+8+12) }

// bounds returns the least and largest coordinates over both sources.
func bounds(threads int, sources ...Source) (least, most []float64) {
	dim := len(sources[0].Columns)
	least, most = make([]float64, dim), make([]float64, dim)
	for j := range dim {
		least[j], most[j] = math.Inf(1), math.Inf(-1)
		for i, s := range sources {
			if i > 0 && &s.Columns[0] == &sources[0].Columns[0] {
				continue // both sides of a self-join
			}
			lo, hi := make([]float64, threads), make([]float64, threads)
			par.Chunks(threads, s.Len(), func(c, first, end int) {
				lo[c], hi[c] = s.Columns[j].Bounds(first, end)
			})
			for c := range threads {
				least[j], most[j] = min(least[j], lo[c]), max(most[j], hi[c])
			}
		}
	}
	return least, most
}
