// Package predict is 'cluster predict', which labels new rows by the clusters of an earlier run.
package predict

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/pages"
	"skyjoin/dbscan"
	"skyjoin/io/table"
)

const doc = `predict LABELLED NEW… -o OUT
labels new rows by the clusters of an earlier run

Labels new rows by the clusters of an earlier run. LABELLED is an output of
'cluster dbscan' or 'cluster hdbscan' as Parquet, whose metadata keep columns,
metric, scales and the flags of the run. Of dbscan, a new row takes the cluster
of a core row within --eps of it, by the border rule of the run, or is noise (-1);
it never becomes core itself. Of hdbscan, the tree of LABELLED is built again, and
a new row joins the row that it reaches first; there are columns probability and
outlier, too. Columns that --let derived for the run are derived for the new rows.

Examples:
  cluster dbscan gaia.parquet -c ra,dec --eps 1arcmin --min-points 10 -o labelled.parquet
  cluster predict labelled.parquet new.parquet -o new-labelled.parquet

  # the new catalog has other names
  cluster predict labelled.parquet survey.csv -c RAJ2000,DEJ2000 -o survey-labelled.csv`

// Options are the flags of the command.
type Options struct {
	job.Flags
	columns flags.List
	usual   pages.Usual
}

func New(a *job.App) *cobra.Command {
	o := &Options{}
	cmd := flags.Command(doc, func(cmd *cobra.Command, args []string) error {
		if len(args) < 2 {
			return exit.Usagef("a labelled catalog and a new one are needed; usage: %s", cmd.UseLine())
		}
		return nil
	}, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args[0], args[1:]) })
	fs := cmd.Flags()
	fs.VarP(&o.columns, "columns", "c", "coordinate columns of NEW, where its names differ")
	o.Read.Register(fs)
	o.Out.Register(fs, "labelled table")
	o.Out.RegisterPlot(fs, "map of the new rows")
	o.Out.Plot.RegisterMap(cmd)
	o.Out.RegisterPages(cmd)
	o.usual.Register(cmd, "plot="+flags.PageFile)
	o.Run.Register(cmd)
	return cmd
}

// Run labels the rows of new files by the clusters of a labelled one.
func Run(ctx context.Context, a *job.App, o *Options, labelled string, paths []string) error {
	j, err := o.Begin(ctx, a, "predict", job.Inputs{Paths: paths, Also: []string{labelled}})
	if err != nil {
		return err
	}
	defer j.Close()
	t, err := readTraining(ctx, j, labelled)
	if err != nil {
		return err
	}
	o.Geometry = t.geometry
	if len(o.columns) > 0 {
		o.Geometry.Columns = o.columns
	}
	needed := append(append([]string{}, o.Geometry.Columns...), o.Geometry.Distance)
	if err := j.Cat.Complete(t.let, needed); err != nil {
		return fmt.Errorf("as %s was clustered: %w", labelled, err)
	}
	if err := j.Resolve(); err != nil {
		return err
	}
	if len(j.Geo.Columns) != t.points.Dim() {
		return exit.Usagef("--columns %s: %d columns, the labelled catalog has %d: %s", &o.columns, len(j.Geo.Columns), t.points.Dim(), &t.geometry.Columns)
	}
	if err := j.CanMap(&o.Out); err != nil {
		return err
	}
	if err := j.LoadSides(ctx, "", ""); err != nil {
		return err
	}
	if err := t.sameUnits(j.Sel.Fields); err != nil {
		return err
	}
	p := j.Parameters()
	find := predict
	if t.density != nil {
		p.List("min-cluster-size", t.density.sizes)
		p.Number("min-samples", t.density.samples.Value)
		find = t.density.predict
	} else {
		p.Length("eps", t.eps)
		p.Text("border", t.border.Value)
	}
	labels, columns, err := find(ctx, j, t)
	if err != nil {
		return err
	}
	if err := o.write(ctx, j, labels, columns); err != nil {
		return err
	}
	reportLabels(j, labels)
	return j.Finish(ctx)
}

// predict labels the new points by the core rows near them.
func predict(ctx context.Context, j *job.Job, t *training) ([]int32, []table.Column, error) {
	defer j.Timed(&j.Sum.Seconds.Join)()
	model, err := t.model()
	if err != nil {
		return nil, nil, err
	}
	report, end := j.Rep.Stages()
	defer end()
	labels, err := exit.Await(ctx, func() ([]int32, error) { return model.Predict(ctx, j.Sel.Points, j.Join(report)) })
	columns := []table.Column{{Name: "cluster", Int32: labels, Rows: j.Sel.Rows, Description: "cluster number, -1 for noise"}}
	return labels, columns, exit.OverMemory(err)
}

func (o *Options) write(ctx context.Context, j *job.Job, labels []int32, columns []table.Column) error {
	defer j.Timed(&j.Sum.Seconds.Write)()
	if err := j.Append(ctx, columns); err != nil {
		return err
	}
	return pages.Plot(ctx, j, labels, "cluster", &o.usual)
}

// Result is that of the command.
type Result struct {
	Clusters int64 `json:"clusters" jsonschema:"clusters that got a row"`
	Members  int64 `json:"members" jsonschema:"rows in clusters"`
	Noise    int64 `json:"noise" jsonschema:"rows in none"`
}

func reportLabels(j *job.Job, labels []int32) {
	clusters := map[int32]bool{}
	noise := int64(0)
	for _, l := range labels {
		if l == dbscan.Noise {
			noise++
		} else {
			clusters[l] = true
		}
	}
	j.Sum.Result.Add(Result{int64(len(clusters)), int64(len(labels)) - noise, noise})
}
