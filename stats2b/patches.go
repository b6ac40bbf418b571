package stats2b

import (
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/healpix"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// A Patching divides space, or the sky, into patches for resampling.
type Patching struct {
	metric  neighbors.Metric
	patches int
	// number returns the patch of a position: a unit vector, or coordinates.
	number func(x []float64) int
}

// Len returns the number of patches.
func (p *Patching) Len() int { return p.patches }

// Assign returns the patch of every row.
func (p *Patching) Assign(points *neighbors.Points, threads int) ([]int32, error) {
	x, err := places(points, p.metric)
	if err != nil {
		return nil, err
	}
	out := make([]int32, points.Len())
	missing := make([]int, par.Threads(threads))
	par.Chunks(len(missing), len(out), func(c, lo, hi int) {
		missing[c] = -1
		at := make([]float64, len(x))
		for i := lo; i < hi; i++ {
			for j := range x {
				at[j] = x[j][i]
			}
			if out[i] = int32(p.number(at)); out[i] < 0 && missing[c] < 0 {
				missing[c] = i
			}
		}
	})
	for _, i := range missing {
		if i >= 0 && len(out) > 0 {
			return nil, fmt.Errorf("%w: row %d is in none of the patches", neighbors.ErrRequest, i)
		}
	}
	return out, nil
}

// places returns the coordinates in which patches are made: directions on the
// sky, whatever the distance, and else the columns, in a periodic box reduced
// to it.
func places(p *neighbors.Points, m neighbors.Metric) ([][]float64, error) {
	n := p.Len()
	if m.PositionColumns() == 0 {
		x := make([][]float64, p.Dim())
		for j := range x {
			x[j] = make([]float64, n)
			for i := range n {
				x[j][i] = p.Column(j).At(i)
				if l := m.Side(j); l > 0 {
					x[j][i] = math.Mod(x[j][i], l)
					if x[j][i] < 0 {
						x[j][i] += l
					}
				}
			}
		}
		return x, nil
	}
	x := [][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}
	for i := range n {
		dec := p.Column(1).At(i)
		if !(math.Abs(dec) <= 90) {
			return nil, fmt.Errorf("%w: row %d has declination %v, it must be in [-90, 90] degrees", neighbors.ErrCoordinate, i, dec)
		}
		x[0][i], x[1][i], x[2][i] = neighbors.UnitVector(p.Column(0).At(i), dec)
	}
	return x, nil
}

// PixelPatches makes a patch of every HEALPix pixel of the resolution nside
// that has a row of one of the catalogs.
func PixelPatches(nside int, m neighbors.Metric, catalogs ...*neighbors.Points) (*Patching, error) {
	if m.PositionColumns() == 0 {
		return nil, fmt.Errorf("%w: pixels of the sky for the %v metric; a box has cells", neighbors.ErrRequest, m)
	}
	sky, err := healpix.New(nside)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", neighbors.ErrRequest, err)
	}
	return occupied(m, func(x []float64) int64 { return sky.Pixel(x[0], x[1], x[2]) }, catalogs)
}

// CellPatches makes a patch of every cell, of n along each axis over the range
// of all catalogs, that has a row of one of them.
func CellPatches(n int, m neighbors.Metric, catalogs ...*neighbors.Points) (*Patching, error) {
	if m.PositionColumns() != 0 {
		return nil, fmt.Errorf("%w: cells of a box for the %v metric; the sky has pixels", neighbors.ErrRequest, m)
	}
	if n < 1 || n > 1024 {
		return nil, fmt.Errorf("%w: %d cells along each axis, there can be 1 to 1024", neighbors.ErrRequest, n)
	}
	var least, most []float64
	for _, p := range catalogs {
		x, err := places(p, m)
		if err != nil {
			return nil, err
		}
		for j, v := range x {
			if len(least) == j {
				least, most = append(least, math.Inf(1)), append(most, math.Inf(-1))
			}
			for _, v := range v {
				least[j], most[j] = min(least[j], v), max(most[j], v)
			}
		}
	}
	if len(least) > 6 {
		return nil, fmt.Errorf("%w: cells in %d dimensions, they can be in up to 6", neighbors.ErrRequest, len(least))
	}
	return occupied(m, func(x []float64) int64 {
		var key int64
		for j, v := range x {
			f := (v - least[j]) / (most[j] - least[j]) * float64(n)
			key *= int64(n)
			if f > 0 { // false for NaN, of a constant axis
				key += int64(min(f, float64(n-1)))
			}
		}
		return key
	}, catalogs)
}

// maxPatches bounds the patches: their pairs have a histogram each.
const maxPatches = 4096

// occupied numbers the keys that occur, in ascending order.
func occupied(m neighbors.Metric, key func(x []float64) int64, catalogs []*neighbors.Points) (*Patching, error) {
	seen := map[int64]int{}
	for _, p := range catalogs {
		x, err := places(p, m)
		if err != nil {
			return nil, err
		}
		at := make([]float64, len(x))
		for i := range p.Len() {
			for j := range x {
				at[j] = x[j][i]
			}
			seen[key(at)] = 0
		}
		if len(seen) > maxPatches {
			return nil, fmt.Errorf("%w: more than %d patches; make them larger", neighbors.ErrRequest, maxPatches)
		}
	}
	keys := make([]int64, 0, len(seen))
	for k := range seen {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for i, k := range keys {
		seen[k] = i
	}
	return &Patching{metric: m, patches: len(keys), number: func(x []float64) int {
		if i, ok := seen[key(x)]; ok {
			return i
		}
		return -1
	}}, nil
}
