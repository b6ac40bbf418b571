package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/tiles"
)

const mergeLong = `Puts the tiles of a plan together, once all are done, to the answer that one run
would have given: the same labels, matches or counts, in the same bytes. With -o
the answer is written as one table; without, what was found stays in the folder
of the plan, from which 'cluster relabel' writes labelled copies of the inputs.`

type mergeOptions struct {
	run planFlags
	out outputFlags
}

func newMerge(planned ...tiledCommand) func(a *app) *cobra.Command {
	return func(a *app) *cobra.Command { return mergeCommand(a, planned) }
}

func mergeCommand(a *app, planned []tiledCommand) *cobra.Command {
	o := &mergeOptions{}
	cmd := &cobra.Command{
		Use:     "merge PLAN [-o OUT]",
		Short:   "puts the tiles of a plan together",
		Long:    mergeLong,
		Example: "  cluster merge plan/ -o labelled.parquet",
		Args:    needPlan,
		RunE:    func(cmd *cobra.Command, args []string) error { return executeMerge(cmd.Context(), o, a, planned, args) },
	}
	o.out.register(cmd.Flags(), "the answer as one table")
	o.run.threads(cmd)
	cmd.Flags().MarkHidden("memory") // the flag is there; err would be a bug
	return cmd
}

func executeMerge(ctx context.Context, o *mergeOptions, a *app, planned []tiledCommand, args []string) error {
	if err := o.out.check(o.run.run.json); err != nil {
		return err
	}
	p, err := openPlan(ctx, args)
	if err != nil {
		return err
	}
	c, err := tiledBy(planned, p)
	if err != nil {
		return err
	}
	return c.write(ctx, o, a, p)
}

// A tiledCommand is a command that can be computed in tiles.
type tiledCommand struct {
	name string
	plan func(a *app) *cobra.Command // the command that plans it
	// found puts the tiles together and reports what comes of it; write also
	// writes it, if that is asked for.
	found func(ctx context.Context, j *job, p *tiles.Plan) error
	write func(ctx context.Context, o *mergeOptions, a *app, p *tiles.Plan) error
}

// tiledBy returns the command that a plan is of.
func tiledBy(planned []tiledCommand, p *tiles.Plan) (tiledCommand, error) {
	for _, c := range planned {
		if c.name == p.Command {
			return c, nil
		}
	}
	return tiledCommand{}, fmt.Errorf("the plan %s is of %s, which cannot be merged", p.Dir(), p.Command)
}

// merged puts tiles together.
func merged[T any](ctx context.Context, j *job, merge func(context.Context) (T, error)) (found T, err error) {
	defer j.sum.Seconds.lap(&j.sum.Seconds.Cluster, time.Now())
	err = await(ctx, func() (err error) {
		found, err = merge(ctx)
		return err
	})
	return found, err
}

// begin opens the inputs of a plan if there is an output, which must not be one of
// them; end closes them, whether there is an error or not.
func (o *mergeOptions) begin(ctx context.Context, a *app, p *tiles.Plan) (j *job, end func(), err error) {
	end = func() {}
	if j, err = newJob(a, "merge", &o.run.run); err != nil || o.out.output == "" {
		return j, end, err
	}
	if err = j.openInputs(ctx, p, 0); err != nil {
		return j, end, err
	}
	end = func() { j.cat.Close() }
	for _, f := range p.Sets[len(p.Sets)-1].Files {
		j.also = append(j.also, f.Path)
	}
	return j, end, j.outputs(&o.out)
}

// mergeClusters merges a clustering, and writes the labelled table as 'cluster dbscan'
// does.
func mergeClusters(ctx context.Context, o *mergeOptions, a *app, p *tiles.Plan) error {
	j, end, err := o.begin(ctx, a, p)
	defer end()
	if err != nil {
		return err
	}
	if err := j.foundClusters(ctx, p); err != nil {
		return err
	}
	if o.out.output != "" {
		if err := j.writeLabels(ctx, p, &o.out); err != nil {
			return err
		}
	}
	return j.finish()
}

// openInputs opens the files of a set of a plan.
func (j *job) openInputs(ctx context.Context, p *tiles.Plan, set int) error {
	if err := await(ctx, p.Sets[set].Unchanged); err != nil {
		return err
	}
	return j.openAs(ctx, p.Sets[set].Names(), p.Sets[set].Options(j.run.count()))
}

// writeLabels writes the open catalog with the labels of a merged plan.
func (j *job) writeLabels(ctx context.Context, p *tiles.Plan, out *outputFlags) error {
	defer j.sum.Seconds.lap(&j.sum.Seconds.Write, time.Now())
	var columns []table.Column
	err := await(ctx, func() error {
		r, err := p.Labels(ctx)
		if err != nil {
			return err
		}
		l, err := r.Read(ctx, 0, j.cat.Rows())
		if err == nil {
			columns = l.Columns()
		}
		return err
	})
	if err != nil {
		return err
	}
	return j.append(ctx, out, columns, p.Metadata)
}

// foundClusters merges a clustering and reports it.
func (j *job) foundClusters(ctx context.Context, p *tiles.Plan) error {
	ans, err := merged(ctx, j, p.Merge)
	if err != nil {
		return err
	}
	j.tookPlanned(p, ans.Used)
	r := &j.sum.Result
	r.set("clusters", ans.Clusters)
	r.set("noise", ans.Noise)
	r.set("core", ans.Core)
	r.set("border", ans.Border)
	r.set("pairs", ans.Pairs)
	r.set("largest", ans.Largest)
	r.set("tiles", int64(len(p.Tiles)))
	r.set("halo", ans.Halo)
	return nil
}

// tookPlanned is what the summary says of the first input.
func (j *job) tookPlanned(p *tiles.Plan, used int64) {
	in, s := &j.sum.Input, &p.Sets[0]
	if len(in.Files) == 0 {
		for _, f := range s.Files {
			in.Files = append(in.Files, f.Path)
		}
	}
	in.Rows, in.Used, in.Skipped = s.Rows, used, s.Rows-used
	if in.Skipped > 0 {
		in.skips = []catalog.Skip{{Why: "not usable, or filtered", Rows: in.Skipped}}
		in.SkippedWhy["not usable, or filtered"] = in.Skipped
	}
}
