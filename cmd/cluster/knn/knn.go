// Package knn is 'cluster knn', which finds the nearest rows of every row.
package knn

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/pairs"
	"skyjoin/gpu"
	"skyjoin/neighbors"
)

const doc = `knn A [B] -k K -o OUT
KNN join: the nearest rows of every row

Finds the K nearest rows of every row: other rows of the same catalog, or for
the rows of A those of B. The table has K lines for every usable row, nearest
first; rows at the same distance come in the order of their numbers.

Examples:
  # the five nearest neighbours of every galaxy
  cluster knn galaxies.csv -c RA,Dec -k 5 -o near.parquet

  # the nearest star of B for each of A
  cluster knn a.parquet b.parquet -k 1 --keep source_id -o nearest.csv`

// Options are the flags of the command.
type Options struct {
	pairs.Flags
	k   flags.Integer
	pad bool
}

func New(a *job.App) *cobra.Command {
	o := &Options{k: flags.Integer{Least: 1}}
	cmd := flags.Command(doc, flags.NeedOneOrTwo, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	cmd.Flags().VarP(&o.k, "k", "k", "how many neighbours")
	cmd.Flags().BoolVar(&o.pad, "pad", false, "where there are fewer than K rows, fill up with neighbor -1 at distance inf")
	o.Register(cmd, "kdtree", "brute")
	o.Run.GPU.Register(cmd, flags.NearestRows)
	o.Run.GPU.RegisterPatterns(cmd, gpu.PatternFull, gpu.PatternBrute)
	return cmd
}

// Result is that of the command.
type Result struct {
	Rows int64 `json:"rows" jsonschema:"rows whose neighbours were found"`
	K    int64 `json:"k" jsonschema:"neighbours of each"`
}

// Run finds the nearest rows.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	if o.k.Value == 0 {
		return exit.Usagef("-k is needed: how many neighbours, as in -k 5")
	}
	if o.Out.Output == "" {
		return exit.Usagef("-o is needed: the table of row, neighbor and distance, as in -o near.parquet")
	}
	j, err := o.Begin(ctx, a, "knn", paths)
	if err != nil {
		return err
	}
	defer j.Close()
	unit, err := j.Geo.Printed(o.Unit, "arcsec")
	if err != nil {
		return err
	}
	if err := o.Load(ctx, j); err != nil {
		return err
	}
	p := j.Parameters()
	p.Int("k", o.k.Value)
	p.Flag("pad", o.pad)
	p.Text("unit", unit)
	// Padding alone must fit; a k that is not larger than the rows there are
	// needs none.
	const most = 1 << 20 // places beyond the rows there are
	if have := int64(j.Data().Sel.Points.Len()); o.pad && o.k.Value > have+most {
		return exit.Usagef("-k %d: there are only %s; with --pad at most %d more can be asked for", o.k.Value, human.Plural(have, "row", "rows"), most)
	}
	k := int(min(o.k.Value, math.MaxInt))
	if data := j.Data().Sel.Points; data.Len() == 0 && !o.pad { // so that no row has a neighbour
		j.Sel.Points = j.Sel.Points.Slice(0, 0)
	}
	plan, err := j.Prepare(ctx, neighbors.Nearest{K: k, Pad: o.pad})
	if err != nil {
		return err
	}
	err = j.On(max(plan.Len(), plan.DataLen()), func(joiner neighbors.Joiner) error {
		j.Joiner = joiner
		t := o.Table(j, plan, unit, o.pad)
		forecast(ctx, t, k)
		_, err := t.Write(ctx, false)
		return err
	})
	if err != nil {
		return err
	}
	j.Sum.Result.Add(Result{int64(plan.Len()), o.k.Value})
	return j.Finish(ctx)
}

// forecast announces the table of the k nearest. The number of pairs is known, and
// their length is estimated from other pairs of the same rows, since finding enough
// nearest ones could take long.
func forecast(ctx context.Context, t *pairs.Table, k int) {
	total := float64(t.Plan.Len()) * float64(k)
	if t.Plan.Len() > 0 && t.Plan.DataLen() > 0 && total >= job.Large.Pairs {
		t.Announce(ctx, total, func(w *pairs.Writer) error { return w.Batch(ctx, anyPairs(t.Plan, k)) })
	}
}

// anyPairs gives rows of the plan, evenly spread, lists of k rows from all over
// the data: samplePairs in all.
func anyPairs(plan *neighbors.Plan, k int) *neighbors.Batch {
	n, data := plan.Len(), plan.DataLen()
	k = min(k, job.SamplePairs)
	rows := min(n, job.SamplePairs/k)
	r := rand.New(rand.NewPCG(1, 1))
	b := &neighbors.Batch{Table: neighbors.Table{Offset: []int64{0}}}
	for i := range rows {
		row := uint32(i * n / rows)
		for range k {
			near := uint32(r.IntN(data))
			b.Index, b.Dist = append(b.Index, near), append(b.Dist, plan.Distance(row, near))
		}
		b.Rows, b.Offset = append(b.Rows, row), append(b.Offset, int64(len(b.Index)))
	}
	return b
}
