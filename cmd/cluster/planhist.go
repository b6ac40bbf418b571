package main

import (
	"context"

	"github.com/spf13/cobra"

	"skyjoin/io/catalog"
	"skyjoin/neighbors"
	"skyjoin/stats2b"
	"skyjoin/tiles"
)

const planHistExample = `  # pairs of a large sky by angle, in 200 tiles
  cluster plan hist gaia/ -c ra,dec --bins log:1arcsec:1deg:30 --tiles 200 -o plan/
  cluster submit slurm plan/
  cluster merge plan/ -o hist.csv`

// histTiles is the histogram in tiles.
var histTiles = tiledCommand{
	name: "hist",
	plan: newPlanHist,
	found: func(ctx context.Context, j *job, p *tiles.Plan) error {
		_, err := j.foundHist(ctx, p)
		return err
	},
	write: mergeHist,
}

func newPlanHist(a *app) *cobra.Command {
	o := &histOptions{statFlags: statFlags{secondOne: "the catalog --with"}}
	f := &planFlags{}
	cmd := &cobra.Command{
		Use:     "hist IN… --bins SPEC --tiles N -o PLAN",
		Short:   "a histogram of the distances of pairs in tiles",
		Long:    planLong,
		Example: planHistExample,
		Args:    needFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.plan(cmd.Context(), a, f, args) },
	}
	o.registerPairs(cmd)
	o.registerWith(cmd)
	f.register(cmd)
	return cmd
}

// plan plans the counts.
func (o *histOptions) plan(ctx context.Context, a *app, f *planFlags, paths []string) error {
	if err := f.check(); err != nil {
		return err
	}
	o.run = f.run
	d, err := o.begin(ctx, a, "hist", paths, o.with)
	defer d.close()
	if err != nil {
		return err
	}
	bins, unit, err := d.geo.bins(&o.bins)
	if err != nil {
		return err
	}
	if d.geo.byRule() {
		if err := d.job.load(ctx, &o.read, ""); err != nil {
			return err
		}
	}
	metric, err := o.planned(ctx, d)
	if err != nil {
		return err
	}
	if _, err := bins.Squared(metric.Metric()); err != nil {
		return err
	}
	p := &tiles.Plan{Command: "hist", Metric: metric}
	var cats []*catalog.Catalog
	p.Sets, cats = o.sets(d)
	binning := tiles.NewBinning(stats2b.Binning{Bins: bins, Means: o.means}, d.perEdge(unit), firstOf(unit, d.geo.unit))
	if p.Radius, err = binning.Radius(d.geo.angle); err != nil {
		return err
	}
	p.Hist = &tiles.Hist{Binning: binning}
	p.Metadata = o.parameters(d, unit).metadata
	d.sum.Command = "plan hist"
	return f.make(ctx, d.job, p, cats)
}

// planned takes what a plan needs to know of all rows: the scales, of the first
// catalog if it is loaded, and the units.
func (f *statFlags) planned(ctx context.Context, d *duo) (tiles.Metric, error) {
	var points *neighbors.Points
	if d.sel != nil {
		points = d.sel.Points
	}
	scales, text, err := d.geo.scaleValues(points)
	if err != nil {
		return tiles.Metric{}, err
	}
	d.scale, d.sum.Input = text, newInput()
	return d.geo.metricOf(scales), f.units(ctx, d)
}

// sets are the catalogs as the plan of a count has them.
func (f *statFlags) sets(d *duo) ([]tiles.Set, []*catalog.Catalog) {
	sets, cats := []tiles.Set{d.geo.setOf(d.cat, &f.read, f.weights)}, []*catalog.Catalog{d.cat}
	if d.b != nil {
		set := d.b.geo.setOf(d.b.cat, &f.read, f.weightsOfB(d))
		set.Where = f.second.where
		sets, cats = append(sets, set), append(cats, d.b.cat)
	}
	return sets, cats
}

// perEdge is how many of the distances of the metric an edge of 1 is.
func (d *duo) perEdge(unit string) float64 {
	if d.geo.angle {
		return radians(unit)
	}
	return 1
}

// units takes the units of the coordinates, which are those of no rows at all.
func (f *statFlags) units(ctx context.Context, d *duo) error {
	fields := func(cat *catalog.Catalog, g *geometry, weights string, read *readFlags) ([]catalog.Field, error) {
		req := g.request(read, weights, nil)
		req.Empty = true
		none, err := cat.Part(catalog.Part{}).Select(ctx, req)
		if err != nil {
			return nil, err
		}
		return none.Fields, nil
	}
	a, err := fields(d.cat, d.geo, f.weights, &f.read)
	if err != nil {
		return err
	}
	d.geo.took(a)
	if d.b == nil {
		return nil
	}
	b, err := fields(d.b.cat, d.b.geo, f.weightsOfB(d), &readFlags{where: f.second.where, strict: f.read.strict})
	if err != nil {
		return err
	}
	return sameUnits(a, b)
}

// mergeHist merges a histogram, and writes its table as 'cluster hist' does.
func mergeHist(ctx context.Context, o *mergeOptions, a *app, p *tiles.Plan) error {
	return o.counts(ctx, a, p, func(j *job) (*binTable, error) { return j.foundHist(ctx, p) })
}

// counts merges pairs that found reports, and writes the table of their bins.
func (o *mergeOptions) counts(ctx context.Context, a *app, p *tiles.Plan, found func(j *job) (*binTable, error)) error {
	j, end, err := o.begin(ctx, a, p)
	defer end()
	if err != nil {
		return err
	}
	t, err := found(j)
	if err != nil {
		return err
	}
	if o.out.output != "" {
		if err := j.table(ctx, o.out.output, o.out.force, t.columns, p.Metadata); err != nil {
			return err
		}
	}
	return j.finish()
}

// foundHist merges a histogram and reports it.
func (j *job) foundHist(ctx context.Context, p *tiles.Plan) (*binTable, error) {
	h, err := merged(ctx, j, p.MergeHist)
	if err != nil {
		return nil, err
	}
	t := histTable(h.Bins, p.Hist.Unit, h.Counts)
	j.tookPlanned(p, h.Used[0])
	reportCounts(&j.sum.Result, h.Counts)
	j.sum.Result.set("tiles", int64(len(p.Tiles)))
	j.sum.showBins(t)
	return t, nil
}
