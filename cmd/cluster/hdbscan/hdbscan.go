// Package hdbscan is 'cluster hdbscan', which finds clusters of every density.
package hdbscan

import (
	"context"
	"math"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/hdbscan"
	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

const doc = `hdbscan IN… --min-cluster-size N -o OUT
clusters of every density (HDBSCAN*)

Finds clusters of every density without a radius: HDBSCAN*. One tree is built from
the distances of all rows to their --min-samples-th nearest (themselves included).
--min-cluster-size is the fewest rows of a cluster, and of the clusters in the tree
those that persist over the widest range of densities are selected. Labels do not
depend on threads nor, apart from their numbers, on the order of the rows.

The output has all columns and rows of the input, in their order, and the columns
cluster (-1 noise), probability (how strongly the row belongs to it), outlier
(the GLOSH score), lambda (1 over the distance at which the row leaves) and node
(what it leaves: a row of --tree). Rows that could not be used have nulls there.
With several sizes there are cluster_10, probability_10, …, all of one tree. --soft K
adds soft_1, membership_1, …: the K clusters that a row is nearest to.

Examples:
  # an open cluster: positions, proper motions and parallax, each divided by its scale
  cluster hdbscan gaia.parquet -c ra,dec,pmra,pmdec,parallax --scale 0.08deg,0.25,0.25,0.12 \
      --min-cluster-size 40 --min-samples 10 -o members.parquet --clusters clusters.csv --test cst

  # several sizes of one tree
  cluster hdbscan galaxies.csv -c RA,Dec --min-cluster-size 10,20,40 --min-samples 10 -o labelled.csv

  # small clusters, and what DBSCAN* has at two radii
  cluster hdbscan galaxies.csv -c RA,Dec --min-cluster-size 20 --select leaf \
      --cut 0.1deg,0.2deg -o labelled.csv`

// New returns the command.
func New(a *job.App) *cobra.Command {
	o := &Options{
		ties: flags.NewChoice(hdbscan.TiesTogether.String(), hdbscan.TiesSklearn.String()),
		unit: flags.Choice{Value: "", Values: flags.AngleUnitNames()},
		test: flags.Choice{Value: "", Values: []string{"cst"}},
		soft: flags.Integer{Least: 1},
	}
	cmd := flags.Command(doc, flags.NeedFiles, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	fs := cmd.Flags()
	fs.Var(&o.sizes, "min-cluster-size", "fewest rows of a cluster; with --weights, its least weight; several give columns for each")
	fs.Var(&o.samples, "min-samples", "density is measured by the distance to the nearest row of this number, the row itself included; with --weights, the number is a sum of weights (default the first --min-cluster-size)")
	o.Geometry.Register(cmd)
	fs.StringVar(&o.weights, "weights", "", "`column` of weights")
	fs.Var(&o.alpha, "alpha", "divide distances, but not those to the --min-samples-th row (default 1)")
	fs.Var(&o.ties, "ties", "merges at the same height: in one step, or one by one as in scikit-learn")
	o.pick.register(cmd)
	fs.Var(&o.soft, "soft", "add the K clusters that each row belongs to most, soft_1 and membership_1, soft_2 and membership_2, …")
	fs.Var(&o.cut, "cut", "radii of DBSCAN*, each for a column cut_E; on the sky with their unit")
	o.Read.Register(fs)
	o.Out.Register(fs, "labelled table")
	fs.StringVar(&o.clusters, "clusters", "", "table with a row for each cluster: a .parquet or .csv `file`")
	fs.Var(&o.test, "test", "test each of --clusters against the rows around it: cst is the significance, in standard deviations, of the distances to the 10th neighbour")
	fs.BoolVar(&o.dbcv, "dbcv", false, "density-based validity of the clusters (DBCV), as in 'cluster validity'")
	fs.StringVar(&o.tree, "tree", "", "condensed tree, a row for each cluster and each row: a table `file`")
	fs.StringVar(&o.fromTree, "from-tree", "", "make another selection, from the --tree of an earlier run of the same rows: a table `file`")
	fs.StringVar(&o.linkage, "linkage", "", "dendrogram in SciPy's layout: a table `file`")
	fs.StringVar(&o.mst, "mst", "", "edges of the minimum spanning tree: a table `file`")
	fs.Var(&o.unit, "unit", "unit of distances on the sky that are written (default arcsec)")
	o.Out.RegisterPlot(fs, "map of the clusters")
	fs.StringVar(&o.icicles, "plot-tree", "", "condensed tree, the clusters coloured: a .png, .svg or .pdf `file`")
	fs.StringVar(&o.dendrogram, "plot-dendrogram", "", "the last merges of large parts: a .png, .svg or .pdf `file`")
	o.Out.RegisterMap(cmd)
	o.Out.RegisterPages(cmd)
	o.Out.PlotsPages(fs, "plot-tree")
	o.usual.Register(cmd, "plot="+flags.PageFile)
	o.Run.Register(cmd)
	o.Run.GPU.Register(cmd, flags.NearestRows)
	flags.IdleBeside(fs, []string{"min-cluster-size", "min-samples", "weights", "alpha", "ties", "cut", "mst", "linkage", "plot-dendrogram"}, "from-tree")
	flags.CompleteColumns(cmd, "weights")
	flags.Needs(fs, []string{"soft"}, "output")
	return cmd
}

// check refuses requests that are wrong for any catalog.
func (o *Options) check() error {
	if o.fromTree != "" {
		return o.checkOutputs()
	}
	if len(o.sizes) == 0 {
		return exit.Usagef("--min-cluster-size is needed: the smallest number of rows in a cluster, as in --min-cluster-size 20")
	}
	for _, n := range o.sizes {
		switch {
		case o.weights == "" && (n < 2 || n != math.Trunc(n)):
			return exit.Usagef("--min-cluster-size %v: it must be a whole number of at least 2", n)
		case n <= 0:
			return exit.Usagef("--min-cluster-size %v: a sum of weights must be positive", n)
		}
	}
	switch m := o.minSamples(); {
	case o.weights == "" && (m < 1 || m != math.Trunc(m)):
		return exit.Usagef("--min-samples %v: it must be a whole number of at least 1; a row counts itself", m)
	case m <= 0:
		return exit.Usagef("--min-samples %v: a sum of weights must be positive", m)
	case o.alpha.Given && o.alpha.Value <= 0:
		return exit.Usagef("--alpha %v: it must be positive", o.alpha.Value)
	}
	return o.checkOutputs()
}

// mostSoft bounds the columns of --soft.
const mostSoft = 100

func (o *Options) checkOutputs() error {
	switch {
	case o.test.Value != "" && o.clusters == "":
		return exit.Usagef("--test %s: it is a column of --clusters; give that too", o.test.Value)
	case o.soft.Value > mostSoft:
		return exit.Usagef("--soft %d: each is two columns; at most %d", o.soft.Value, mostSoft)
	}
	return o.pick.check()
}

// Run carries out the command.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	if err := o.check(); err != nil {
		return err
	}
	j, err := o.Locate(ctx, a, "hdbscan", job.Inputs{Paths: paths, Also: []string{o.fromTree}, Tables: o.tables(), Figures: []string{o.dendrogram}, Pages: []string{o.icicles}})
	if err != nil {
		return err
	}
	defer j.Close()
	if err := j.CanMap(&o.Out); err != nil {
		return err
	}
	r := &result{options: o, job: j}
	if err := r.units(); err != nil {
		return err
	}
	if err := j.Load(ctx, o.weights, ""); err != nil {
		return err
	}
	j.Parameters()
	if n := j.Sel.Points.Len(); o.fromTree == "" && o.weights == "" && !o.samples.Given && n > 0 && o.sizes[0] > float64(n) {
		return exit.Usagef("--min-cluster-size %v: it is more than the %s that can be used; --min-samples is the same unless it is given", o.sizes[0], human.Plural(int64(n), "row", "rows"))
	}
	find := r.cluster
	if o.fromTree != "" {
		find = r.restore
	}
	if err := find(ctx); err != nil {
		return err
	}
	if err := r.validate(ctx); err != nil {
		return err
	}
	r.parameters()
	if err := r.write(ctx); err != nil {
		return err
	}
	r.report()
	if err := exit.Do(ctx, r.hint); err != nil {
		return err
	}
	return j.Finish(ctx)
}

// parameters names the flags that the labels depend on.
func (r *result) parameters() {
	o, j := r.options, r.job
	p := j.Params
	sizes := sizes(each.Of(r.answers, func(a answer) float64 { return a.size }))
	p.Add("min-cluster-size", []float64(sizes), sizes.String())
	if o.fromTree != "" {
		p.Text("from-tree", o.fromTree)
		r.originParameters()
		o.pick.parameters(p)
		return
	}
	p.Number("min-samples", o.minSamples())
	p.Text("weights", o.weights)
	p.Given("alpha", &o.alpha)
	p.Text("ties", o.ties.Value)
	o.pick.parameters(p)
	p.Text("cut", o.cut.String())
}

// gcPercent is how much memory may grow before it is collected.
const gcPercent = 15

// cluster builds the tree and selects clusters from it.
func (r *result) cluster(ctx context.Context) error {
	o, j := r.options, r.job
	// Large memory holds no pointers: collecting it often costs little, and keeps the
	// peak near the memory in use.
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	report, end := j.Rep.Stages()
	defer end()
	opt := hdbscan.Options{
		MinSamples: o.minSamples(),
		Weights:    j.Sel.Weights,
		Threads:    j.Run.Count(),
		Memory:     j.Run.Memory.Bytes,
		Progress:   func(stage hdbscan.Stage, done, total int64) { report(string(stage), done, total) },
	}
	if o.alpha.Given {
		opt.Alpha, r.alpha = o.alpha.Value, o.alpha.Value
	}
	ties, err := hdbscan.ParseTies(o.ties.Value)
	if err != nil {
		return err
	}
	opt.Ties = ties
	start := time.Now()
	err = exit.Do(ctx, func() error {
		return j.On(j.Sel.Points.Len(), func(joiner neighbors.Joiner) (err error) {
			opt.Joiner = joiner
			r.tree, err = hdbscan.Build(ctx, j.Sel.Points, j.Metric, opt)
			return err
		})
	})
	if err != nil {
		return exit.OverMemory(err)
	}
	j.Sum.Seconds.Lap(&j.Sum.Seconds.Join, start)
	defer j.Timed(&j.Sum.Seconds.Cluster)()
	return exit.Do(ctx, func() error { return r.take(ctx) })
}

// take condenses the tree for every size, and cuts it at every radius.
func (r *result) take(ctx context.Context) error {
	for _, size := range r.options.sizes {
		c, err := r.tree.Condense(size)
		if err != nil {
			return err
		}
		k, err := c.Select(r.selection)
		if err != nil {
			return err
		}
		r.answers = append(r.answers, answer{size: size, condensed: c, clustering: k})
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for _, eps := range r.cuts {
		labels, err := r.tree.Cut(eps, 0)
		if err != nil {
			return err
		}
		r.cutLabels = append(r.cutLabels, labels)
	}
	return nil
}
