package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"skyjoin/io/catalog"
	"skyjoin/neighbors"
	"skyjoin/stats2b"
	"skyjoin/tiles"
)

const planCorrExample = `  # w(θ) of a large sky with its jackknife covariance, in 200 tiles
  cluster plan corr gaia/ --random randoms/ --bins log:1arcsec:1deg:30 --patches healpix:4 --tiles 200 -o plan/
  cluster submit slurm plan/
  cluster merge plan/ -o w.csv`

// corrTiles is the correlation function in tiles.
var corrTiles = tiledCommand{
	name: "corr",
	plan: newPlanCorr,
	found: func(ctx context.Context, j *job, p *tiles.Plan) error {
		_, err := j.foundCorr(ctx, p)
		return err
	},
	write: mergeCorr,
}

func newPlanCorr(a *app) *cobra.Command {
	o := &corrOptions{statFlags: statFlags{secondOne: "the randoms"}}
	f := &planFlags{}
	cmd := &cobra.Command{
		Use:     "corr DATA… --random R --bins SPEC --tiles N -o PLAN",
		Short:   "a two-point correlation function in tiles",
		Long:    planLong,
		Example: planCorrExample,
		Args:    needFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.plan(cmd.Context(), a, f, args) },
	}
	o.registerWhat(cmd)
	o.registerPairs(cmd)
	f.register(cmd)
	return cmd
}

// plan plans the counts of pairs.
func (o *corrOptions) plan(ctx context.Context, a *app, f *planFlags, paths []string) error {
	if err := f.check(); err != nil {
		return err
	}
	patching, err := o.check()
	if err != nil {
		return err
	}
	if patching.kind == "column" {
		return usagef("--patches %s: tiles find the patch of a row from its position; K, healpix:NSIDE or cells:N can be planned", o.patches)
	}
	o.run = f.run
	d, err := o.begin(ctx, a, "corr", paths, o.random)
	defer d.close()
	if err != nil {
		return err
	}
	r, err := o.request(d.geo)
	if err != nil {
		return err
	}
	// What follows from all rows is found here, once: scales by rule, patches,
	// whether all redshifts are some, and then whether data and randoms meet.
	if d.geo.byRule() || patching.kind != "" || o.redshift != "" {
		if err := d.loadBoth(ctx, &o.read, &o.second, o.weights, o.weightsOfB(d)); err != nil {
			return err
		}
	}
	metric, err := o.planned(ctx, d)
	if err != nil {
		return err
	}
	if o.redshift != "" {
		if err := o.comove(d); err != nil {
			return err
		}
	}
	if d.sel != nil {
		data, random := d.samples()
		if err := d.checkFootprint(ctx, data, random, firstOf(r.unit, d.geo.unit)); err != nil {
			return err
		}
	}
	division, patches, err := patching.divide(ctx, d, metric.Metric(), uint64(o.seed))
	if err != nil {
		return err
	}
	if err := r.try(ctx, metric.Metric(), len(d.geo.columns), patches); err != nil {
		return err
	}
	d.sel, d.sum.InputB = nil, nil
	pairs := []string{"dd"}
	if d.b != nil {
		d.b.sel, pairs = nil, r.pairs()
	}
	params := o.parameters(d, r.unit)
	o.more(params, r)
	p := &tiles.Plan{Command: "corr", Metric: metric, Metadata: params.metadata}
	var cats []*catalog.Catalog
	p.Sets, cats = o.sets(d)
	if o.redshift != "" {
		for i, cat := range cats {
			if err := o.distances(&p.Sets[i], cat); err != nil {
				return err
			}
		}
	}
	binning := tiles.NewBinning(o.ofData(r), d.perEdge(r.unit), firstOf(r.unit, d.geo.unit))
	if p.Radius, err = binning.Radius(d.geo.angle); err != nil {
		return err
	}
	p.Corr = &tiles.Corr{
		Binning: binning, Pairs: pairs, Patches: division, Kind: r.kind.name, Estimator: r.estimator.String(),
		Covariance: o.covariance.value, Realisations: o.resampling().Realisations, Seed: uint64(o.seed), Coordinates: d.geo.unit,
	}
	d.sum.Command = "plan corr"
	return f.make(ctx, d.job, p, cats)
}

// divide makes the patches of the loaded rows; nil and 0 without patches.
func (p patching) divide(ctx context.Context, d *duo, m neighbors.Metric, seed uint64) (division *stats2b.Division, n int, err error) {
	if p.kind == "" {
		return nil, 0, nil
	}
	err = await(ctx, func() error {
		made, err := p.patches(m, d.sel.Points, d.b.sel.Points, seed)
		if err == nil {
			of := made.Division()
			division, n = &of, made.Len()
		}
		return err
	})
	return division, n, err
}

// try counts the pairs of no rows, which refuses bins and patches that cannot
// be.
func (r *corrRequest) try(ctx context.Context, m neighbors.Metric, columns, patches int) error {
	none, err := neighbors.NewPoints(slices.Repeat([]neighbors.Column{neighbors.Float64s([]float64{})}, columns)...)
	if err != nil {
		return err
	}
	_, err = stats2b.CountPatches(ctx, &stats2b.Sample{Points: none}, nil, m, r.binning, patches, stats2b.Options{Threads: 1})
	return err
}

// pairs are those that the estimator needs.
func (r *corrRequest) pairs() []string {
	all := []string{"dd"}
	if r.estimator.NeedsDR() {
		all = append(all, "dr")
	}
	if r.estimator.NeedsRR() {
		all = append(all, "rr")
	}
	return all
}

// distances makes the third coordinate of a set that of its redshifts in Mpc/h,
// as comove does.
func (o *corrOptions) distances(s *tiles.Set, cat *catalog.Catalog) error {
	name, err := cat.Define("distance_mpch", "comoving("+quoted(o.redshift)+", 100, "+floatText(o.density())+")", "Mpc/h")
	if err != nil {
		return err
	}
	s.Columns = slices.Clone(s.Columns)
	s.Columns[2], s.Define = name, cat.Definitions()
	return nil
}

// mergeCorr merges a correlation function, and writes its table as 'cluster corr'
// does.
func mergeCorr(ctx context.Context, o *mergeOptions, a *app, p *tiles.Plan) error {
	return o.counts(ctx, a, p, func(j *job) (*binTable, error) { return j.foundCorr(ctx, p) })
}

// foundCorr merges a correlation function and reports it.
func (j *job) foundCorr(ctx context.Context, p *tiles.Plan) (*binTable, error) {
	found, err := merged(ctx, j, p.MergeCorr)
	if err != nil {
		return nil, err
	}
	o := corrOptions{covariance: choice{value: p.Corr.Covariance}, realisations: integer{value: int64(p.Corr.Realisations)}, seed: seed(p.Corr.Seed)}
	if found.Patches > 0 {
		o.patches = "planned"
	}
	r := &corrRequest{unit: p.Corr.Unit}
	for _, k := range corrKinds {
		if k.name == p.Corr.Kind {
			r.kind = k
		}
	}
	if r.estimator, err = stats2b.ParseEstimator(p.Corr.Estimator); err != nil {
		return nil, err
	}
	var c *stats2b.Correlation
	var randoms int64
	if len(p.Sets) > 1 {
		randoms = found.Used[1]
		c, err = stats2b.Correlate(found.Tallies, r.estimator, r.kind.what, o.resampling())
	} else {
		c, err = stats2b.CorrelateBox(found.Tallies.DD, p.Metric.Sides, r.kind.what)
	}
	if err != nil {
		return nil, err
	}
	t := corrTable(r, c, p.Corr.Coordinates)
	j.tookPlanned(p, found.Used[0])
	j.reportCorr(c, t, found.Used[0], randoms, found.Patches)
	j.sum.Result.set("tiles", int64(len(p.Tiles)))
	return &t.binTable, nil
}
