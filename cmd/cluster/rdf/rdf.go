// Package rdf is 'cluster rdf', which estimates the radial distribution function of a periodic box.
package rdf

import (
	"context"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/drawn"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/paircount"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/stats2b"
)

const doc = `rdf A [B] --box L --bins SPEC
radial distribution function in a periodic box

Radial distribution function g(r) in a periodic box: the pairs in each bin over
those that as many points without correlation would have there, N(N-1)/2 times
the volume of the shell over that of the box; with a second catalog, pairs of a
row of A with a row of B, N_A·N_B. The last edge is at most half of the
shortest side. Errors are those of Poisson statistics, g/√pairs, where with
weights pairs are effective ones, (Σww)²/Σ(ww)², ww being the weight of a pair.

Examples:
  # particles in a box of side 100
  cluster rdf particles.parquet -c x,y,z --box 100 --bins lin:0:20:100 -o rdf.csv -p rdf.png

  # oxygen around hydrogen
  cluster rdf hydrogen.csv oxygen.csv -c x,y,z --box 24.8 --bins lin:0:12:240`

// Options are the flags of the command.
type Options struct{ paircount.Flags }

func New(a *job.App) *cobra.Command {
	o := &Options{paircount.Flags{SecondOne: "B"}}
	cmd := flags.Command(doc, flags.NeedOneOrTwo, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	o.Register(cmd, "table of lo, hi, count, ideal and g", "g(r)")
	return cmd
}

// Result is that of rdf.
type Result struct {
	paircount.Found
	volume
	report.Bins
}

type volume struct {
	Volume float64 `json:"volume" jsonschema:"of the box, in the unit of the columns to the power of their number"`
}

// Run estimates g(r).
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	if len(o.Geometry.Box) == 0 {
		return exit.Usagef("--box is needed: the side of the periodic box, or one for each column")
	}
	j, err := o.Begin(ctx, a, "rdf", job.Inputs{Paths: paths[:1], Second: paths[1:]})
	if err != nil {
		return err
	}
	defer j.Close()
	if j.Geo.Sides == nil || j.Geo.Pure {
		return exit.Usagef("g(r) is in the unit of the box; leave --metric and --scale out")
	}
	bins, unit, err := j.Geo.Bins(&o.Bins)
	if err != nil {
		return err
	}
	if _, err := stats2b.RadialOf(bins, &stats2b.Counts{Pairs: make([]uint64, bins.Len())}, j.Geo.Sides); err != nil {
		return err
	}
	c, err := o.Counted(ctx, j, bins, unit)
	if err != nil {
		return err
	}
	r, err := stats2b.RadialOf(bins, c, j.Geo.Sides)
	if err != nil {
		return err
	}
	table := paircount.HistTable(bins, j.Geo.Unit, c)
	table.Float("ideal", "", "pairs of points without correlation", r.Ideal)
	table.Maybe("g", "", "radial distribution function", r.G)
	table.Maybe("error", "", "standard deviation of g by Poisson statistics", r.Error)
	curve := drawn.Points("", drawn.Correlation{Kind: "rdf", Bins: bins, Xi: r.G, Error: r.Error, Unit: j.Geo.Unit})
	curve.Style = o.Out.Of()
	if err := paircount.Write(ctx, j, table, curve); err != nil {
		return err
	}
	paircount.ReportCounts(&j.Sum.Result, c)
	j.Sum.Result.Add(volume{r.Volume})
	j.Sum.ShowBins(table)
	return j.Finish(ctx)
}
