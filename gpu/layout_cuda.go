//go:build cuda && linux

package gpu

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// extent is the range of one coordinate.
type extent struct{ low, high float64 }

// half returns half of the range, which does not overflow.
func (e extent) half() float64 { return e.high/2 - e.low/2 }

const (
	// slack widens cells so that rounding in the cell coordinate never
	// separates points within the radius by more than the reach: quotients
	// below 2^31 are off by less than 2^-20.
	slack = 1 + 0x1p-18
	// smallestWidth keeps points whose squared difference underflows to 0 in
	// adjacent cells.
	smallestWidth = 0x1p-530
	maxCells      = 1<<31 - 4 // of one axis
	maxKeys       = 1 << 62
	maxAxes       = 6 // more gridded dimensions have too many runs
)

// An axis numbers the cells of one coordinate such that coordinates of neighbours
// are at most reach cells apart.
type axis struct {
	dim             int
	cells           uint64
	origin, inverse float64   // even cells: floor((x-origin)·inverse)
	starts          []float64 // uneven cells: where each begins
	wraps           bool      // periodic: cell 0 follows the last
}

// A layout is the cells of a join: axes, the last of which has the runs. Both sides
// share one.
type layout struct {
	axes  []axis
	reach int
	tight bool // no two points of a cell differ by more than the width in any coordinate
}

// newLayout divides the extents into cells of the given width. Axes with a single
// cell are left out. An axis with too many cells gets uneven cells, which begin
// where there are points, so that distant outliers and empty space cost nothing;
// values returns the coordinates from which these are made.
func newLayout(e []extent, width float64, reach int, side []float64, values func(dim int) []float64) layout {
	l := layout{reach: reach, tight: true}
	width = max(width, smallestWidth)
	for j, x := range e {
		if side != nil && side[j] > 0 {
			q := math.Floor(min(side[j]/width, maxCells))
			l.tight = false
			if q > float64(2*reach) {
				l.axes = append(l.axes, axis{dim: j, cells: uint64(q), inverse: q / side[j], wraps: true})
			}
			continue
		}
		switch q := x.half() / (width / 2); {
		case q < 1: // one cell
		case q < maxCells:
			l.axes = append(l.axes, axis{dim: j, cells: uint64(q) + 1, origin: x.low, inverse: 1 / width})
		default:
			l.axes = append(l.axes, newUneven(j, width, values))
		}
	}
	if len(l.axes) > maxAxes {
		l.tight = false
		order := slices.Clone(l.axes)
		slices.SortStableFunc(order, func(a, b axis) int { return cmp.Compare(b.cells, a.cells) })
		least := order[maxAxes-1].cells
		for len(l.axes) > maxAxes {
			i := slices.IndexFunc(l.axes, func(a axis) bool { return a.cells < least })
			if i < 0 {
				i = slices.IndexFunc(l.axes, func(a axis) bool { return a.cells == least })
			}
			l.axes = slices.Delete(l.axes, i, i+1)
		}
	}
	for l.keys() > maxKeys {
		widest := 0
		for i, a := range l.axes {
			if a.cells > l.axes[widest].cells {
				widest = i
			}
		}
		a := &l.axes[widest]
		if a.wraps && a.cells/2 > uint64(2*reach) {
			a.inverse *= float64(a.cells/2) / float64(a.cells)
			a.cells /= 2
			continue
		}
		if !a.wraps && a.starts == nil {
			if s := newUneven(a.dim, width, values); s.cells < a.cells {
				*a = s
				continue
			}
		}
		l.axes = slices.Delete(l.axes, widest, widest+1)
		l.tight = false
	}
	return l
}

// newUneven begins a cell at a value, and the next one at the first value that is
// more than the width further on.
func newUneven(dim int, width float64, values func(dim int) []float64) axis {
	v := values(dim)
	slices.Sort(v)
	starts := v[:0]
	for _, x := range v {
		if len(starts) == 0 || x-starts[len(starts)-1] > width {
			starts = append(starts, x)
		}
	}
	return axis{dim: dim, cells: uint64(len(starts)), starts: starts}
}

// padded returns the number of cells with those beyond both ends.
func (l *layout) padded(a *axis) uint64 { return a.cells + 2*uint64(l.reach) }

// keys returns the number of keys, including padding; the largest number if there
// are more.
func (l *layout) keys() uint64 {
	keys := uint64(1)
	for i := range l.axes {
		hi, lo := bits.Mul64(keys, l.padded(&l.axes[i]))
		if hi > 0 {
			return math.MaxUint64
		}
		keys = lo
	}
	return keys
}

// geometry returns the layout in the form that kernels take, with its uneven cells
// in m.
func (l *layout) geometry(q *sequence, m *memory) geometry {
	g := geometry{N: int32(len(l.axes)), Reach: int32(l.reach)}
	stride := uint64(1)
	for i := len(l.axes) - 1; i >= 0; i-- {
		a := &l.axes[i]
		g.Origin[i], g.Inverse[i], g.Top[i], g.Dim[i], g.Stride[i] = a.origin, a.inverse, uint32(a.cells-1), int32(a.dim), stride
		stride *= l.padded(a)
		if a.wraps {
			g.Wraps |= 1 << i
		}
		g.Starts[i] = table(q, m, a.starts).Ptr
	}
	return g
}

// A step leads from one cell to another.
type step struct {
	key   int64 // to be added to the key
	far2  int   // squared distance in cells
	first int   // the first axis in which the cells differ
	by    [maxGrid]int8
}

// steps returns the steps to the cells within reach in the first n axes, nearest
// first; the first is to the cell itself.
func (l *layout) steps(g *geometry, n int) []step {
	steps := []step{{first: n}}
	for j := range n {
		var next []step
		for _, s := range steps {
			for c := -l.reach; c <= l.reach; c++ {
				to := step{s.key + int64(c)*int64(g.Stride[j]), s.far2 + c*c, s.first, s.by}
				to.by[j] = int8(c)
				if c != 0 {
					to.first = min(to.first, j)
				}
				next = append(next, to)
			}
		}
		steps = next
	}
	slices.SortStableFunc(steps, func(a, b step) int { return a.far2 - b.far2 })
	return steps
}

// runs returns the steps to the first cell of each run around a cell, nearest first,
// and the number of cells in a run.
func (l *layout) runs(g *geometry) (runs []step, span int) {
	n := len(l.axes)
	if n == 0 {
		return []step{{}}, 1
	}
	runs = l.steps(g, n-1)
	for i := range runs {
		runs[i].key -= int64(l.reach)
	}
	return runs, 2*l.reach + 1
}

// scale returns the width of the cells of each axis in radii, where that tells how
// far apart cells are.
func (l *layout) scale(t float64) (scale [maxGrid]float32) {
	radius := math.Sqrt(t)
	for i, a := range l.axes {
		if a.starts == nil && radius > 0x1p-460 {
			scale[i] = float32(min(1/(a.inverse*radius), 1e18))
		}
	}
	return scale
}

// after returns what to add to a cell's key to reach the surrounding cells with
// greater keys, nearest first.
func (l *layout) after(g *geometry) []int64 {
	var keys []int64
	for _, s := range l.steps(g, len(l.axes)) {
		if s.key > 0 {
			keys = append(keys, s.key)
		}
	}
	return keys
}
