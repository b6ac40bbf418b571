// Package hist is 'cluster hist', which counts pairs by distance.
package hist

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/paircount"
	"skyjoin/io/figure"
)

const doc = `hist IN… --bins SPEC
histogram of the distances of all pairs

Counts all pairs of rows by distance: the unordered pairs of one catalog, or
with --with those of a row of IN with a row of the other. Counts are exact.
Bins are half open; pairs below the first and beyond the last edge are counted
too.

Examples:
  # all pairs of a simulation, in 100 bins
  cluster hist points.parquet -c x,y,z --bins lin:0:173.3:100 -o hist.csv -p hist.png

  # pairs of galaxies by angle, weighted
  cluster hist galaxies.csv -c RA,Dec --bins log:0.01deg:10deg:20 --weights w`

// Options are the flags of the command.
type Options struct {
	paircount.Flags
	with []string
}

func newOptions() *Options {
	return &Options{Flags: paircount.Flags{SecondOne: "the catalog --with"}}
}

func New(a *job.App) *cobra.Command {
	o := newOptions()
	cmd := flags.Command(doc, flags.NeedFiles, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	o.Register(cmd, "table of lo, hi and count", "the histogram")
	o.registerWith(cmd)
	return cmd
}

func (o *Options) registerWith(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.with, "with", nil, "a second catalog, a `file`: pairs are of a row of IN with a row of it; may be given several times")
}

// Run counts the pairs.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	j, err := o.Begin(ctx, a, "hist", job.Inputs{Paths: paths, Second: o.with})
	if err != nil {
		return err
	}
	defer j.Close()
	bins, unit, err := j.Geo.Bins(&o.Bins)
	if err != nil {
		return err
	}
	c, err := o.Counted(ctx, j, bins, unit)
	if err != nil {
		return err
	}
	unit = cmp.Or(unit, j.Geo.Unit)
	table := paircount.HistTable(bins, unit, c)
	if err := paircount.Write(ctx, j, table, figure.Histogram{Bins: bins, Values: paircount.Values64(c), Unit: unit, Weighted: c.Weights != nil, Style: o.Out.Of()}); err != nil {
		return err
	}
	paircount.ReportCounts(&j.Sum.Result, c)
	j.Sum.ShowBins(table)
	return j.Finish(ctx)
}
