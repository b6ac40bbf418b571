package main

import (
	"context"
	"math"

	"github.com/spf13/cobra"

	"skyjoin/io/catalog"
	"skyjoin/neighbors"
	"skyjoin/tiles"
)

const planHistExample = `  # pairs of a large sky by angle, in 200 tiles
  cluster plan hist gaia/ -c ra,dec --bins log:1arcsec:1deg:30 --tiles 200 -o plan/
  cluster submit slurm plan/
  cluster merge plan/ -o hist.csv`

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

// newPlanCorr says that there is no such plan.
func newPlanCorr() *cobra.Command {
	return &cobra.Command{
		Use:                "corr",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return usagef("corr cannot be planned yet: 'cluster plan hist' counts the pairs of data, of randoms, and of data --with randoms, in tiles")
		},
	}
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
	bins, unit, err := o.bins.parse("--bins", d.geo.angle)
	if err != nil {
		return err
	}
	if d.geo.byRule() {
		if err := d.job.load(ctx, &o.read, ""); err != nil {
			return err
		}
	}
	var points *neighbors.Points
	if d.sel != nil {
		points = d.sel.Points
	}
	scales, text, err := d.geo.scaleValues(points)
	if err != nil {
		return err
	}
	d.scale, d.sel, d.sum.Input = text, nil, newInput()
	if err := o.units(ctx, d); err != nil {
		return err
	}
	metric := d.geo.metricOf(scales)
	if _, err := bins.Squared(metric.Metric()); err != nil {
		return err
	}
	per := 1.0
	if d.geo.angle {
		per = radians(unit)
	}
	p := &tiles.Plan{
		Command: "hist",
		Sets:    []tiles.Set{d.geo.setOf(d.cat, &o.read, o.weights)},
		Metric:  metric,
		Radius:  bins.Edge(bins.Len()) * per,
		Hist:    &tiles.Hist{Edges: bins.Edges(), Per: per, Unit: unit},
	}
	if d.geo.angle {
		p.Radius = min(p.Radius, math.Pi)
	}
	cats := []*catalog.Catalog{d.cat}
	if d.b != nil {
		set := d.b.geo.setOf(d.b.cat, &o.read, o.weightsOfB(d))
		set.Where = o.second.where
		p.Sets, cats = append(p.Sets, set), append(cats, d.b.cat)
	}
	p.Metadata = o.parameters(d, unit).metadata
	if unit == "" {
		p.Hist.Unit = d.geo.unit
	}
	d.sum.Command = "plan hist"
	return f.make(ctx, d.job, p, cats)
}

// units takes the units of the coordinates, which are those of no rows at all.
func (o *histOptions) units(ctx context.Context, d *duo) error {
	fields := func(cat *catalog.Catalog, g *geometry, weights string, f *readFlags) ([]catalog.Field, error) {
		req := g.request(f, weights, nil)
		req.Empty = true
		none, err := cat.Part(catalog.Part{}).Select(ctx, req)
		if err != nil {
			return nil, err
		}
		return none.Fields, nil
	}
	a, err := fields(d.cat, d.geo, o.weights, &o.read)
	if err != nil {
		return err
	}
	d.geo.took(a)
	if d.b == nil {
		return nil
	}
	b, err := fields(d.b.cat, d.b.geo, o.weightsOfB(d), &readFlags{where: o.second.where, strict: o.read.strict})
	if err != nil {
		return err
	}
	return sameUnits(a, b)
}

// hist merges a histogram, and writes its table as 'cluster hist' does.
func (o *mergeOptions) hist(ctx context.Context, a *app, p *tiles.Plan) error {
	j, err := newJob(a, "merge", &o.run.run)
	if err != nil {
		return err
	}
	if o.out.output != "" {
		if err := j.openInputs(ctx, p, 0); err != nil {
			return err
		}
		defer j.cat.Close()
		for _, f := range p.Sets[len(p.Sets)-1].Files {
			j.also = append(j.also, f.Path)
		}
		if err := j.outputs(&o.out); err != nil {
			return err
		}
	}
	t, err := j.foundHist(ctx, p)
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
	j.sum.Result.set("bins", t.objects(len(t.columns)))
	j.sum.detail = t.text(len(t.columns))
	return t, nil
}
