package hdbscan

import (
	"context"
	"fmt"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/pages"
	"skyjoin/hdbscan"
	"skyjoin/hdbscan/validity"
)

// A result is what a run has found.
type result struct {
	options   *Options
	job       *job.Job
	unit      string  // of distances that are written, "" for that of the columns
	perUnit   float64 // the metric's distance of one such unit
	selection hdbscan.Selection
	cuts      []float64
	alpha     float64           // by which distances of the tree are divided
	origins   map[string]string // how the tree of --from-tree was built

	tree      *hdbscan.Tree
	answers   []answer // of every size
	cutLabels [][]int32
}

// An answer is the clusters of one min-cluster-size.
type answer struct {
	size       float64
	condensed  *hdbscan.Condensed
	clustering *hdbscan.Clustering
	validity   *validity.Validity // nil without --dbcv
}

// units turns the flags that are distances into those of the metric.
func (r *result) units() (err error) {
	o, g := r.options, r.job.Geo
	if r.unit, err = g.Printed(o.unit, "arcsec"); err != nil {
		return err
	}
	r.perUnit, r.alpha = 1, 1
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

// validate finds the validity of the clusters of every size.
func (r *result) validate(ctx context.Context) error {
	if !r.options.dbcv {
		return nil
	}
	defer r.job.Timed(&r.job.Sum.Seconds.Cluster)()
	for i := range r.answers {
		a := &r.answers[i]
		err := exit.Do(ctx, func() (err error) {
			a.validity, err = validity.DBCV(ctx, r.job.Sel.Points, r.job.Metric, a.clustering.Labels, validity.Options{Threads: r.job.Run.Count()})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// suffix ends the names of the columns of a size, where there are several.
func (r *result) suffix(size float64) string {
	if len(r.answers) == 1 {
		return ""
	}
	return fmt.Sprintf("_%v", size)
}

// Options are the flags of the command.
type Options struct {
	job.Flags

	sizes    sizes
	samples  flags.Number
	weights  string
	alpha    flags.Number
	ties     flags.Choice
	unit     flags.Choice
	pick     selection
	cut      lengths
	soft     flags.Integer
	dbcv     bool
	clusters string
	test     flags.Choice // of clusters
	tree     string
	fromTree string
	linkage  string
	mst      string
	icicles  string // figure of the condensed tree

	dendrogram string // figure of it
	usual      pages.Usual
}

// tables are the tables that are written beside -o.
func (o *Options) tables() []string { return []string{o.clusters, o.tree, o.linkage, o.mst} }

// minSamples is that of the flag or its default.
func (o *Options) minSamples() float64 {
	if o.samples.Given {
		return o.samples.Value
	}
	return o.sizes[0]
}
