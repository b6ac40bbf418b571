// Package validity is 'cluster validity', which says how good a clustering is.
package validity

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/dbscan"
	"skyjoin/hdbscan/validity"
)

const doc = `validity LABELLED…
validity of a clustering by density (DBCV)

Says how good a clustering is, judged by densities alone: DBCV, density-based
clustering validation. The sparseness of a cluster is the longest edge in the tree
of its rows, its separation how far it is from the nearest other cluster, both by
distances that are at least those at which rows are dense; its validity is
(separation - sparseness) over the larger, and the index the mean over all rows, in
[-1, 1], of which noise has 0. It takes time that grows with the square of clusters.

Examples:
  cluster hdbscan galaxies.csv -c RA,Dec --min-cluster-size 20 -o labelled.csv
  cluster validity labelled.csv -c RA,Dec --labels cluster`

// Options are the flags of the command.
type Options struct {
	job.Flags
	labels   string
	squared  bool
	clusters string
}

// New returns the command.
func New(a *job.App) *cobra.Command {
	o := &Options{}
	cmd := flags.Command(doc, flags.NeedFiles, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	fs := cmd.Flags()
	fs.StringVar(&o.labels, "labels", "cluster", "`column` of cluster numbers; negative ones are noise, rows that have none are left out")
	fs.BoolVar(&o.squared, "squared", false, "squared distances, as the authors' program takes them")
	o.Geometry.Register(cmd)
	o.Read.Register(fs)
	fs.StringVar(&o.clusters, "clusters", "", "table with a row for each cluster: a .parquet or .csv `file`")
	fs.BoolVar(&o.Out.Force, "force", false, "replace existing files")
	o.Run.RegisterThreads(fs, "CPU threads (default all)")
	o.Run.RegisterMemory(fs)
	o.Run.RegisterTalk(cmd)
	flags.CompleteColumns(cmd, "labels")
	flags.Needs(fs, []string{"force"}, "clusters")
	return cmd
}

// Run carries out the command.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	j, err := o.Locate(ctx, a, "validity", job.Inputs{Paths: paths, Tables: []string{o.clusters}})
	if err != nil {
		return err
	}
	defer j.Close()
	if f, err := j.Cat.Field(o.labels); err != nil {
		return err
	} else if !f.Type.IsNumber() {
		return exit.Usagef("--labels %s: the column is %s, labels are whole numbers", o.labels, f.Text)
	}
	if err := j.Load(ctx, "", ""); err != nil {
		return err
	}
	p := j.Parameters()
	p.Text("labels", o.labels)
	p.Flag("squared", o.squared)
	l, err := labelsOf(ctx, j, o.labels)
	if err != nil {
		return err
	}
	start := time.Now()
	var v *validity.Validity
	err = exit.Do(ctx, func() (err error) {
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
			unit, perUnit = "arcsec", flags.Radians("arcsec")
		}
		if o.squared {
			unit = "" // a square
		}
		if err := j.Table(ctx, o.clusters, table(v, l.names, unit, perUnit)); err != nil {
			return err
		}
	}
	o.report(j, v, l)
	return j.Finish(ctx)
}

// Result is that of the command.
type Result struct {
	DBCV     report.Float `json:"dbcv" jsonschema:"density-based validity of the clustering, from -1 to 1; null without clusters"`
	Clusters int64        `json:"clusters" jsonschema:"clusters of the labels"`
	Noise    int64        `json:"noise" jsonschema:"rows in none"`
}

func (o *Options) report(j *job.Job, v *validity.Validity, l *labelled) {
	r := &j.Sum.Result
	noise := int64(0)
	for _, label := range l.labels {
		if label == dbscan.Noise {
			noise++
		}
	}
	r.Add(Result{report.Float(v.Index), int64(len(l.names)), noise})
	if len(l.names) == 0 {
		return
	}
	g := &human.Grid{Right: map[int]bool{0: true, 1: true, 2: true}}
	g.Add("CLUSTER", "SIZE", "VALIDITY")
	for i, c := range v.Clusters[:min(len(v.Clusters), shown)] {
		validity := "none" // of one cluster alone
		if !math.IsNaN(c.Validity) {
			validity = strconv.FormatFloat(c.Validity, 'f', 4, 64)
		}
		g.Add(strconv.FormatInt(l.names[i], 10), human.Commas(c.Rows), validity)
	}
	j.Sum.Detail = g
}
