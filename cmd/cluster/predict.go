package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/dbscan"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

const predictLong = `Labels new rows by the clusters of an earlier run. LABELLED is an output of
'cluster dbscan' as Parquet, whose metadata keep columns, metric, scales and
--eps. A new row takes the cluster of a core row within --eps of it, by the
border rule of the run, or is noise (-1); it never becomes core itself.`

const predictExample = `  cluster dbscan gaia.parquet -c ra,dec --eps 1arcmin --min-points 10 -o labelled.parquet
  cluster predict labelled.parquet new.parquet -o new-labelled.parquet

  # the new catalog has other names
  cluster predict labelled.parquet survey.csv -c RAJ2000,DEJ2000 -o survey-labelled.csv`

type predictOptions struct {
	run     runFlags
	read    readFlags
	out     outputFlags
	columns list
}

func newPredict(a *app) *cobra.Command {
	o := &predictOptions{}
	cmd := &cobra.Command{
		Use:     "predict LABELLED NEW… -o OUT",
		Short:   "labels new rows by the clusters of a dbscan output",
		Long:    predictLong,
		Example: predictExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("a labelled catalog and a new one are needed; usage: %s", cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args[0], args[1:]) },
	}
	fs := cmd.Flags()
	fs.VarP(&o.columns, "columns", "c", "coordinate columns of NEW, where its names differ")
	o.read.register(fs)
	o.out.register(fs, "labelled table")
	o.out.registerPlot(fs, "map of the new rows")
	o.out.registerMap(cmd)
	o.run.register(cmd)
	return cmd
}

func (o *predictOptions) execute(ctx context.Context, a *app, labelled string, paths []string) error {
	if err := o.out.check(o.run.json); err != nil {
		return err
	}
	j, err := newJob(a, "predict", &o.run)
	if err != nil {
		return err
	}
	j.also = []string{labelled}
	t, err := o.training(ctx, j, labelled)
	if err != nil {
		return err
	}
	if err := j.open(ctx, paths, &o.read); err != nil {
		return err
	}
	defer j.cat.Close()
	if err := j.outputs(&o.out); err != nil {
		return err
	}
	geometry := t.geometry
	if len(o.columns) > 0 {
		geometry.columns = o.columns
	}
	if j.geo, err = geometry.resolve(j.cat); err != nil {
		return err
	}
	if len(j.geo.columns) != t.points.Dim() {
		return usagef("--columns %s: %d columns, the labelled catalog has %d: %s", &o.columns, len(j.geo.columns), t.points.Dim(), &t.geometry.columns)
	}
	if err := j.canMap(&o.out); err != nil {
		return err
	}
	if err := j.load(ctx, &o.read, ""); err != nil {
		return err
	}
	if err := t.sameUnits(j.sel.Fields); err != nil {
		return err
	}
	p := j.parameters(&geometry, &o.read)
	p.length("eps", t.eps)
	p.text("border", t.border.value)
	labels, err := o.predict(ctx, j, t)
	if err != nil {
		return err
	}
	if err := o.write(ctx, j, labels, p.metadata); err != nil {
		return err
	}
	o.report(j, labels)
	return j.finish()
}

// predict labels the new points.
func (o *predictOptions) predict(ctx context.Context, j *job, t *training) (labels []int32, err error) {
	defer j.sum.Seconds.lap(&j.sum.Seconds.Join, time.Now())
	model, err := t.model()
	if err != nil {
		return nil, err
	}
	report, end := j.rep.stages()
	defer end()
	err = await(ctx, func() (err error) {
		labels, err = model.Predict(ctx, j.sel.Points, j.join(report))
		return err
	})
	return labels, overMemory(err)
}

func (o *predictOptions) write(ctx context.Context, j *job, labels []int32, meta []catalog.KeyValue) error {
	defer j.sum.Seconds.lap(&j.sum.Seconds.Write, time.Now())
	columns := []table.Column{{Name: "cluster", Int32: labels, Rows: j.sel.Rows, Description: "cluster number, -1 for noise"}}
	if err := j.append(ctx, &o.out, columns, meta); err != nil {
		return err
	}
	return j.plotMap(ctx, &o.out, labels)
}

func (o *predictOptions) report(j *job, labels []int32) {
	clusters := map[int32]bool{}
	noise := int64(0)
	for _, l := range labels {
		if l == dbscan.Noise {
			noise++
		} else {
			clusters[l] = true
		}
	}
	r := &j.sum.Result
	r.set("clusters", int64(len(clusters)))
	r.set("members", int64(len(labels))-noise)
	r.set("noise", noise)
}
