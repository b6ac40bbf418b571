// Package merge is 'cluster merge', which puts the tiles of a plan together.
package merge

import (
	"context"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/tiled"
)

const mergeLong = `Puts the tiles of a plan together, once all are done, to the answer that one run
would have given: the same labels, matches or counts, in the same bytes. With -o
the answer is written as one table; without, what was found stays in the folder
of the plan, from which 'cluster relabel' writes labelled copies of the inputs.`

func New(planned ...tiled.Command) func(a *job.App) *cobra.Command {
	return func(a *job.App) *cobra.Command { return mergeCommand(a, planned) }
}

func mergeCommand(a *job.App, planned []tiled.Command) *cobra.Command {
	o := &tiled.Merge{}
	cmd := &cobra.Command{
		Use:     "merge PLAN [-o OUT]",
		Short:   "puts the tiles of a plan together",
		Long:    mergeLong,
		Example: "  cluster merge plan/ -o labelled.parquet",
		Args:    tiled.NeedPlan,
		RunE:    func(cmd *cobra.Command, args []string) error { return executeMerge(cmd.Context(), o, a, planned, args) },
	}
	o.Out.Register(cmd.Flags(), "the answer as one table")
	o.Run.Threads(cmd)
	cmd.Flags().MarkHidden("memory") // the flag is there; err would be a bug
	return cmd
}

func executeMerge(ctx context.Context, o *tiled.Merge, a *job.App, planned []tiled.Command, args []string) error {
	if err := o.Out.Check(o.Run.Run.JSON); err != nil {
		return err
	}
	p, err := tiled.OpenPlan(ctx, args)
	if err != nil {
		return err
	}
	c, err := tiled.CommandOf(planned, p)
	if err != nil {
		return err
	}
	return c.Write(ctx, o, a, p)
}
