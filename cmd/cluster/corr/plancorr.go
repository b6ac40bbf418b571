package corr

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/paircount"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
	"skyjoin/stats2b"
	"skyjoin/tiles"
)

const planCorrExample = `  # w(θ) of a large sky with its jackknife covariance, in 200 tiles
  cluster plan corr gaia/ --random randoms/ --bins log:1arcsec:1deg:30 --patches healpix:4 --tiles 200 -o plan/
  cluster submit slurm plan/
  cluster merge plan/ -o w.csv`

// Tiled is the correlation function in tiles.
var Tiled = tiled.Command{
	Name: "corr",
	Plan: newPlanCorr,
	Found: func(ctx context.Context, j *job.Job, p *tiles.Plan) error {
		_, err := foundCorr(ctx, j, p)
		return err
	},
	Write: mergeCorr,
}

func newPlanCorr(a *job.App) *cobra.Command {
	o := &corrOptions{Flags: paircount.Flags{SecondOne: "the randoms"}}
	f := &tiled.Flags{}
	cmd := &cobra.Command{
		Use:     "corr DATA… --random R --bins SPEC --tiles N -o PLAN",
		Short:   "a two-point correlation function in tiles",
		Long:    tiled.PlanLong,
		Example: planCorrExample,
		Args:    flags.NeedFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.plan(cmd.Context(), a, f, args) },
	}
	o.registerWhat(cmd)
	o.RegisterPairs(cmd)
	f.Register(cmd)
	return cmd
}

// plan plans the counts of pairs.
func (o *corrOptions) plan(ctx context.Context, a *job.App, f *tiled.Flags, paths []string) error {
	if err := f.Check(); err != nil {
		return err
	}
	patching, err := o.check()
	if err != nil {
		return err
	}
	if patching.kind == "column" {
		return exit.Usagef("--patches %s: tiles find the patch of a row from its position; K, healpix:NSIDE or cells:N can be planned", o.patches)
	}
	o.Run = f.Run
	d, err := o.Begin(ctx, a, "corr", paths, o.random)
	defer d.Close()
	if err != nil {
		return err
	}
	r, err := o.request(d.Geo)
	if err != nil {
		return err
	}
	// What follows from all rows is found here, once: scales by rule, patches,
	// whether all redshifts are some, and then whether data and randoms meet.
	if d.Geo.ByRule() || patching.kind != "" || o.redshift != "" {
		if err := d.LoadBoth(ctx, &o.Read, &o.Second, o.Weights, o.WeightsOfB(d)); err != nil {
			return err
		}
	}
	metric, err := o.Planned(ctx, d)
	if err != nil {
		return err
	}
	if o.redshift != "" {
		if err := o.comove(d); err != nil {
			return err
		}
	}
	if d.Sel != nil {
		data, random := paircount.Samples(d)
		if err := checkFootprint(ctx, d, data, random, human.FirstOf(r.unit, d.Geo.Unit)); err != nil {
			return err
		}
	}
	division, patches, err := patching.divide(ctx, d, metric.Metric(), uint64(o.seed))
	if err != nil {
		return err
	}
	if err := r.try(ctx, metric.Metric(), len(d.Geo.Columns), patches); err != nil {
		return err
	}
	d.Sel, d.Sum.InputB = nil, nil
	pairs := []string{"dd"}
	if d.B != nil {
		d.B.Sel, pairs = nil, r.pairs()
	}
	params := o.Parameters(d, r.unit)
	o.more(params, r)
	p := &tiles.Plan{Command: "corr", Metric: metric, Metadata: params.Metadata}
	var cats []*catalog.Catalog
	p.Sets, cats = o.Sets(d)
	if o.redshift != "" {
		for i, cat := range cats {
			if err := o.distances(&p.Sets[i], cat); err != nil {
				return err
			}
		}
	}
	binning := tiles.NewBinning(o.ofData(r), d.PerEdge(r.unit), human.FirstOf(r.unit, d.Geo.Unit))
	if p.Radius, err = binning.Radius(d.Geo.Angle); err != nil {
		return err
	}
	p.Corr = &tiles.Corr{
		Binning: binning, Pairs: pairs, Patches: division, Kind: r.kind.name, Estimator: r.estimator.String(),
		Covariance: o.covariance.Value, Realisations: o.resampling().Realisations, Seed: uint64(o.seed), Coordinates: d.Geo.Unit,
	}
	d.Sum.Command = "plan corr"
	return f.Make(ctx, d.Job, p, cats)
}

// divide makes the patches of the loaded rows; nil and 0 without patches.
func (p patching) divide(ctx context.Context, d *job.Duo, m neighbors.Metric, seed uint64) (division *stats2b.Division, n int, err error) {
	if p.kind == "" {
		return nil, 0, nil
	}
	err = exit.Await(ctx, func() error {
		made, err := p.patches(m, d.Sel.Points, d.B.Sel.Points, seed)
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
	name, err := cat.Define("distance_mpch", "comoving("+geometry.Quoted(o.redshift)+", 100, "+human.FloatText(o.density())+")", "Mpc/h")
	if err != nil {
		return err
	}
	s.Columns = slices.Clone(s.Columns)
	s.Columns[2], s.Define = name, cat.Definitions()
	return nil
}

// mergeCorr merges a correlation function, and writes its table as 'cluster corr'
// does.
func mergeCorr(ctx context.Context, o *tiled.Merge, a *job.App, p *tiles.Plan) error {
	return o.Counts(ctx, a, p, func(j *job.Job) (*report.BinTable, error) { return foundCorr(ctx, j, p) })
}

// foundCorr merges a correlation function and reports it.
func foundCorr(ctx context.Context, j *job.Job, p *tiles.Plan) (*report.BinTable, error) {
	found, err := tiled.Merged(ctx, j, p.MergeCorr)
	if err != nil {
		return nil, err
	}
	o := corrOptions{covariance: flags.Choice{Value: p.Corr.Covariance}, realisations: flags.Integer{Value: int64(p.Corr.Realisations)}, seed: flags.Seed(p.Corr.Seed)}
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
	tiled.TookPlanned(j, p, found.Used[0])
	reportCorr(j, c, t, found.Used[0], randoms, found.Patches)
	j.Sum.Result.Set("tiles", int64(len(p.Tiles)))
	return &t.BinTable, nil
}
