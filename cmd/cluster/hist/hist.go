// Package hist is 'cluster hist', which counts pairs by distance.
package hist

import (
	"context"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/paircount"
	"skyjoin/io/figure"
)

const histLong = `Counts all pairs of rows by distance: the unordered pairs of one catalog, or
with --with those of a row of IN with a row of the other. Counts are exact.
Bins are half open; pairs below the first and beyond the last edge are counted
too.`

const histExample = `  # all pairs of a simulation, in 100 bins
  cluster hist points.parquet -c x,y,z --bins lin:0:173.3:100 -o hist.csv -p hist.png

  # pairs of galaxies by angle, weighted
  cluster hist galaxies.csv -c RA,Dec --bins log:0.01deg:10deg:20 --weights w`

type histOptions struct {
	paircount.Flags
	with []string
}

func New(a *job.App) *cobra.Command {
	o := &histOptions{Flags: paircount.Flags{SecondOne: "the catalog --with"}}
	cmd := &cobra.Command{
		Use:     "hist IN… --bins SPEC",
		Short:   "histogram of the distances of all pairs",
		Long:    histLong,
		Example: histExample,
		Args:    flags.NeedFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	o.Register(cmd, "table of lo, hi and count", "the histogram")
	o.registerWith(cmd)
	return cmd
}

func (o *histOptions) registerWith(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.with, "with", nil, "a second catalog, a `file`: pairs are of a row of IN with a row of it")
}

func (o *histOptions) execute(ctx context.Context, a *job.App, paths []string) error {
	d, err := o.Begin(ctx, a, "hist", paths, o.with)
	defer d.Close()
	if err != nil {
		return err
	}
	bins, unit, err := d.Geo.Bins(&o.Bins)
	if err != nil {
		return err
	}
	c, p, err := o.Counted(ctx, d, bins, unit)
	if err != nil {
		return err
	}
	unit = human.FirstOf(unit, d.Geo.Unit)
	table := paircount.HistTable(bins, unit, c)
	if err := o.Write(ctx, d.Job, table, p.Metadata, figure.Histogram{Bins: bins, Values: paircount.Values64(c), Unit: unit, Weighted: c.Weights != nil, Style: o.Out.Of()}); err != nil {
		return err
	}
	paircount.ReportCounts(&d.Sum.Result, c)
	d.Sum.ShowBins(table)
	return d.Finish()
}
