package main

import (
	"context"

	"github.com/spf13/cobra"

	"skyjoin/io/figure"
	"skyjoin/stats2b"
)

const rdfLong = `Radial distribution function g(r) in a periodic box: the pairs in each bin over
those that as many points without correlation would have there, N(N-1)/2 times
the volume of the shell over that of the box; with a second catalog, pairs of a
row of A with a row of B, N_A·N_B. The last edge is at most half of the
shortest side.`

const rdfExample = `  # particles in a box of side 100
  cluster rdf particles.parquet -c x,y,z --box 100 --bins lin:0:20:100 -o rdf.csv -p rdf.png

  # oxygen around hydrogen
  cluster rdf hydrogen.csv oxygen.csv -c x,y,z --box 24.8 --bins lin:0:12:240`

type rdfOptions struct{ statFlags }

func newRDF(a *app) *cobra.Command {
	o := &rdfOptions{statFlags{secondOne: "B"}}
	cmd := &cobra.Command{
		Use:     "rdf A [B] --box L --bins SPEC",
		Short:   "radial distribution function in a periodic box",
		Long:    rdfLong,
		Example: rdfExample,
		Args:    needOneOrTwo,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	o.register(cmd, "table of lo, hi, count, ideal and g", "g(r)")
	return cmd
}

func (o *rdfOptions) execute(ctx context.Context, a *app, paths []string) error {
	if len(o.geometry.box) == 0 {
		return usagef("--box is needed: the side of the periodic box, or one for each column")
	}
	d, err := o.begin(ctx, a, "rdf", paths[:1], paths[1:])
	defer d.close()
	if err != nil {
		return err
	}
	if d.geo.sides == nil || d.geo.pure {
		return usagef("g(r) is in the unit of the box; leave --metric and --scale out")
	}
	bins, unit, err := d.geo.bins(&o.bins)
	if err != nil {
		return err
	}
	if _, err := stats2b.RadialOf(bins, &stats2b.Counts{Pairs: make([]uint64, bins.Len())}, d.geo.sides); err != nil {
		return err
	}
	c, p, err := o.counted(ctx, d, bins, unit)
	if err != nil {
		return err
	}
	r, err := stats2b.RadialOf(bins, c, d.geo.sides)
	if err != nil {
		return err
	}
	table := histTable(bins, d.geo.unit, c)
	table.float("ideal", "", "pairs of points without correlation", r.Ideal)
	table.maybe("g", "", "radial distribution function", r.G)
	table.maybe("error", "", "standard deviation of g by Poisson statistics", r.Error)
	curve := figure.Points{
		X: centres(bins), Y: r.G, Err: r.Error, Levels: []float64{1}, LogX: bins.Log(),
		XAxis: figure.Axis{Name: "r", Unit: d.geo.unit}, YAxis: figure.Axis{Name: "g(r)"}, Style: o.out.of(),
	}
	if err := o.write(ctx, d.job, table, p.metadata, curve); err != nil {
		return err
	}
	reportCounts(&d.sum.Result, c)
	d.sum.Result.set("volume", r.Volume)
	d.sum.showBins(table)
	return d.finish()
}
