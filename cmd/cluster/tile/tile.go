// Package tile is 'cluster tile', which computes one tile of a plan.
package tile

import (
	"context"
	"runtime/debug"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/tiled"
)

const doc = `tile PLAN --index I
computes one tile of a plan

Computes one tile of a plan and leaves what it finds in the folder of the plan,
whole or not at all. Tiles may be computed in any order, on any machine that
sees the folder and the inputs, at the same time, and again; one that is done is
not computed again.

Examples:
  cluster tile plan/ --index 17 --threads 8`

// Options are the flags of the command.
type Options struct {
	job.Flags
	index flags.Integer
	force bool
}

func New(a *job.App) *cobra.Command {
	o := &Options{}
	cmd := flags.Command(doc, tiled.NeedPlan, func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("index") {
			return exit.Usagef("--index is needed: the number of the tile, from 0")
		}
		return Run(cmd.Context(), a, o, args[0])
	})
	fs := cmd.Flags()
	fs.Var(&o.index, "index", "which tile, numbered from 0")
	fs.BoolVar(&o.force, "force", false, "compute it also if it is done")
	o.Run.Register(cmd)
	o.Run.GPU.Register(cmd, 50_000)
	return cmd
}

// Result is that of the command.
type Result struct {
	Tile      int64  `json:"tile" jsonschema:"number of the tile, from 0"`
	Rows      int64  `json:"rows" jsonschema:"rows of the tile"`
	Halo      int64  `json:"halo" jsonschema:"rows around it that were read as well"`
	Core      *int64 `json:"core,omitempty" jsonschema:"core rows, of a plan of dbscan"`
	Neighbors int64  `json:"neighbors" jsonschema:"pairs that were found, or counted"`
}

// Run computes a tile of the plan.
func Run(ctx context.Context, a *job.App, o *Options, plan string) error {
	j, err := job.New(a, "tile", &o.Flags)
	if err != nil {
		return err
	}
	p, err := tiled.ReadPlan(ctx, j, plan)
	if err != nil {
		return err
	}
	if i := o.index.Value; o.Run.Memory.Bytes == 0 && i < int64(len(p.Tiles)) {
		// Garbage is collected before the process takes more than the memory that the
		// scheduler was asked for; memory that is needed is never refused.
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(p.Tiles[i].Memory))
	}
	q, err := tiled.Tile(ctx, j, p, int(min(o.index.Value, 1<<30)), o.force)
	if err != nil {
		return err
	}
	if q.Warning != "" {
		j.Sum.Warn("%s", q.Warning)
	}
	r := Result{Tile: int64(q.Tile), Neighbors: q.Found}
	for i := range q.Rows {
		r.Rows, r.Halo = r.Rows+q.Rows[i], r.Halo+q.Halo[i]
	}
	if p.DBSCAN != nil {
		r.Core = &q.Core
	}
	j.Sum.Result.Add(r)
	return j.Finish(ctx)
}
