package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/neighbors"
	"skyjoin/tiles"
)

const tileLong = `Computes one tile of a plan and leaves what it finds in the folder of the plan,
whole or not at all. Tiles may be computed in any order, on any machine that
sees the folder and the inputs, at the same time, and again; one that is done is
not computed anew.`

type tileOptions struct {
	run   runFlags
	index integer
	force bool
}

func newTile(a *app) *cobra.Command {
	o := &tileOptions{}
	cmd := &cobra.Command{
		Use:     "tile PLAN --index I",
		Short:   "computes one tile of a plan",
		Long:    tileLong,
		Example: "  cluster tile plan/ --index 17 --threads 8",
		Args:    needPlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("index") {
				return usagef("--index is needed: which tile, numbered from 0")
			}
			return o.execute(cmd.Context(), a, args)
		},
	}
	fs := cmd.Flags()
	fs.Var(&o.index, "index", "which tile, numbered from 0")
	fs.BoolVar(&o.force, "force", false, "compute it also if it is done")
	o.run.register(cmd)
	o.run.gpu.register(cmd, 50_000)
	return cmd
}

func (o *tileOptions) execute(ctx context.Context, a *app, args []string) error {
	j, err := newJob(a, "tile", &o.run)
	if err != nil {
		return err
	}
	p, err := openPlan(ctx, args)
	if err != nil {
		return err
	}
	if i := o.index.value; o.run.memory.bytes == 0 && i < int64(len(p.Tiles)) {
		// Garbage is collected before it takes more than what a scheduler was
		// told; what is needed is never refused.
		debug.SetMemoryLimit(p.Tiles[i].Memory)
	}
	q, err := j.tile(ctx, p, int(min(o.index.value, 1<<30)), o.force)
	if err != nil {
		return overMemory(err)
	}
	r := &j.sum.Result
	r.set("tile", int64(q.Tile))
	var rows, halo int64
	for i := range q.Rows {
		rows, halo = rows+q.Rows[i], halo+q.Halo[i]
	}
	r.set("rows", rows)
	r.set("halo", halo)
	if p.DBSCAN != nil {
		r.set("core", q.Core)
	}
	r.set("neighbours", q.Found)
	return j.finish()
}

// tile computes a tile on the device that is asked for.
func (j *job) tile(ctx context.Context, p *tiles.Plan, index int, again bool) (q *tiles.Piece, err error) {
	defer j.sum.Seconds.lap(&j.sum.Seconds.Join, time.Now())
	rows := 0
	if index >= 0 && index < len(p.Tiles) {
		rows = int(p.Tiles[index].Rows)
	}
	report, end := j.rep.stages()
	defer end()
	err = await(ctx, func() error {
		return j.on(rows, func(joiner neighbors.Joiner) (err error) {
			q, err = p.Run(ctx, index, tiles.Options{
				Joiner: joiner, Threads: j.run.count(), Memory: j.run.memory.bytes, Again: again,
				Progress: func(stage string, done, total int64) { report(fmt.Sprintf("tile %d: %s", index, stage), done, total) },
			})
			return err
		})
	})
	return q, err
}
