package hist

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/paircount"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/stats2b"
	"skyjoin/tiles"
)

const planDoc = `hist IN… --bins SPEC --tiles N -o PLAN
a histogram of the distances of pairs in tiles

` + tiled.PlanLong + `

Examples:
  # pairs of a large sky by angle, in 200 tiles
  cluster plan hist gaia/ -c ra,dec --bins log:1arcsec:1deg:30 --tiles 200 -o plan/
  cluster submit slurm plan/
  cluster merge plan/ -o hist.csv`

// Tiled is the histogram in tiles.
var Tiled = tiled.Command{Name: "hist", Plan: newPlan, Merge: merge}

func newPlan(a *job.App) *cobra.Command {
	o := newOptions()
	f := &tiled.Flags{}
	cmd := flags.Command(planDoc, flags.NeedFiles, func(cmd *cobra.Command, args []string) error { return plan(cmd.Context(), a, o, f, args) })
	o.RegisterPairs(cmd)
	o.registerWith(cmd)
	f.Register(cmd, &o.Run)
	return cmd
}

// plan plans the counts.
func plan(ctx context.Context, a *job.App, o *Options, f *tiled.Flags, paths []string) error {
	if err := f.Check(); err != nil {
		return err
	}
	j, err := o.Begin(ctx, a, "hist", job.Inputs{Paths: paths, Second: o.with})
	if err != nil {
		return err
	}
	defer j.Close()
	bins, unit, err := j.Geo.Bins(&o.Bins)
	if err != nil {
		return err
	}
	p, err := o.Plan(ctx, j, "hist")
	if err != nil {
		return err
	}
	if _, err := bins.Squared(p.Metric.Metric()); err != nil {
		return err
	}
	binning := tiles.NewBinning(stats2b.Binning{Bins: bins, Means: o.Means}, j.PerEdge(unit), cmp.Or(unit, j.Geo.Unit))
	if p.Radius, err = binning.Radius(j.Geo.Angle); err != nil {
		return err
	}
	p.Hist = &tiles.Hist{Binning: binning}
	o.Parameters(j, unit)
	p.Metadata = j.Params.Metadata
	return f.Make(ctx, j, p)
}

// Merged is the result of a plan that was merged.
type Merged struct {
	paircount.Found
	tiled.Tiles
	report.Bins
}

// merge merges a histogram, and writes its table as 'cluster hist' does.
func merge(ctx context.Context, j *job.Job, p *tiles.Plan) error {
	return tiled.MergeCounts(ctx, j, p, func() (*report.BinTable, error) {
		h, err := tiled.Merged(ctx, j, p, p.MergeHist)
		if err != nil {
			return nil, err
		}
		t := paircount.HistTable(h.Bins, p.Hist.Unit, h.Counts)
		tiled.TookPlanned(j, p, h.Used[0])
		paircount.ReportCounts(&j.Sum.Result, h.Counts)
		j.Sum.Result.Add(tiled.Tiles{Tiles: int64(len(p.Tiles))})
		j.Sum.ShowBins(t)
		return t, nil
	})
}
