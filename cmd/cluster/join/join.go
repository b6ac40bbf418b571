// Package join is 'cluster join', which finds every pair of rows within a radius.
package join

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/pairs"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/gpu"
	"skyjoin/neighbors"
)

const doc = `join A [B] --eps E -o OUT
ε similarity join: every pair within a radius

Finds every pair of rows within --eps of each other: of one catalog, each pair
once with row < neighbor, or of a row of A and a row of B. The table is ordered
by row, then neighbor; without -o the pairs are only counted. Row numbers start
at 0 and count all rows of the input.

Examples:
  # pairs of galaxies closer than 0.1 degree
  cluster join galaxies.csv -c RA,Dec --eps 0.1deg -o pairs.parquet

  # stars of A near stars of B, with their names
  cluster join a.parquet b.parquet --eps 2arcsec --keep source_id,name -o near.csv

  # how many pairs there would be
  cluster join gaia.parquet --eps 1arcmin`

// Options are the flags of the command.
type Options struct {
	pairs.Flags
	eps flags.Length
}

func New(a *job.App) *cobra.Command {
	o := &Options{}
	cmd := flags.Command(doc, flags.NeedOneOrTwo, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	o.eps.Zero = true
	cmd.Flags().Var(&o.eps, "eps", "radius; on the sky with a unit, as in 1.5arcsec; 0 for duplicates")
	o.Register(cmd, "grid", "kdtree", "superego", "newsuperego", "rtree", "brute")
	o.Run.GPU.Register(cmd, 400_000)
	o.Run.GPU.RegisterPatterns(cmd, gpu.PatternFull, gpu.PatternUnicomp, gpu.PatternLIDUnicomp, gpu.PatternBrute)
	return cmd
}

// Result is that of the command.
type Result struct {
	Pairs       int64        `json:"pairs" jsonschema:"unordered pairs of one catalog, ordered pairs of two"`
	Selectivity report.Float `json:"selectivity" jsonschema:"neighbours of a row, on average; null without rows"`
}

// Run finds the pairs of one catalog, or of two.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	if o.eps.Text == "" {
		return exit.Usagef("--eps is needed: the radius, as in --eps 0.5 or --eps 1.5arcsec")
	}
	j, err := o.Begin(ctx, a, "join", paths)
	if err != nil {
		return err
	}
	defer j.Close()
	if g := &o.Run.GPU; g.Half() && (j.B != nil || j.Geo.Sides != nil) {
		return exit.Usagef("--gpu-pattern %s finds each pair of one catalog in an open space once; of two catalogs, or in a box, there are full and brute", &g.Pattern)
	}
	radius, err := j.Geo.Radius("--eps", o.eps)
	if err != nil {
		return err
	}
	unit, err := j.Geo.Printed(o.Unit, cmp.Or(o.eps.Unit, "arcsec"))
	if err != nil {
		return err
	}
	if err := o.Load(ctx, j); err != nil {
		return err
	}
	p := j.Parameters()
	p.Length("eps", o.eps)
	p.Text("unit", unit)
	plan, err := j.Prepare(ctx, neighbors.Within{Radius: radius, Distance: o.Out.Output != ""})
	if err != nil {
		return err
	}
	if plan.Self() {
		j.Eps = radius
	}
	var found int64
	err = j.On(max(plan.Len(), plan.DataLen()), func(joiner neighbors.Joiner) (err error) {
		j.Joiner = joiner
		if o.Out.Output == "" {
			found, err = count(ctx, j, plan)
			return err
		}
		t := o.Table(j, plan, unit, false)
		forecast(ctx, t)
		found, err = t.Write(ctx, plan.Self())
		return err
	})
	if err != nil {
		return err
	}
	perRow := float64(found)
	if plan.Self() {
		perRow *= 2
	}
	j.Sum.Result.Add(Result{found, report.Float(report.Ratio(perRow, float64(plan.Len())))})
	return j.Finish(ctx)
}

// count returns the number of pairs, unordered ones in a self-join.
func count(ctx context.Context, j *job.Job, plan *neighbors.Plan) (found int64, err error) {
	defer j.Timed(&j.Sum.Seconds.Join)()
	counts := make([]int64, plan.Len())
	err = exit.Do(ctx, func() error { return neighbors.Count(ctx, j.Joiner, plan, plan.Work(), counts) })
	if err != nil {
		return 0, exit.OverMemory(err)
	}
	for _, n := range counts {
		found += n
	}
	if plan.Self() {
		found /= 2
	}
	return found, nil
}

// forecast samples the pairs of a join on the CPU. Others have their index
// elsewhere, and one for some rows alone can cost more than it tells.
func forecast(ctx context.Context, t *pairs.Table) {
	n, data := t.Plan.Len(), t.Plan.DataLen()
	if _, onCPU := t.Joiner.(neighbors.CPU); !onCPU || float64(n)*float64(data) < job.Large.Pairs {
		return
	}
	rows := job.SampledRows(n, data)
	if len(rows) == 0 {
		return
	}
	found, err := t.Sample(ctx, rows, func(*neighbors.Batch) (bool, error) { return true, nil })
	total := float64(found) * float64(n) / float64(len(rows))
	if t.Plan.Self() {
		total /= 2
	}
	if err != nil || total < job.Large.Pairs {
		return
	}
	t.Announce(ctx, total, func(w *pairs.Writer) error {
		_, err := t.Sample(ctx, rows, func(b *neighbors.Batch) (bool, error) {
			err := w.Batch(ctx, b)
			return !w.Enough(), err
		})
		return err
	})
}
