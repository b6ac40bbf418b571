// Package join is 'cluster join', which finds every pair of rows within a radius.
package join

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/pairs"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/neighbors"
)

const joinLong = `Finds every pair of rows within --eps of each other: of one catalog, each pair
once with row < neighbor, or of a row of A and a row of B. The table is ordered
by row, then neighbor; without -o the pairs are only counted. Row numbers start
at 0 and count all rows of the input.`

const joinExample = `  # pairs of galaxies closer than 0.1 degree
  cluster join galaxies.csv -c RA,Dec --eps 0.1deg -o pairs.parquet

  # stars of A near stars of B, with their names
  cluster join a.parquet b.parquet --eps 2arcsec --keep source_id,name -o near.csv

  # how many pairs there would be
  cluster join gaia.parquet --eps 1arcmin`

type joinOptions struct {
	pairs.Flags
	eps flags.Length
}

func New(a *job.App) *cobra.Command {
	o := &joinOptions{}
	cmd := &cobra.Command{
		Use:     "join A [B] --eps E -o OUT",
		Short:   "ε similarity join: every pair within a radius",
		Long:    joinLong,
		Example: joinExample,
		Args:    flags.NeedOneOrTwo,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	cmd.Flags().Var(&o.eps, "eps", "radius; on the sky with a unit, as in 1.5arcsec")
	o.Register(cmd, "grid", "kdtree", "superego", "newsuperego", "rtree", "brute")
	o.Run.GPU.Register(cmd, 400_000)
	return cmd
}

func (o *joinOptions) execute(ctx context.Context, a *job.App, paths []string) error {
	if o.eps.Text == "" {
		return exit.Usagef("--eps is needed: the radius, as in --eps 0.5 or --eps 1.5arcsec")
	}
	d, err := o.Begin(ctx, a, "join", paths)
	defer d.Close()
	if err != nil {
		return err
	}
	radius, err := d.Geo.Radius("--eps", o.eps)
	if err != nil {
		return err
	}
	unit, err := d.Geo.Printed(o.Unit, o.eps.Unit)
	if err != nil {
		return err
	}
	if err := d.LoadBoth(ctx, &o.Read, &o.Second, "", ""); err != nil {
		return err
	}
	p := d.ParametersOf(&o.Geometry, &o.Read, &o.Second)
	p.Length("eps", o.eps)
	if unit != "" {
		p.Text("unit", unit)
	}
	plan, err := d.Prepare(ctx, neighbors.Within{Radius: radius, Distance: o.Out.Output != ""})
	if err != nil {
		return err
	}
	if plan.Self() {
		d.Eps = radius
	}
	var pairs int64
	err = d.On(max(plan.Len(), plan.DataLen()), func(joiner neighbors.Joiner) (err error) {
		d.Joiner = joiner
		pairs, err = o.pairs(ctx, d, plan, unit, p)
		return err
	})
	if err != nil {
		return err
	}
	perRow := float64(pairs)
	if plan.Self() {
		perRow *= 2
	}
	d.Sum.Result.Set("pairs", pairs)
	d.Sum.Result.Set("selectivity", report.Ratio(perRow, float64(plan.Len())))
	return d.Finish()
}

// pairs counts the pairs and writes them to -o, if it is given.
func (o *joinOptions) pairs(ctx context.Context, d *job.Duo, plan *neighbors.Plan, unit string, p *report.Parameters) (int64, error) {
	if o.Out.Output == "" {
		return count(ctx, d, plan)
	}
	o.forecast(ctx, d, plan, unit, p)
	w, err := pairs.NewPairWriter(ctx, d, &o.Flags, unit, false, p.Metadata)
	if err != nil {
		return 0, err
	}
	defer w.W.Abort()
	err = pairs.Stream(ctx, d, plan, plan.Self(), w)
	return w.Written, err
}

// count returns the number of pairs, unordered ones in a self-join.
func count(ctx context.Context, d *job.Duo, plan *neighbors.Plan) (int64, error) {
	defer d.Sum.Seconds.Lap(&d.Sum.Seconds.Join, time.Now())
	counts := make([]int64, plan.Len())
	err := exit.Await(ctx, func() error { return neighbors.Count(ctx, d.Joiner, plan, plan.Work(), counts) })
	if err != nil {
		return 0, exit.OverMemory(err)
	}
	var found int64
	for _, n := range counts {
		found += n
	}
	if plan.Self() {
		found /= 2
	}
	return found, nil
}
