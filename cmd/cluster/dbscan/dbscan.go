// Package dbscan is 'cluster dbscan', which finds clusters by density.
package dbscan

import (
	"context"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/pages"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/dbscan"
	"skyjoin/gpu"
	"skyjoin/internal/each"
	"skyjoin/io/table"
	"skyjoin/neighbors"
)

const doc = `dbscan IN… --eps E --min-points M -o OUT
clusters by density (DBSCAN)

Finds clusters by density: a row is core when at least --min-points rows, itself
included, are within --eps of it; core rows within --eps of each other are one
cluster; other rows near a core row are its border; the rest is noise (-1).
Labels equal those of scikit-learn's DBSCAN and do not depend on threads.

The output has all columns and rows of the input, in their order, and the
columns cluster (-1 noise, null for rows that could not be used) and core.

Examples:
  # clusters of galaxies on the sky
  cluster dbscan galaxies.csv -c RA,Dec --eps 0.15deg --min-points 10 -o labelled.csv -p map.png

  # an open cluster: positions, proper motions and parallax, each divided by its scale
  cluster dbscan gaia.parquet -c ra,dec,pmra,pmdec,parallax --scale 0.08deg,0.25,0.25,0.12 \
      --eps 1 --min-points 15 -o members.parquet --clusters clusters.csv

  # a periodic box of 100 Mpc, halos weighted by mass
  cluster dbscan halos.parquet -c x,y,z --box 100 --eps 0.2 --min-points 1e12 --weights mass -o fof.parquet

  # which --eps to use
  cluster kdist galaxies.csv -c RA,Dec -k 9 -p kdist.png`

func New(a *job.App) *cobra.Command {
	o := &Options{}
	cmd := flags.Command(doc, flags.NeedFiles, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	fs := cmd.Flags()
	o.register(cmd)
	o.Read.Register(fs)
	o.Out.Register(fs, "labelled table")
	o.registerCounts(fs)
	fs.StringVar(&o.clusters, "clusters", "", "table with a row for each cluster: a .parquet or .csv `file`")
	o.Out.RegisterPlot(fs, "map of the clusters")
	o.Out.Plot.RegisterMap(cmd)
	o.Out.RegisterPages(cmd)
	o.panels.RegisterPanels(cmd)
	o.Run.Register(cmd)
	o.Run.GPU.Register(cmd, 50_000)
	return cmd
}

// Run clusters the rows of a catalog.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	if err := o.check(); err != nil {
		return err
	}
	j, err := o.Locate(ctx, a, "dbscan", job.Inputs{Paths: paths, Tables: []string{o.clusters}, Figures: []string{o.panels.Path}})
	if err != nil {
		return err
	}
	defer j.Close()
	if err := j.CanMap(o.Out.With(o.panels.Path)); err != nil {
		return err
	}
	if o.panels.Path != "" {
		if err := o.panels.Find(j.Cat); err != nil {
			return err
		}
	}
	eps, err := j.Geo.Radius("--eps", o.eps)
	if err != nil {
		return err
	}
	if need, is, err := o.tooLarge(j); err != nil {
		return err
	} else if is {
		return o.inTiles(ctx, j, need)
	}
	if err := j.LoadSides(ctx, o.weights, ""); err != nil {
		return err
	}
	o.parameters(j)
	res, err := o.cluster(ctx, j, eps)
	if err != nil {
		return err
	}
	var d *description
	if o.clusters != "" || o.Run.JSON || !o.Run.Quiet {
		if d, err = o.describe(ctx, j, res); err != nil {
			return err
		}
	}
	if err := o.write(ctx, j, res, d); err != nil {
		return err
	}
	reportFound(j, res, d)
	if o.panels.Path != "" {
		if err := o.panels.Draw(ctx, j, []string{o.panels.Path}, res.Labels); err != nil {
			return err
		}
	}
	if err := o.hint(ctx, j, res); err != nil {
		return err
	}
	return j.Finish(ctx)
}

func (o *Options) cluster(ctx context.Context, j *job.Job, eps float64) (*dbscan.Result, error) {
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
	res, err := job.Compute(ctx, j, j.Sel.Points.Len(), func(joiner neighbors.Joiner) (*dbscan.Result, error) {
		opt.Joiner = job.ForClustering(joiner)
		res, err := dbscan.Run(ctx, j.Sel.Points, j.Metric, eps, opt)
		if opt.Joiner != joiner && gpu.IsFailure(err) { // it may not fit one GPU
			opt.Joiner = joiner
			res, err = dbscan.Run(ctx, j.Sel.Points, j.Metric, eps, opt)
		}
		return res, err
	})
	if err != nil {
		return nil, err
	}
	j.Sum.Algorithm = string(res.Algorithm)
	s := j.Sum.Seconds
	s.Index, s.Join, s.Cluster = res.Index.Seconds(), res.Join.Seconds(), res.Cluster.Seconds()
	return res, nil
}

// write writes the labels, the table of clusters and the map.
func (o *Options) write(ctx context.Context, j *job.Job, res *dbscan.Result, d *description) error {
	defer j.Timed(&j.Sum.Seconds.Write)()
	columns := []table.Column{
		{Name: "cluster", Int32: res.Labels, Rows: j.Sel.Rows, Description: "cluster number, -1 for noise"},
		{Name: "core", Bool: res.Core, Rows: j.Sel.Rows, Description: "whether the row is core"},
	}
	if o.counts {
		columns = append(columns, table.Column{Name: "neighbors", Int64: res.Counts, Rows: j.Sel.Rows, Description: "rows within eps, the row itself included"})
	}
	if err := j.Append(ctx, columns); err != nil {
		return err
	}
	if o.clusters != "" {
		if err := j.Table(ctx, o.clusters, d.columns()); err != nil {
			return err
		}
	}
	return pages.Plot(ctx, j, res.Labels, "cluster", &o.panels.Usual)
}

func reportFound(j *job.Job, res *dbscan.Result, d *description) {
	r := &j.Sum.Result
	r.Add(tiled.Clustering{Clusters: int64(res.Clusters()), Noise: res.NoiseCount, Core: res.CoreCount, Border: res.BorderCount, Pairs: res.Pairs, Largest: res.Largest()})
	if d != nil {
		if j.Run.AsJSON() {
			j.Unit(d.unit)
			r.Add(described{d.largest()})
		}
		j.Sum.Detail, j.Sum.More = d.table(), d.more()
		j.Sum.Wrapping(each.Of(d.clusters, func(c dbscan.Cluster) bool { return c.Wraps }))
	}
}
