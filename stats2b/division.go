package stats2b

import (
	"fmt"

	"skyjoin/internal/healpix"
	"skyjoin/neighbors"
)

// A Division says what a Patching is made of, so that another program makes the
// same one: k-means centres, HEALPix pixels, or cells of a box.
type Division struct {
	Kind    string    `json:"kind"`              // kmeans, healpix or cells
	Centres []float64 `json:"centres,omitempty"` // kmeans: one after another
	N       int       `json:"n,omitempty"`       // of centres; of cells along each axis; or the resolution nside
	Least   []float64 `json:"least,omitempty"`   // cells: the range of each axis
	Most    []float64 `json:"most,omitempty"`
	Keys    []int64   `json:"keys,omitempty"` // healpix and cells: those that are patches, ascending
}

// Patching makes the patching again. Errors wrap neighbors.ErrRequest.
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

// key returns what numbers the pixels or cells.
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
				f := (v/2 - d.Least[j]/2) / (d.Most[j]/2 - d.Least[j]/2) * float64(n) // halves, as the range can be more than float64 holds
				key *= n
				if f > 0 { // false for NaN, of a constant axis
					key += int64(min(f, float64(n-1)))
				}
			}
			return key
		}, nil
	}
	return nil, fmt.Errorf("%w: patches of the kind %q, there are kmeans, healpix and cells", neighbors.ErrRequest, d.Kind)
}
