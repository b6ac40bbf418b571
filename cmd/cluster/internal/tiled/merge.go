package tiled

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/tiles"
)

type Merge struct {
	Run Flags
	Out flags.Output
}

// A Command is a command that can be computed in tiles.
type Command struct {
	Name string
	Plan func(a *job.App) *cobra.Command // the command that plans it
	// found puts the tiles together and reports what comes of it; write also
	// writes it, if that is asked for.
	Found func(ctx context.Context, j *job.Job, p *tiles.Plan) error
	Write func(ctx context.Context, o *Merge, a *job.App, p *tiles.Plan) error
}

// CommandOf returns the command that a plan is of.
func CommandOf(planned []Command, p *tiles.Plan) (Command, error) {
	for _, c := range planned {
		if c.Name == p.Command {
			return c, nil
		}
	}
	return Command{}, fmt.Errorf("the plan %s is of %s, which cannot be merged", p.Dir(), p.Command)
}

// Merged puts tiles together.
func Merged[T any](ctx context.Context, j *job.Job, merge func(context.Context) (T, error)) (found T, err error) {
	defer j.Sum.Seconds.Lap(&j.Sum.Seconds.Cluster, time.Now())
	err = exit.Await(ctx, func() (err error) {
		found, err = merge(ctx)
		return err
	})
	return found, err
}

// Begin opens the inputs of a plan if there is an output, which must not be one of
// them; end closes them, whether there is an error or not.
func (o *Merge) Begin(ctx context.Context, a *job.App, p *tiles.Plan) (j *job.Job, end func(), err error) {
	end = func() {}
	if j, err = job.New(a, "merge", &o.Run.Run); err != nil || o.Out.Output == "" {
		return j, end, err
	}
	if err = openInputs(ctx, j, p, 0); err != nil {
		return j, end, err
	}
	end = func() { j.Cat.Close() }
	return j, end, exit.First(j.Reads(p.Sets[len(p.Sets)-1].Names()...), j.Outputs(&o.Out))
}

// openInputs opens the files of a set of a plan.
func openInputs(ctx context.Context, j *job.Job, p *tiles.Plan, set int) error {
	if err := exit.Await(ctx, p.Sets[set].Unchanged); err != nil {
		return err
	}
	return j.OpenAs(ctx, p.Sets[set].Names(), p.Sets[set].Options(j.Run.Count()))
}

// WriteLabels writes the open catalog with the labels of a merged plan.
func WriteLabels(ctx context.Context, j *job.Job, p *tiles.Plan, out *flags.Output) error {
	defer j.Sum.Seconds.Lap(&j.Sum.Seconds.Write, time.Now())
	var columns []table.Column
	err := exit.Await(ctx, func() error {
		r, err := p.Labels(ctx)
		if err != nil {
			return err
		}
		l, err := r.Read(ctx, 0, j.Cat.Rows())
		if err == nil {
			columns = l.Columns()
		}
		return err
	})
	if err != nil {
		return err
	}
	return j.Append(ctx, out, columns, p.Metadata)
}

// FoundClusters merges a clustering and reports it.
func FoundClusters(ctx context.Context, j *job.Job, p *tiles.Plan) error {
	ans, err := Merged(ctx, j, p.Merge)
	if err != nil {
		return err
	}
	TookPlanned(j, p, ans.Used)
	r := &j.Sum.Result
	r.Set("clusters", ans.Clusters)
	r.Set("noise", ans.Noise)
	r.Set("core", ans.Core)
	r.Set("border", ans.Border)
	r.Set("pairs", ans.Pairs)
	r.Set("largest", ans.Largest)
	r.Set("tiles", int64(len(p.Tiles)))
	r.Set("halo", ans.Halo)
	return nil
}

// TookPlanned is what the summary says of the first input.
func TookPlanned(j *job.Job, p *tiles.Plan, used int64) {
	in, s := &j.Sum.Input, &p.Sets[0]
	if len(in.Files) == 0 {
		for _, f := range s.Files {
			in.Files = append(in.Files, f.Path)
		}
	}
	in.Rows, in.Used, in.Skipped = s.Rows, used, s.Rows-used
	if in.Skipped > 0 {
		in.Skips = []catalog.Skip{{Why: "not usable, or filtered", Rows: in.Skipped}}
		in.SkippedWhy["not usable, or filtered"] = in.Skipped
	}
}
