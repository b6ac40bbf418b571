package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

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
	pairFlags
	eps length
}

func newJoin(a *app) *cobra.Command {
	o := &joinOptions{}
	cmd := &cobra.Command{
		Use:     "join A [B] --eps E -o OUT",
		Short:   "ε similarity join: every pair within a radius",
		Long:    joinLong,
		Example: joinExample,
		Args:    needOneOrTwo,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	cmd.Flags().Var(&o.eps, "eps", "radius; on the sky with a unit, as in 1.5arcsec")
	o.register(cmd, "grid", "kdtree", "superego", "newsuperego", "rtree", "brute")
	o.run.gpu.register(cmd, 400_000)
	return cmd
}

func (o *joinOptions) execute(ctx context.Context, a *app, paths []string) error {
	if o.eps.text == "" {
		return usagef("--eps is needed: the radius, as in --eps 0.5 or --eps 1.5arcsec")
	}
	d, err := o.begin(ctx, a, "join", paths)
	defer d.close()
	if err != nil {
		return err
	}
	radius, err := d.geo.radius("--eps", o.eps)
	if err != nil {
		return err
	}
	unit, err := d.geo.printed(o.unit, o.eps.unit)
	if err != nil {
		return err
	}
	if err := d.loadBoth(ctx, &o.read, &o.second, "", ""); err != nil {
		return err
	}
	p := d.parametersOf(&o.geometry, &o.read, &o.second)
	p.length("eps", o.eps)
	if unit != "" {
		p.text("unit", unit)
	}
	plan, err := d.prepare(ctx, neighbors.Within{Radius: radius, Distance: o.out.output != ""})
	if err != nil {
		return err
	}
	if plan.Self() {
		d.eps = radius
	}
	var pairs int64
	err = d.on(max(plan.Len(), plan.DataLen()), func(joiner neighbors.Joiner) (err error) {
		d.joiner = joiner
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
	d.sum.Result.set("pairs", pairs)
	d.sum.Result.set("selectivity", ratio(perRow, float64(plan.Len())))
	return d.finish()
}

// pairs counts the pairs and writes them to -o, if it is given.
func (o *joinOptions) pairs(ctx context.Context, d *duo, plan *neighbors.Plan, unit string, p *parameters) (int64, error) {
	if o.out.output == "" {
		return d.count(ctx, plan)
	}
	o.forecast(ctx, d, plan, unit, p)
	w, err := d.newPairWriter(ctx, &o.pairFlags, unit, false, p.metadata)
	if err != nil {
		return 0, err
	}
	defer w.w.Abort()
	err = d.stream(ctx, plan, plan.Self(), w)
	return w.written, err
}

// count returns the number of pairs, unordered ones in a self-join.
func (d *duo) count(ctx context.Context, plan *neighbors.Plan) (int64, error) {
	defer d.sum.Seconds.lap(&d.sum.Seconds.Join, time.Now())
	counts := make([]int64, plan.Len())
	err := await(ctx, func() error { return neighbors.Count(ctx, d.joiner, plan, plan.Work(), counts) })
	if err != nil {
		return 0, overMemory(err)
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
