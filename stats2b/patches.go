package stats2b

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// A Patching divides space, or the sky, into patches for resampling.
type Patching struct {
	metric   neighbors.Metric
	division Division
	patches  int
	// number returns the patch of a position: a unit vector, or coordinates.
	number func(x []float64) int
}

// Len returns the number of patches.
func (p *Patching) Len() int { return p.patches }

// Division returns what the patching is made of.
func (p *Patching) Division() Division { return p.division }

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
					x[j][i] = neighbors.Reduced(x[j][i], l)
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
	return occupied(Division{Kind: "healpix", N: nside}, m, catalogs)
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
	return occupied(Division{Kind: "cells", N: n, Least: least, Most: most}, m, catalogs)
}

// maxPatches bounds the patches: their pairs have a histogram each.
const maxPatches = 4096

// occupied makes a patch of every pixel or cell that has a row.
func occupied(d Division, m neighbors.Metric, catalogs []*neighbors.Points) (*Patching, error) {
	key, err := d.key()
	if err != nil {
		return nil, err
	}
	seen := map[int64]bool{}
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
			seen[key(at)] = true
		}
		if len(seen) > maxPatches {
			return nil, fmt.Errorf("%w: more than %d patches; make them larger", neighbors.ErrRequest, maxPatches)
		}
	}
	d.Keys = slices.Sorted(maps.Keys(seen))
	return d.Patching(m)
}
