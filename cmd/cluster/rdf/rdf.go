// Package rdf is 'cluster rdf', which estimates the radial distribution function of a periodic box.
package rdf

import (
	"context"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/paircount"
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

type rdfOptions struct{ paircount.Flags }

func New(a *job.App) *cobra.Command {
	o := &rdfOptions{paircount.Flags{SecondOne: "B"}}
	cmd := &cobra.Command{
		Use:     "rdf A [B] --box L --bins SPEC",
		Short:   "radial distribution function in a periodic box",
		Long:    rdfLong,
		Example: rdfExample,
		Args:    flags.NeedOneOrTwo,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	o.Register(cmd, "table of lo, hi, count, ideal and g", "g(r)")
	return cmd
}

func (o *rdfOptions) execute(ctx context.Context, a *job.App, paths []string) error {
	if len(o.Geometry.Box) == 0 {
		return exit.Usagef("--box is needed: the side of the periodic box, or one for each column")
	}
	d, err := o.Begin(ctx, a, "rdf", paths[:1], paths[1:])
	defer d.Close()
	if err != nil {
		return err
	}
	if d.Geo.Sides == nil || d.Geo.Pure {
		return exit.Usagef("g(r) is in the unit of the box; leave --metric and --scale out")
	}
	bins, unit, err := d.Geo.Bins(&o.Bins)
	if err != nil {
		return err
	}
	if _, err := stats2b.RadialOf(bins, &stats2b.Counts{Pairs: make([]uint64, bins.Len())}, d.Geo.Sides); err != nil {
		return err
	}
	c, p, err := o.Counted(ctx, d, bins, unit)
	if err != nil {
		return err
	}
	r, err := stats2b.RadialOf(bins, c, d.Geo.Sides)
	if err != nil {
		return err
	}
	table := paircount.HistTable(bins, d.Geo.Unit, c)
	table.Float("ideal", "", "pairs of points without correlation", r.Ideal)
	table.Maybe("g", "", "radial distribution function", r.G)
	table.Maybe("error", "", "standard deviation of g by Poisson statistics", r.Error)
	curve := figure.Points{
		X: paircount.Centres(bins), Y: r.G, Err: r.Error, Levels: []float64{1}, LogX: bins.Log(),
		XAxis: figure.Axis{Name: "r", Unit: d.Geo.Unit}, YAxis: figure.Axis{Name: "g(r)"}, Style: o.Out.Of(),
	}
	if err := o.Write(ctx, d.Job, table, p.Metadata, curve); err != nil {
		return err
	}
	paircount.ReportCounts(&d.Sum.Result, c)
	d.Sum.Result.Set("volume", r.Volume)
	d.Sum.ShowBins(table)
	return d.Finish()
}
