package dbscan

import (
	"context"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/tiles"
)

// Tiled is the clustering in tiles.
var Tiled = tiled.Command{Name: "dbscan", Plan: newPlan, Merge: merge}

const planDoc = `dbscan IN… --eps E --min-points M --tiles N -o PLAN
a clustering in tiles

` + tiled.PlanLong + `

Examples:
` + tiled.PlanExample

func newPlan(a *job.App) *cobra.Command {
	o := &Options{}
	f := &tiled.Flags{}
	cmd := flags.Command(planDoc, flags.NeedFiles, func(cmd *cobra.Command, args []string) error { return plan(cmd.Context(), a, o, f, args) })
	o.register(cmd)
	o.Read.Register(cmd.Flags())
	o.registerCounts(cmd.Flags())
	f.Register(cmd, &o.Run)
	return cmd
}

// plan plans the clustering.
func plan(ctx context.Context, a *job.App, o *Options, f *tiled.Flags, paths []string) error {
	if err := exit.First(o.check(), f.Check()); err != nil {
		return err
	}
	j, err := o.Locate(ctx, a, "dbscan", job.Inputs{Paths: paths})
	if err != nil {
		return err
	}
	defer j.Close()
	p, err := o.planOf(ctx, j)
	if err != nil {
		return err
	}
	return f.Make(ctx, j, p)
}

// merge merges a clustering, and writes the labelled table as 'cluster dbscan'
// does.
func merge(ctx context.Context, j *job.Job, p *tiles.Plan) error {
	if err := tiled.OpenInputs(ctx, j, p); err != nil {
		return err
	}
	if err := tiled.FoundClusters(ctx, j, p); err != nil || j.Out.Output == "" {
		return err
	}
	return tiled.WriteLabels(ctx, j, p)
}
