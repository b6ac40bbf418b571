package hdbscan

import (
	"fmt"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/hdbscan"
)

// A result is what a run has found.
type result struct {
	options   *options
	job       *job.Job
	unit      string  // of distances that are written, "" for that of the columns
	perUnit   float64 // the metric's distance of one such unit
	selection hdbscan.Selection
	cuts      []float64

	tree      *hdbscan.Tree
	answers   []answer // of every size
	cutLabels [][]int32
}

// An answer is the clusters of one min-cluster-size.
type answer struct {
	size       float64
	condensed  *hdbscan.Condensed
	clustering *hdbscan.Clustering
}

// units turns the flags that are distances into those of the metric.
func (r *result) units() (err error) {
	o, g := r.options, r.job.Geo
	if r.unit, err = g.Printed(o.unit, "deg"); err != nil {
		return err
	}
	r.perUnit = 1
	if g.Angle {
		r.perUnit = flags.Radians(r.unit)
	}
	if r.selection, err = o.pick.resolve(g); err != nil {
		return err
	}
	for _, l := range o.cut {
		eps, err := g.Radius("--cut", l)
		if err != nil {
			return err
		}
		r.cuts = append(r.cuts, eps)
	}
	return nil
}

// height is a distance in the unit that is written.
func (r *result) height(h float64) float64 { return h / r.perUnit }

// heights are distances in the unit that is written.
func (r *result) heights(h []float64) []float64 {
	if r.perUnit != 1 {
		for i := range h {
			h[i] /= r.perUnit
		}
	}
	return h
}

// lengthUnit names the unit of distances, and of 1 over a distance.
func (r *result) lengthUnit() (unit, inverse string) {
	if unit = r.unit; unit == "" {
		unit = r.job.Geo.Unit
	}
	if unit != "" {
		inverse = unit + "**-1"
	}
	return unit, inverse
}

// suffix ends the names of the columns of a size, where there are several.
func (r *result) suffix(size float64) string {
	if len(r.answers) == 1 {
		return ""
	}
	return fmt.Sprintf("_%v", size)
}

// of returns f of every element.
func of[T, V any](all []T, f func(T) V) []V {
	out := make([]V, len(all))
	for i, x := range all {
		out[i] = f(x)
	}
	return out
}
