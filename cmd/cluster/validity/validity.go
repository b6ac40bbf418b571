// Package validity is 'cluster validity', which says how good a clustering is.
package validity

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/hdbscan/validity"
)

const long = `Says how good a clustering is by its densities alone: DBCV, density-based
clustering validation. The sparseness of a cluster is the longest edge in the
tree of its rows, its separation how far it is from the nearest other cluster,
both by distances that are at least those at which rows are dense; its validity is
(separation - sparseness) over the larger, and the index the mean over all rows, in
[-1, 1], of which noise has 0. It takes time that grows with the square of clusters.`

const example = `  cluster hdbscan galaxies.csv -c RA,Dec --min-cluster-size 20 -o labelled.csv
  cluster validity labelled.csv -c RA,Dec --labels cluster`

type options struct {
	run      flags.Run
	read     flags.Read
	geometry geometry.Flags
	labels   string
	squared  bool
	clusters string
	force    bool
}

// New returns the command.
func New(a *job.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:     "validity LABELLED…",
		Short:   "validity of a clustering by density (DBCV)",
		Long:    long,
		Example: example,
		Args:    flags.NeedFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	fs := cmd.Flags()
	fs.StringVar(&o.labels, "labels", "cluster", "`column` of cluster numbers; negative ones are noise, rows that have none are left out")
	fs.BoolVar(&o.squared, "squared", false, "squared distances, as the authors' program takes them")
	o.geometry.Register(cmd)
	o.read.Register(fs)
	fs.StringVar(&o.clusters, "clusters", "", "table with a row for each cluster: a .parquet or .csv `file`")
	fs.BoolVar(&o.force, "force", false, "replace existing files")
	o.run.Register(cmd)
	flags.CompleteColumns(cmd, "labels")
	flags.Needs(fs, []string{"force"}, "clusters")
	return cmd
}

func (o *options) execute(ctx context.Context, a *job.App, paths []string) error {
	j, err := job.Open(ctx, a, "validity", &o.run, &o.read, paths)
	if err != nil {
		return err
	}
	defer j.Cat.Close()
	if err := j.Outputs(&flags.Output{Force: o.force}, o.clusters); err != nil {
		return err
	}
	if j.Geo, err = o.geometry.Resolve(j.Cat); err != nil {
		return err
	}
	if f, err := j.Cat.Field(o.labels); err != nil {
		return err
	} else if !f.Type.IsInteger() {
		return exit.Usagef("--labels %s: it has no whole numbers", o.labels)
	}
	if err := j.Load(ctx, &o.read, ""); err != nil {
		return err
	}
	p := j.Parameters(&o.geometry, &o.read)
	p.Text("labels", o.labels)
	p.Flag("squared", o.squared)
	l, err := o.labelsOf(ctx, j)
	if err != nil {
		return err
	}
	start := time.Now()
	var v *validity.Validity
	err = exit.Await(ctx, func() (err error) {
		v, err = validity.DBCV(ctx, l.points, j.Metric, l.labels, validity.Options{Squared: o.squared, Threads: j.Run.Count()})
		return err
	})
	if err != nil {
		return err
	}
	j.Sum.Seconds.Lap(&j.Sum.Seconds.Cluster, start)
	if o.clusters != "" {
		unit, perUnit := j.Geo.Unit, 1.0
		if j.Geo.Angle && !o.squared {
			unit, perUnit = "deg", flags.Radians("deg")
		}
		if o.squared {
			unit = "" // a square
		}
		if err := j.Table(ctx, o.clusters, o.force, table(v, l.names, unit, perUnit), p.Metadata); err != nil {
			return err
		}
	}
	o.report(j, v, l)
	return j.Finish()
}
