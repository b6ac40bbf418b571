package stats2b

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"skyjoin/internal/healpix"
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

// Division returns a description of the patching.
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

// A Division describes a Patching, so that another program can make the same one:
// k-means centres, HEALPix pixels, or cells of a box.
type Division struct {
	Kind    string    `json:"kind"`              // kmeans, healpix or cells
	Centres []float64 `json:"centres,omitempty"` // kmeans: one after another
	N       int       `json:"n,omitempty"`       // of centres; of cells along each axis; or the resolution nside
	Least   []float64 `json:"least,omitempty"`   // cells: the range of each axis
	Most    []float64 `json:"most,omitempty"`
	Keys    []int64   `json:"keys,omitempty"` // healpix and cells: those that are patches, ascending
}

// Patching makes the patching that the division describes. Errors wrap
// neighbors.ErrRequest.
func (d Division) Patching(m neighbors.Metric) (*Patching, error) {
	p := &Patching{metric: m, division: d}
	if d.Kind == "kmeans" {
		if d.N < 1 || len(d.Centres) == 0 || len(d.Centres)%d.N != 0 {
			return nil, fmt.Errorf("%w: %d coordinates of %d centres", neighbors.ErrRequest, len(d.Centres), d.N)
		}
		p.patches = d.N
		p.number = func(x []float64) int { return nearest(d.Centres, x) }
		return p, nil
	}
	key, err := d.key()
	if err != nil {
		return nil, err
	}
	number := make(map[int64]int, len(d.Keys))
	for i, k := range d.Keys {
		number[k] = i
	}
	p.patches = len(d.Keys)
	p.number = func(x []float64) int {
		if i, ok := number[key(x)]; ok {
			return i
		}
		return -1
	}
	return p, nil
}

// key returns the function that numbers the pixels or cells.
func (d Division) key() (func(x []float64) int64, error) {
	switch d.Kind {
	case "healpix":
		sky, err := healpix.New(d.N)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", neighbors.ErrRequest, err)
		}
		return func(x []float64) int64 { return sky.Pixel(x[0], x[1], x[2]) }, nil
	case "cells":
		n := int64(d.N)
		return func(x []float64) int64 {
			var key int64
			for j, v := range x {
				f := (v/2 - d.Least[j]/2) / (d.Most[j]/2 - d.Least[j]/2) * float64(n) // halved, as the range can exceed float64
				key *= n
				if f > 0 { // false for NaN, on a constant axis
					key += int64(min(f, float64(n-1)))
				}
			}
			return key
		}, nil
	}
	return nil, fmt.Errorf("%w: patches of the kind %q, there are kmeans, healpix and cells", neighbors.ErrRequest, d.Kind)
}

// places returns the coordinates in which patches are made: directions on the sky,
// whatever the distance, otherwise the columns, reduced to the box if it is
// periodic.
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
	declination := m.Limit(1)
	for i := range n {
		dec := p.Column(1).At(i)
		if err := declination.Check(i, dec); err != nil {
			return nil, err
		}
		x[0][i], x[1][i], x[2][i] = neighbors.UnitVector(p.Column(0).At(i), dec)
	}
	return x, nil
}

// PixelPatches makes a patch of every HEALPix pixel of the resolution nside that
// contains a row of one of the catalogs.
func PixelPatches(nside int, m neighbors.Metric, catalogs ...*neighbors.Points) (*Patching, error) {
	if m.PositionColumns() == 0 {
		return nil, fmt.Errorf("%w: pixels of the sky for the %v metric; a box has cells", neighbors.ErrRequest, m)
	}
	return occupied(Division{Kind: "healpix", N: nside}, m, catalogs)
}

// CellPatches makes a patch of every cell, with n along each axis over the range of
// all catalogs, that contains a row of one of them.
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

// maxPatches bounds the number of patches: each pair of them has a histogram.
const maxPatches = 4096

// occupied makes a patch of every pixel or cell that contains a row.
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

// squared returns the squared distance from a centre.
func squared(centres, x []float64, centre int) float64 {
	var sum float64
	for j, c := range centres[centre*len(x):][:len(x)] {
		d := x[j] - c
		sum += float64(d * d)
	}
	return sum
}

// nearest returns the nearest centre, the first of several equally near.
func nearest(centres, x []float64) int {
	best, least := 0, math.Inf(1)
	for c := range len(centres) / len(x) {
		if d := squared(centres, x, c); d < least {
			best, least = c, d
		}
	}
	return best
}
