package hist

import (
	"context"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/paircount"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/io/catalog"
	"skyjoin/stats2b"
	"skyjoin/tiles"
)

const planHistExample = `  # pairs of a large sky by angle, in 200 tiles
  cluster plan hist gaia/ -c ra,dec --bins log:1arcsec:1deg:30 --tiles 200 -o plan/
  cluster submit slurm plan/
  cluster merge plan/ -o hist.csv`

// Tiled is the histogram in tiles.
var Tiled = tiled.Command{
	Name: "hist",
	Plan: newPlanHist,
	Found: func(ctx context.Context, j *job.Job, p *tiles.Plan) error {
		_, err := foundHist(ctx, j, p)
		return err
	},
	Write: mergeHist,
}

func newPlanHist(a *job.App) *cobra.Command {
	o := &histOptions{Flags: paircount.Flags{SecondOne: "the catalog --with"}}
	f := &tiled.Flags{}
	cmd := &cobra.Command{
		Use:     "hist IN… --bins SPEC --tiles N -o PLAN",
		Short:   "a histogram of the distances of pairs in tiles",
		Long:    tiled.PlanLong,
		Example: planHistExample,
		Args:    flags.NeedFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.plan(cmd.Context(), a, f, args) },
	}
	o.RegisterPairs(cmd)
	o.registerWith(cmd)
	f.Register(cmd)
	return cmd
}

// plan plans the counts.
func (o *histOptions) plan(ctx context.Context, a *job.App, f *tiled.Flags, paths []string) error {
	if err := f.Check(); err != nil {
		return err
	}
	o.Run = f.Run
	d, err := o.Begin(ctx, a, "hist", paths, o.with)
	defer d.Close()
	if err != nil {
		return err
	}
	bins, unit, err := d.Geo.Bins(&o.Bins)
	if err != nil {
		return err
	}
	if d.Geo.ByRule() {
		if err := d.Job.Load(ctx, &o.Read, ""); err != nil {
			return err
		}
	}
	metric, err := o.Planned(ctx, d)
	if err != nil {
		return err
	}
	if _, err := bins.Squared(metric.Metric()); err != nil {
		return err
	}
	p := &tiles.Plan{Command: "hist", Metric: metric}
	var cats []*catalog.Catalog
	p.Sets, cats = o.Sets(d)
	binning := tiles.NewBinning(stats2b.Binning{Bins: bins, Means: o.Means}, d.PerEdge(unit), human.FirstOf(unit, d.Geo.Unit))
	if p.Radius, err = binning.Radius(d.Geo.Angle); err != nil {
		return err
	}
	p.Hist = &tiles.Hist{Binning: binning}
	p.Metadata = o.Parameters(d, unit).Metadata
	d.Sum.Command = "plan hist"
	return f.Make(ctx, d.Job, p, cats)
}

// mergeHist merges a histogram, and writes its table as 'cluster hist' does.
func mergeHist(ctx context.Context, o *tiled.Merge, a *job.App, p *tiles.Plan) error {
	return o.Counts(ctx, a, p, func(j *job.Job) (*report.BinTable, error) { return foundHist(ctx, j, p) })
}

// foundHist merges a histogram and reports it.
func foundHist(ctx context.Context, j *job.Job, p *tiles.Plan) (*report.BinTable, error) {
	h, err := tiled.Merged(ctx, j, p.MergeHist)
	if err != nil {
		return nil, err
	}
	t := paircount.HistTable(h.Bins, p.Hist.Unit, h.Counts)
	tiled.TookPlanned(j, p, h.Used[0])
	paircount.ReportCounts(&j.Sum.Result, h.Counts)
	j.Sum.Result.Set("tiles", int64(len(p.Tiles)))
	j.Sum.ShowBins(t)
	return t, nil
}
