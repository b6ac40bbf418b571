// Package merge is 'cluster merge', which puts the tiles of a plan together.
package merge

import (
	"context"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/tiled"
)

const doc = `merge PLAN [-o OUT]
puts the tiles of a plan together

Puts the tiles of a plan together, once all are done, to the answer that one run
would have given: the same labels, matches or counts, in the same bytes. With -o
the answer is written as one table; without, what was found stays in the folder
of the plan, from which 'cluster relabel' writes labelled copies of the inputs.

Examples:
  cluster merge plan/ -o labelled.parquet`

// New returns the command for plans of those that can be planned.
func New(planned ...tiled.Command) func(a *job.App) *cobra.Command {
	return func(a *job.App) *cobra.Command {
		o := &job.Flags{}
		cmd := flags.Command(doc, tiled.NeedPlan, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, planned, args[0]) })
		o.Out.Register(cmd.Flags(), "the answer as one table")
		tiled.RegisterRun(cmd, &o.Run)
		o.Run.RegisterMemory(cmd.Flags())
		return cmd
	}
}

// Run merges the tiles of a plan of one of the planned commands.
func Run(ctx context.Context, a *job.App, o *job.Flags, planned []tiled.Command, plan string) error {
	if err := o.Out.Check(o.Run.JSON); err != nil {
		return err
	}
	j, err := job.New(a, "merge", o)
	if err != nil {
		return err
	}
	defer j.Close()
	p, err := tiled.ReadPlan(ctx, j, plan)
	if err != nil {
		return err
	}
	c, err := tiled.CommandOf(planned, p)
	if err != nil {
		return err
	}
	if err := c.Merge(ctx, j, p); err != nil {
		return err
	}
	return j.Finish(ctx)
}
