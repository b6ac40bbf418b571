// Package predict is 'cluster predict', which labels new rows by the clusters of an earlier run.
package predict

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/dbscan"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

const predictLong = `Labels new rows by the clusters of an earlier run. LABELLED is an output of
'cluster dbscan' or 'cluster hdbscan' as Parquet, whose metadata keep columns,
metric, scales and the flags of the run. Of dbscan, a new row takes the cluster
of a core row within --eps of it, by the border rule of the run, or is noise (-1);
it never becomes core itself. Of hdbscan, the tree of LABELLED is built again, and
a new row joins the row that it reaches first; there are columns probability and
outlier, too. Columns that --let derived for the run are derived for the new rows.`

const predictExample = `  cluster dbscan gaia.parquet -c ra,dec --eps 1arcmin --min-points 10 -o labelled.parquet
  cluster predict labelled.parquet new.parquet -o new-labelled.parquet

  # the new catalog has other names
  cluster predict labelled.parquet survey.csv -c RAJ2000,DEJ2000 -o survey-labelled.csv`

type predictOptions struct {
	run     flags.Run
	read    flags.Read
	out     flags.Output
	columns flags.List
}

func New(a *job.App) *cobra.Command {
	o := &predictOptions{}
	cmd := &cobra.Command{
		Use:     "predict LABELLED NEW… -o OUT",
		Short:   "labels new rows by the clusters of an earlier run",
		Long:    predictLong,
		Example: predictExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return exit.Usagef("a labelled catalog and a new one are needed; usage: %s", cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args[0], args[1:]) },
	}
	fs := cmd.Flags()
	fs.VarP(&o.columns, "columns", "c", "coordinate columns of NEW, where its names differ")
	o.read.Register(fs)
	o.out.Register(fs, "labelled table")
	o.out.RegisterPlot(fs, "map of the new rows")
	o.out.RegisterMap(cmd)
	o.run.Register(cmd)
	return cmd
}

func (o *predictOptions) execute(ctx context.Context, a *job.App, labelled string, paths []string) error {
	if err := o.out.Check(o.run.JSON); err != nil {
		return err
	}
	j, err := job.New(a, "predict", &o.run)
	if err != nil {
		return err
	}
	if err := j.Reads(labelled); err != nil {
		return err
	}
	t, err := o.training(ctx, j, labelled)
	if err != nil {
		return err
	}
	if err := j.Open(ctx, paths, &o.read); err != nil {
		return err
	}
	defer j.Cat.Close()
	if err := j.Outputs(&o.out); err != nil {
		return err
	}
	geometry := t.geometry
	if len(o.columns) > 0 {
		geometry.Columns = o.columns
	}
	needed := append(append([]string{}, geometry.Columns...), geometry.Distance)
	if err := j.Cat.Complete(t.let, needed); err != nil {
		return fmt.Errorf("as %s was clustered: %w", labelled, err)
	}
	if j.Geo, err = geometry.Resolve(j.Cat); err != nil {
		return err
	}
	if len(j.Geo.Columns) != t.points.Dim() {
		return exit.Usagef("--columns %s: %d columns, the labelled catalog has %d: %s", &o.columns, len(j.Geo.Columns), t.points.Dim(), &t.geometry.Columns)
	}
	if err := j.CanMap(&o.out); err != nil {
		return err
	}
	if err := j.Load(ctx, &o.read, ""); err != nil {
		return err
	}
	if err := t.sameUnits(j.Sel.Fields); err != nil {
		return err
	}
	p := j.Parameters(&geometry, &o.read)
	find := o.predict
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
	if err := o.write(ctx, j, labels, columns, p.Metadata); err != nil {
		return err
	}
	o.report(j, labels)
	return j.Finish()
}

// predict labels the new points by the core rows near them.
func (o *predictOptions) predict(ctx context.Context, j *job.Job, t *training) (labels []int32, columns []table.Column, err error) {
	defer j.Sum.Seconds.Lap(&j.Sum.Seconds.Join, time.Now())
	model, err := t.model()
	if err != nil {
		return nil, nil, err
	}
	report, end := j.Rep.Stages()
	defer end()
	err = exit.Await(ctx, func() (err error) {
		labels, err = model.Predict(ctx, j.Sel.Points, j.Join(report))
		return err
	})
	columns = []table.Column{{Name: "cluster", Int32: labels, Rows: j.Sel.Rows, Description: "cluster number, -1 for noise"}}
	return labels, columns, exit.OverMemory(err)
}

func (o *predictOptions) write(ctx context.Context, j *job.Job, labels []int32, columns []table.Column, meta []catalog.KeyValue) error {
	defer j.Sum.Seconds.Lap(&j.Sum.Seconds.Write, time.Now())
	if err := j.Append(ctx, &o.out, columns, meta); err != nil {
		return err
	}
	return j.PlotMap(ctx, &o.out, labels)
}

func (o *predictOptions) report(j *job.Job, labels []int32) {
	clusters := map[int32]bool{}
	noise := int64(0)
	for _, l := range labels {
		if l == dbscan.Noise {
			noise++
		} else {
			clusters[l] = true
		}
	}
	r := &j.Sum.Result
	r.Set("clusters", int64(len(clusters)))
	r.Set("members", int64(len(labels))-noise)
	r.Set("noise", noise)
}
