package corr

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/neighbors"
	"skyjoin/stats2b"
	"skyjoin/tiles"
)

const planDoc = `corr DATA… --random R --bins SPEC --tiles N -o PLAN
a two-point correlation function in tiles

` + tiled.PlanLong + `

Examples:
  # w(θ) of a large sky with its jackknife covariance, in 200 tiles
  cluster plan corr gaia/ --random randoms/ --bins log:1arcsec:1deg:30 --patches healpix:4 --tiles 200 -o plan/
  cluster submit slurm plan/
  cluster merge plan/ -o w.csv`

// Tiled is the correlation function in tiles.
var Tiled = tiled.Command{Name: "corr", Plan: newPlan, Merge: merge}

func newPlan(a *job.App) *cobra.Command {
	o := newOptions()
	f := &tiled.Flags{}
	cmd := flags.Command(planDoc, flags.NeedFiles, func(cmd *cobra.Command, args []string) error { return runPlan(cmd.Context(), a, o, f, args) })
	o.registerWhat(cmd)
	o.RegisterPairs(cmd)
	f.Register(cmd, &o.Run)
	return cmd
}

// runPlan plans the counts of pairs.
func runPlan(ctx context.Context, a *job.App, o *Options, f *tiled.Flags, paths []string) error {
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
	j, err := o.Begin(ctx, a, "corr", job.Inputs{Paths: paths, Second: o.second()})
	if err != nil {
		return err
	}
	defer j.Close()
	r, err := o.request(j.Geo)
	if err != nil {
		return err
	}
	// What depends on all rows is computed here, once: scales by rule, patches, whether
	// all redshifts are valid, and then whether data and randoms overlap.
	if j.Geo.ByRule() || patching.kind != "" || o.redshift != "" {
		if err := j.LoadSides(ctx, o.Weights, o.WeightsOfB(j)); err != nil {
			return err
		}
	}
	p, err := o.Plan(ctx, j, "corr")
	if err != nil {
		return err
	}
	if o.redshift != "" {
		if err := exit.First(o.comove(j), o.distances(j, p)); err != nil {
			return err
		}
	}
	if j.Sel != nil {
		data, random, _ := o.samples(j)
		if err := checkFootprint(ctx, j, data, random, cmp.Or(r.unit, j.Geo.Unit)); err != nil {
			return err
		}
	}
	metric := p.Metric.Metric()
	division, patches, err := patching.divide(ctx, j, metric, uint64(o.seed))
	if err != nil {
		return err
	}
	if err := r.try(ctx, metric, len(j.Geo.Columns), patches); err != nil {
		return err
	}
	o.parameters(j, r)
	p.Metadata = j.Params.Metadata
	binning := tiles.NewBinning(o.ofData(r), j.PerEdge(r.unit), cmp.Or(r.unit, j.Geo.Unit))
	if p.Radius, err = binning.Radius(j.Geo.Angle); err != nil {
		return err
	}
	p.Corr = &tiles.Corr{
		Binning: binning, Pairs: r.pairs(len(o.random) > 0, len(o.with) > 0), Patches: division, Kind: r.kind.name, Estimator: r.estimator.String(),
		Covariance: o.covariance.Value, Realisations: o.resampling().Realisations, Seed: uint64(o.seed), Coordinates: j.Geo.Unit,
	}
	return f.Make(ctx, j, p)
}

// divide makes the patches of the loaded rows; nil and 0 without patches.
func (p patching) divide(ctx context.Context, j *job.Job, m neighbors.Metric, seed uint64) (*stats2b.Division, int, error) {
	if p.kind == "" {
		return nil, 0, nil
	}
	made, err := exit.Await(ctx, func() (*stats2b.Patching, error) { return p.patches(m, j.Sel.Points, j.B.Sel.Points, seed) })
	if err != nil {
		return nil, 0, err
	}
	division := made.Division()
	return &division, made.Len(), nil
}

// try counts the pairs of no rows, which refuses impossible bins and patches.
func (r *corrRequest) try(ctx context.Context, m neighbors.Metric, columns, patches int) error {
	none, err := neighbors.NewPoints(slices.Repeat([]neighbors.Column{neighbors.Float64s([]float64{})}, columns)...)
	if err != nil {
		return err
	}
	_, err = stats2b.CountPatches(ctx, &stats2b.Sample{Points: none}, nil, m, r.binning, patches, stats2b.Options{Threads: 1})
	return err
}

// pairs are those that the estimator needs.
func (r *corrRequest) pairs(randoms, with bool) []string {
	if with {
		return []string{tiles.CrossPairs}
	}
	all := []string{"dd"}
	if randoms && r.estimator.NeedsDR() {
		all = append(all, "dr")
	}
	if randoms && r.estimator.NeedsRR() {
		all = append(all, "rr")
	}
	return all
}

// distances makes the third coordinate of the sets that of their redshifts in
// Mpc/h, as comove does.
func (o *Options) distances(j *job.Job, p *tiles.Plan) error {
	for i, side := range j.Sides() {
		name, err := side.Cat.Define("distance_mpch", "comoving("+geometry.Quoted(o.redshift)+", 100, "+human.FloatText(o.density())+")", "Mpc/h")
		if err != nil {
			return err
		}
		s := &p.Sets[i]
		s.Columns = slices.Clone(s.Columns)
		s.Columns[2], s.Define = name, side.Cat.Definitions()
	}
	return nil
}

// merge merges a correlation function, and writes its table as 'cluster corr'
// does.
func merge(ctx context.Context, j *job.Job, p *tiles.Plan) error {
	return tiled.MergeCounts(ctx, j, p, func() (*report.BinTable, error) { return found(ctx, j, p) })
}

// found merges a correlation function and reports it.
func found(ctx context.Context, j *job.Job, p *tiles.Plan) (*report.BinTable, error) {
	found, err := tiled.Merged(ctx, j, p, p.MergeCorr)
	if err != nil {
		return nil, err
	}
	o := Options{covariance: flags.Choice{Value: p.Corr.Covariance}, realisations: flags.Integer{Value: int64(p.Corr.Realisations)}, seed: flags.Seed(p.Corr.Seed)}
	if found.Patches > 0 {
		o.patches = "planned"
	}
	r := &corrRequest{unit: p.Corr.Unit, kind: kindOf(p.Corr.Kind)}
	if r.estimator, err = stats2b.ParseEstimator(p.Corr.Estimator); err != nil {
		return nil, err
	}
	var c *stats2b.Correlation
	if len(p.Sets) > 1 && p.Corr.Pairs[0] != tiles.CrossPairs {
		c, err = stats2b.Correlate(found.Tallies, r.estimator, r.kind.what, o.resampling())
	} else {
		c, err = stats2b.CorrelateBox(found.Tallies.DD, p.Metric.Sides, r.kind.what)
	}
	if err != nil {
		return nil, err
	}
	t := corrTable(r, c, p.Corr.Coordinates)
	tiled.TookPlanned(j, p, found.Used[0])
	reportCorr(j, c, t, found.Used, found.Patches)
	j.Sum.Result.Add(tiled.Tiles{Tiles: int64(len(p.Tiles))})
	return &t.BinTable, nil
}
