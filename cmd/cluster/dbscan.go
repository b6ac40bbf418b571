package main

import (
	"context"
	"math"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/dbscan"
	"skyjoin/gpu"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors"
)

const dbscanLong = `Finds clusters by density: a row is core when at least --min-points rows, itself
included, are within --eps of it; core rows within --eps of each other are one
cluster; other rows near a core row are its border; the rest is noise (-1).
Labels equal those of scikit-learn's DBSCAN and do not depend on threads.

The output has all columns and rows of the input, in their order, and the
columns cluster (-1 noise, null for rows that could not be used) and core.`

const dbscanExample = `  # clusters of galaxies on the sky
  cluster dbscan galaxies.csv -c RA,Dec --eps 0.15deg --min-points 10 -o labelled.csv -p map.png

  # an open cluster: positions, proper motions and parallax, each divided by its scale
  cluster dbscan gaia.parquet -c ra,dec,pmra,pmdec,parallax --scale 0.08deg,0.25,0.25,0.12 \
      --eps 1 --min-points 15 -o members.parquet --clusters clusters.csv

  # a periodic box of 100 Mpc, halos weighted by mass
  cluster dbscan halos.parquet -c x,y,z --box 100 --eps 0.2 --min-points 1e12 --weights mass -o fof.parquet

  # what --eps to take
  cluster kdist galaxies.csv -c RA,Dec -k 9 -p kdist.png`

type dbscanOptions struct {
	run      runFlags
	read     readFlags
	geometry geometryFlags
	out      outputFlags

	eps       length
	minPoints number
	weights   string
	star      bool
	border    choice
	counts    bool
	clusters  string
	panels    panelFlags
}

func newDBSCAN(a *app) *cobra.Command {
	o := &dbscanOptions{border: borderChoice()}
	cmd := &cobra.Command{
		Use:     "dbscan IN… --eps E --min-points M -o OUT",
		Short:   "clusters by density (DBSCAN)",
		Long:    dbscanLong,
		Example: dbscanExample,
		Args:    needFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	fs := cmd.Flags()
	o.register(cmd)
	o.read.register(fs)
	o.out.register(fs, "labelled table")
	o.registerCounts(fs)
	fs.StringVar(&o.clusters, "clusters", "", "table with a row for each cluster: a .parquet or .csv `file`")
	o.out.registerPlot(fs, "map of the clusters")
	o.out.registerMap(cmd)
	o.panels.register(cmd)
	o.run.register(cmd)
	o.run.gpu.register(cmd, 50_000)
	return cmd
}

// register registers the flags that say what is computed.
func (o *dbscanOptions) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Var(&o.eps, "eps", "radius; on the sky with its unit: deg, arcmin, arcsec or rad")
	fs.Var(&o.minPoints, "min-points", "how many rows within --eps, the row itself included, make it core; with --weights, the sum of weights")
	o.geometry.register(cmd)
	fs.StringVar(&o.weights, "weights", "", "`column` of weights")
	fs.BoolVar(&o.star, "star", false, "DBSCAN*: border rows are noise")
	fs.Var(&o.border, "border", "cluster of a border row: the first in number, or that of the nearest core row")
	completeColumns(cmd, "weights")
	idleBeside(fs, []string{"border"}, "star")
	complete(cmd, "border", o.border.values)
}

func (o *dbscanOptions) registerCounts(fs *pflag.FlagSet) {
	fs.BoolVar(&o.counts, "counts", false, "add the column neighbors: rows within --eps, the row itself included")
	needs(fs, []string{"counts"}, "output")
}

// borderChoice is --border.
func borderChoice() choice {
	return newChoice(dbscan.BorderFirst.String(), dbscan.BorderNearest.String())
}

// check refuses what is wrong whatever the catalog holds.
func (o *dbscanOptions) check() error {
	switch {
	case o.eps.value == 0:
		return usagef("--eps is needed: the radius, as in --eps 1.5arcmin; 'cluster kdist' helps to choose it")
	case !o.minPoints.set:
		return usagef("--min-points is needed: how many rows within --eps make a row core, as in --min-points 10")
	case o.weights == "" && o.minPoints.value < 1:
		return usagef("--min-points %v: it must be at least 1, a row counts itself", o.minPoints.value)
	case o.weights == "" && o.minPoints.value != math.Trunc(o.minPoints.value):
		return usagef("--min-points %v: a number of rows is whole; sums of --weights need not be", o.minPoints.value)
	case o.minPoints.value <= 0:
		return usagef("--min-points %v: a sum of weights must be positive", o.minPoints.value)
	}
	return o.out.check(o.run.json, o.clusters, o.panels.path)
}

func (o *dbscanOptions) execute(ctx context.Context, a *app, paths []string) error {
	if err := o.check(); err != nil {
		return err
	}
	j, err := openJob(ctx, a, "dbscan", &o.run, &o.read, paths)
	if err != nil {
		return err
	}
	defer j.cat.Close()
	if err := j.outputs(o.out.with(o.panels.path), o.clusters); err != nil {
		return err
	}
	if j.geo, err = o.geometry.resolve(j.cat); err != nil {
		return err
	}
	if err := j.canMap(o.out.with(o.panels.path)); err != nil {
		return err
	}
	pm, cmd, err := o.panels.resolve(j)
	if err != nil {
		return err
	}
	eps, err := j.geo.radius("--eps", o.eps)
	if err != nil {
		return err
	}
	if o.tooLarge(j) {
		return o.inTiles(ctx, j)
	}
	if err := j.load(ctx, &o.read, o.weights); err != nil {
		return err
	}
	meta := o.parameters(j)
	res, err := o.cluster(ctx, j, eps)
	if err != nil {
		return err
	}
	var d *description
	if o.clusters != "" || !o.run.json && !o.run.quiet {
		if d, err = o.describe(ctx, j, res); err != nil {
			return err
		}
	}
	if err := o.write(ctx, j, res, d, meta); err != nil {
		return err
	}
	if err := j.plotPanels(ctx, &o.out, &o.panels, pm, cmd, res.Labels); err != nil {
		return err
	}
	o.report(j, res, d)
	return j.finish()
}

// parameters names the flags that the labels depend on.
func (o *dbscanOptions) parameters(j *job) []catalog.KeyValue {
	p := j.parameters(&o.geometry, &o.read)
	p.length("eps", o.eps)
	p.add("min-points", o.minPoints.value, o.minPoints.String())
	if o.weights != "" {
		p.text("weights", o.weights)
	}
	p.flag("star", o.star)
	p.text("border", o.border.value)
	return p.metadata
}

func (o *dbscanOptions) cluster(ctx context.Context, j *job, eps float64) (res *dbscan.Result, err error) {
	border, err := dbscan.ParseBorder(o.border.value)
	if err != nil {
		return nil, err
	}
	report, end := j.rep.stages()
	defer end()
	join := j.join(report)
	opt := dbscan.Options{
		MinPoints: o.minPoints.value,
		Weights:   j.sel.Weights,
		Star:      o.star,
		Border:    border,
		Counts:    o.counts,
		Threads:   join.Threads,
		Memory:    join.Memory,
		Progress:  join.Progress,
	}
	err = await(ctx, func() error {
		return j.on(j.sel.Points.Len(), func(joiner neighbors.Joiner) (err error) {
			opt.Joiner = forClustering(joiner)
			res, err = dbscan.Run(ctx, j.sel.Points, j.metric, eps, opt)
			if opt.Joiner != joiner && gpu.IsFailure(err) { // it may not fit one GPU
				opt.Joiner = joiner
				res, err = dbscan.Run(ctx, j.sel.Points, j.metric, eps, opt)
			}
			return err
		})
	})
	if err != nil {
		return nil, overMemory(err)
	}
	s := j.sum.Seconds
	s.Index, s.Join, s.Cluster = res.Index.Seconds(), res.Join.Seconds(), res.Cluster.Seconds()
	return res, nil
}

// write writes the labels first: they are what the run was for.
func (o *dbscanOptions) write(ctx context.Context, j *job, res *dbscan.Result, d *description, meta []catalog.KeyValue) error {
	defer j.sum.Seconds.lap(&j.sum.Seconds.Write, time.Now())
	columns := []table.Column{
		{Name: "cluster", Int32: res.Labels, Rows: j.sel.Rows, Description: "cluster number, -1 for noise"},
		{Name: "core", Bool: res.Core, Rows: j.sel.Rows, Description: "whether the row is core"},
	}
	if o.counts {
		columns = append(columns, table.Column{Name: "neighbors", Int64: res.Counts, Rows: j.sel.Rows, Description: "rows within eps, the row itself included"})
	}
	if err := j.append(ctx, &o.out, columns, meta); err != nil {
		return err
	}
	if o.clusters != "" {
		if err := j.table(ctx, o.clusters, o.out.force, d.columns(), meta); err != nil {
			return err
		}
	}
	return j.plotMap(ctx, &o.out, res.Labels)
}

func (o *dbscanOptions) report(j *job, res *dbscan.Result, d *description) {
	r := &j.sum.Result
	r.set("clusters", int64(res.Clusters()))
	r.set("noise", res.NoiseCount)
	r.set("core", res.CoreCount)
	r.set("border", res.BorderCount)
	r.set("pairs", res.Pairs)
	r.set("largest", res.Largest())
	if d != nil {
		j.sum.detail, j.sum.more = d.table(), d.more()
	}
}
