// Package dbscan is 'cluster dbscan', which finds clusters by density.
package dbscan

import (
	"context"
	"math"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/job"
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
	run      flags.Run
	read     flags.Read
	geometry geometry.Flags
	out      flags.Output

	eps       flags.Length
	minPoints flags.Number
	weights   string
	star      bool
	border    flags.Choice
	counts    bool
	clusters  string
	panels    panelFlags
}

func New(a *job.App) *cobra.Command {
	o := &dbscanOptions{border: job.BorderChoice()}
	cmd := &cobra.Command{
		Use:     "dbscan IN… --eps E --min-points M -o OUT",
		Short:   "clusters by density (DBSCAN)",
		Long:    dbscanLong,
		Example: dbscanExample,
		Args:    flags.NeedFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	fs := cmd.Flags()
	o.register(cmd)
	o.read.Register(fs)
	o.out.Register(fs, "labelled table")
	o.registerCounts(fs)
	fs.StringVar(&o.clusters, "clusters", "", "table with a row for each cluster: a .parquet or .csv `file`")
	o.out.RegisterPlot(fs, "map of the clusters")
	o.out.RegisterMap(cmd)
	o.panels.register(cmd)
	o.run.Register(cmd)
	o.run.GPU.Register(cmd, 50_000)
	return cmd
}

// register registers the flags that say what is computed.
func (o *dbscanOptions) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Var(&o.eps, "eps", "radius; on the sky with its unit: deg, arcmin, arcsec or rad")
	fs.Var(&o.minPoints, "min-points", "how many rows within --eps, the row itself included, make it core; with --weights, the sum of weights")
	o.geometry.Register(cmd)
	fs.StringVar(&o.weights, "weights", "", "`column` of weights")
	fs.BoolVar(&o.star, "star", false, "DBSCAN*: border rows are noise")
	fs.Var(&o.border, "border", "cluster of a border row: the first in number, or that of the nearest core row")
	flags.CompleteColumns(cmd, "weights")
	flags.IdleBeside(fs, []string{"border"}, "star")
	flags.Complete(cmd, "border", o.border.Values)
}

func (o *dbscanOptions) registerCounts(fs *pflag.FlagSet) {
	fs.BoolVar(&o.counts, "counts", false, "add the column neighbors: rows within --eps, the row itself included")
	flags.Needs(fs, []string{"counts"}, "output")
}

// check refuses what is wrong whatever the catalog holds.
func (o *dbscanOptions) check() error {
	switch {
	case o.eps.Value == 0:
		return exit.Usagef("--eps is needed: the radius, as in --eps 1.5arcmin; 'cluster kdist' helps to choose it")
	case !o.minPoints.Given:
		return exit.Usagef("--min-points is needed: how many rows within --eps make a row core, as in --min-points 10")
	case o.weights == "" && o.minPoints.Value < 1:
		return exit.Usagef("--min-points %v: it must be at least 1, a row counts itself", o.minPoints.Value)
	case o.weights == "" && o.minPoints.Value != math.Trunc(o.minPoints.Value):
		return exit.Usagef("--min-points %v: a number of rows is whole; sums of --weights need not be", o.minPoints.Value)
	case o.minPoints.Value <= 0:
		return exit.Usagef("--min-points %v: a sum of weights must be positive", o.minPoints.Value)
	}
	return o.out.Check(o.run.JSON, o.clusters, o.panels.path)
}

func (o *dbscanOptions) execute(ctx context.Context, a *job.App, paths []string) error {
	if err := o.check(); err != nil {
		return err
	}
	j, err := job.Open(ctx, a, "dbscan", &o.run, &o.read, paths)
	if err != nil {
		return err
	}
	defer j.Cat.Close()
	if err := j.Outputs(o.out.With(o.panels.path), o.clusters); err != nil {
		return err
	}
	if j.Geo, err = o.geometry.Resolve(j.Cat); err != nil {
		return err
	}
	if err := j.CanMap(o.out.With(o.panels.path)); err != nil {
		return err
	}
	pm, cmd, err := o.panels.resolve(j)
	if err != nil {
		return err
	}
	eps, err := j.Geo.Radius("--eps", o.eps)
	if err != nil {
		return err
	}
	if o.tooLarge(j) {
		return o.inTiles(ctx, j)
	}
	if err := j.Load(ctx, &o.read, o.weights); err != nil {
		return err
	}
	meta := o.parameters(j)
	res, err := o.cluster(ctx, j, eps)
	if err != nil {
		return err
	}
	var d *description
	if o.clusters != "" || !o.run.JSON && !o.run.Quiet {
		if d, err = o.describe(ctx, j, res); err != nil {
			return err
		}
	}
	if err := o.write(ctx, j, res, d, meta); err != nil {
		return err
	}
	if err := plotPanels(ctx, j, &o.out, &o.panels, pm, cmd, res.Labels); err != nil {
		return err
	}
	o.report(j, res, d)
	return j.Finish()
}

// parameters names the flags that the labels depend on.
func (o *dbscanOptions) parameters(j *job.Job) []catalog.KeyValue {
	p := j.Parameters(&o.geometry, &o.read)
	p.Length("eps", o.eps)
	p.Add("min-points", o.minPoints.Value, o.minPoints.String())
	if o.weights != "" {
		p.Text("weights", o.weights)
	}
	p.Flag("star", o.star)
	p.Text("border", o.border.Value)
	return p.Metadata
}

func (o *dbscanOptions) cluster(ctx context.Context, j *job.Job, eps float64) (res *dbscan.Result, err error) {
	border, err := dbscan.ParseBorder(o.border.Value)
	if err != nil {
		return nil, err
	}
	report, end := j.Rep.Stages()
	defer end()
	join := j.Join(report)
	opt := dbscan.Options{
		MinPoints: o.minPoints.Value,
		Weights:   j.Sel.Weights,
		Star:      o.star,
		Border:    border,
		Counts:    o.counts,
		Threads:   join.Threads,
		Memory:    join.Memory,
		Progress:  join.Progress,
	}
	err = exit.Await(ctx, func() error {
		return j.On(j.Sel.Points.Len(), func(joiner neighbors.Joiner) (err error) {
			opt.Joiner = job.ForClustering(joiner)
			res, err = dbscan.Run(ctx, j.Sel.Points, j.Metric, eps, opt)
			if opt.Joiner != joiner && gpu.IsFailure(err) { // it may not fit one GPU
				opt.Joiner = joiner
				res, err = dbscan.Run(ctx, j.Sel.Points, j.Metric, eps, opt)
			}
			return err
		})
	})
	if err != nil {
		return nil, exit.OverMemory(err)
	}
	s := j.Sum.Seconds
	s.Index, s.Join, s.Cluster = res.Index.Seconds(), res.Join.Seconds(), res.Cluster.Seconds()
	return res, nil
}

// write writes the labels first: they are what the run was for.
func (o *dbscanOptions) write(ctx context.Context, j *job.Job, res *dbscan.Result, d *description, meta []catalog.KeyValue) error {
	defer j.Sum.Seconds.Lap(&j.Sum.Seconds.Write, time.Now())
	columns := []table.Column{
		{Name: "cluster", Int32: res.Labels, Rows: j.Sel.Rows, Description: "cluster number, -1 for noise"},
		{Name: "core", Bool: res.Core, Rows: j.Sel.Rows, Description: "whether the row is core"},
	}
	if o.counts {
		columns = append(columns, table.Column{Name: "neighbors", Int64: res.Counts, Rows: j.Sel.Rows, Description: "rows within eps, the row itself included"})
	}
	if err := j.Append(ctx, &o.out, columns, meta); err != nil {
		return err
	}
	if o.clusters != "" {
		if err := j.Table(ctx, o.clusters, o.out.Force, d.columns(), meta); err != nil {
			return err
		}
	}
	return j.PlotMap(ctx, &o.out, res.Labels)
}

func (o *dbscanOptions) report(j *job.Job, res *dbscan.Result, d *description) {
	r := &j.Sum.Result
	r.Set("clusters", int64(res.Clusters()))
	r.Set("noise", res.NoiseCount)
	r.Set("core", res.CoreCount)
	r.Set("border", res.BorderCount)
	r.Set("pairs", res.Pairs)
	r.Set("largest", res.Largest())
	if d != nil {
		j.Sum.Detail, j.Sum.More = d.table(), d.more()
	}
}
