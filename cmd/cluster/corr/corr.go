// Package corr is 'cluster corr', which estimates two-point correlation functions.
package corr

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/paircount"
	"skyjoin/internal/cosmo"
	"skyjoin/internal/each"
	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

const doc = `corr DATA… --random R --bins SPEC
two-point correlation function: w(θ), ξ(r), ξ(rp,π), ξ(s,μ), wp(rp)

Two-point correlation function of DATA, from the pairs of data, of data with
randoms and of randoms: the angular w(θ) of positions on the sky, and of
positions in space (three columns, or RA and Dec with --distance or --redshift)
ξ(r), ξ(rp,π), ξ(s,μ), the projected wp(rp) and the monopole and quadrupole of
ξ(s,μ). Pairs are counted exactly; those of --rr are taken from a file that
--save-rr wrote for the same randoms and bins.

A periodic box (--box) needs no randoms: the pairs of points without correlation
are known from the volumes of the bins, and ξ is DD/RR - 1. With --with it is
the correlation of DATA with another catalog, DD being the pairs of a row of one
and a row of the other.

With --patches the covariance is that of jackknife or bootstrap realisations,
which are in the table too, as columns cov_J and real_K. All patches with data
or randoms are resampled, and the summary says how many hold no data. Without
--patches, errors are those of Poisson statistics, (1+ξ)/√DD, where with weights DD is
the number of effective pairs, (Σww)²/Σ(ww)², ww being the weight of a pair.

Examples:
  # w(θ) of galaxies with its jackknife covariance
  cluster corr galaxies.fits --random randoms.fits --bins log:0.01deg:10deg:15 --patches 50 -p w.png

  # wp(rp) from redshifts in a flat universe
  cluster corr survey.fits --random randoms.fits --redshift z --kind wp --bins log:0.1:30:15 --pi lin:0:40:40

  # ξ(r) and wp(rp) of halos in a simulation of side 1000, along z
  cluster corr halos.parquet -c x,y,z --box 1000 --bins log:1:40:14
  cluster corr halos.parquet -c x,y,z --box 1000 --kind wp --los z --bins log:1:30:14 --pi lin:0:40:40

  # wp(rp) of halos with galaxies of the same simulation
  cluster corr halos.parquet --with galaxies.parquet -c x,y,z --box 1000 --kind wp --los z \
      --bins log:1:30:14 --pi lin:0:40:40

  # ξ(r), keeping the pairs of randoms for next time
  cluster corr data.csv --random randoms.csv -c x,y,z --bins log:0.5:20:12 --save-rr rr.parquet`

func New(a *job.App) *cobra.Command {
	o := newOptions()
	cmd := flags.Command(doc, flags.NeedFiles, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	fs := cmd.Flags()
	o.registerWhat(cmd)
	o.Register(cmd, "table of the bins, counts, correlation function, errors, covariance and realisations", "the correlation function with its errors")
	fs.StringVar(&o.saveRR, "save-rr", "", "`file` to keep the pairs of randoms in")
	fs.StringVar(&o.rr, "rr", "", "`file` of --save-rr to take the pairs of randoms from")
	fs.StringVar(&o.compare, "compare", "", "`file` of -o of an earlier run with the same bins: the ratio to it is drawn and written")
	fs.StringArrayVar(&o.covariancePlots, "plot-covariance", nil, "figure of the matrix of the bins, a `file` like that of --plot")
	flags.AddChoice(fs, &o.matrix, "plot-matrix", "what --plot-covariance shows: the covariance in units of the errors, or itself", "correlation", "covariance")
	flags.AddOptional(fs, &o.plotY, "plot-y", "axis of the function in --plot: symlog is logarithmic on both sides of 0, scaled is linear, of θ·w, r²·ξ and rp·wp (default log, or symlog where a value is not positive)", "log", "linear", "symlog", "scaled")
	flags.Needs(fs, []string{"plot-y"}, "plot")
	flags.Needs(fs, []string{"plot-covariance"}, "patches")
	flags.Needs(fs, []string{"plot-matrix"}, "plot-covariance")
	flags.Needs(fs, []string{"compare"}, "plot", "output")
	return cmd
}

// registerWhat registers the flags that say which function is computed.
func (o *Options) registerWhat(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVar(&o.random, "random", nil, "catalog of random positions in the footprint, a `file`; may be given several times")
	fs.StringArrayVar(&o.with, "with", nil, "another catalog in the same periodic box, a `file`: pairs are of a row of DATA with a row of it; may be given several times")
	kinds := each.Of(corrKinds, func(k corrKind) string { return k.name })
	o.realisations = flags.Integer{Least: 2}
	flags.AddOptional(fs, &o.kind, "kind", "which function, one of "+strings.Join(kinds, ", ")+" (default w on the sky, xi in space)", kinds...)
	flags.AddOptional(fs, &o.estimator, "estimator", "one of "+strings.Join(stats2b.Estimators(), ", ")+" (default ls, without randoms natural)", stats2b.Estimators()...)
	fs.Var(&o.pi, "pi", "bins of π, as in lin:0:40:40, for rppi and wp")
	fs.Var(&o.mu, "mu", "bins of μ for smu, xi0 and xi2 (default lin:0:1:20)")
	flags.AddOptional(fs, &o.los, "los", "line of sight of a pair: from the origin through its middle (the default), or along an axis", "mid", "x", "y", "z")
	fs.StringVar(&o.redshift, "redshift", "", "`column` of redshifts, which become comoving distances in Mpc/h")
	fs.Var(&o.patches, "patches", "`patches` for the covariance: K or kmeans:K, healpix:NSIDE, cells:N along each axis, or column:NAME")
	flags.AddChoice(fs, &o.covariance, "covariance", "how patches are resampled", "jackknife", "bootstrap")
	fs.Var(&o.realisations, "realisations", "bootstrap realisations (default 100)")
	fs.Var(&o.seed, "seed", "seed of the random numbers")
	flags.Needs(fs, []string{"covariance"}, "patches")
	flags.Needs(fs, []string{"realisations"}, "covariance=bootstrap")
	flags.Needs(fs, []string{"seed"}, "patches=K", "covariance=bootstrap")
}

// request checks everything that needs no rows.
func (o *Options) request(g *geometry.Geometry) (*corrRequest, error) {
	r := &corrRequest{}
	var err error
	estimator := o.estimator.Value
	if estimator == "" {
		estimator = "ls"
		if len(o.random) == 0 {
			estimator = "natural"
		}
	}
	if r.estimator, err = stats2b.ParseEstimator(estimator); err != nil {
		return nil, err
	}
	name := o.kind.Value
	if name == "" {
		name = "xi"
		if g.Angle {
			name = "w"
		}
	}
	r.kind = kindOf(name)
	switch {
	case g.Angle && name != "w":
		return nil, exit.Usagef("--kind %s needs positions in space: three columns, or --distance or --redshift", name)
	case !g.Angle && name == "w":
		return nil, exit.Usagef("--kind w needs angles: RA and Dec, without distances or scales")
	case o.plotY.Value != "" && r.kind.plane != stats2b.NoPlane && r.kind.what == stats2b.Plain:
		return nil, exit.Usagef("--plot-y %s: --kind %s is drawn as a heat map", o.plotY.Value, name)
	}
	r.binning.Plane = r.kind.plane
	r.binning.Axis = map[string]int{"x": 1, "y": 2, "z": 3}[o.los.Value]
	if r.binning.Bins, r.unit, err = o.Bins.Parse("--bins", g.Angle); err != nil {
		return nil, err
	}
	along := func(axis int) bool { return r.kind.plane == stats2b.RpPi && axis == r.binning.Axis-1 }
	if err := g.InHalf("--bins "+o.Bins.Text, r.binning.Bins, func(axis int) bool { return !along(axis) }); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name string
		*flags.Bins
	}{{"pi", &o.pi}, {"mu", &o.mu}} {
		switch {
		case f.name != r.kind.across && f.Text != "":
			return nil, exit.Usagef("--%s %s: --kind %s has no such bins", f.name, f.Text, name)
		case f.name != r.kind.across:
			continue
		case f.Text == "" && r.kind.bins == "":
			return nil, exit.Usagef("--%s is needed with --kind %s, as in --%s lin:0:40:40", f.name, name, f.name)
		case f.Text == "":
			f.Text = r.kind.bins
		}
		if r.binning.Across, _, err = f.Parse("--"+f.name, false); err != nil {
			return nil, err
		}
	}
	if r.kind.plane == stats2b.RpPi {
		if err := g.InHalf("--pi "+o.pi.Text, r.binning.Across, along); err != nil {
			return nil, err
		}
	}
	if len(o.random) == 0 && g.Pure {
		return nil, exit.Usagef("without --random distances are in the unit of the box; leave --scale out")
	}
	if r.kind.plane == stats2b.NoPlane && o.los.Value != "" {
		return nil, exit.Usagef("--los %s: --kind %s has no line of sight", o.los.Value, name)
	}
	return r, nil
}

// check refuses flags that do not fit each other, before anything is read.
func (o *Options) check() (patching, error) {
	var none patching
	switch {
	case len(o.with) > 0 && len(o.random) > 0:
		return none, exit.Usagef("--random %s and --with %s: the correlation with another catalog is that in a periodic box, which needs no randoms", o.random[0], o.with[0])
	case len(o.with) > 0 && len(o.Geometry.Box) == 0:
		return none, exit.Usagef("--with %s needs --box: the correlation with another catalog is that in a periodic box", o.with[0])
	case len(o.random) == 0 && len(o.Geometry.Box) == 0:
		return none, exit.Usagef("--random is needed: a catalog of random positions in the footprint of the data; 'cluster gen randoms' makes one, and a periodic --box needs none")
	case o.redshift != "" && o.Geometry.Distance != "":
		return none, exit.Usagef("--redshift %s and --distance %s: give one of them", o.redshift, o.Geometry.Distance)
	case o.redshift != "" && o.Geometry.H0.Given:
		return none, exit.Usagef("--h0 %s: the distances of --redshift are in Mpc/h, for any h; leave it out", &o.Geometry.H0)
	}
	if len(o.random) == 0 {
		for _, f := range [][2]string{{"estimator", o.estimator.Value}, {"patches", string(o.patches)}, {"rr", o.rr}, {"save-rr", o.saveRR}} {
			if f[1] != "" && f[1] != "natural" {
				return none, exit.Usagef("--%s %s needs --random: without, pairs of randoms are those of the volume of the box", f[0], f[1])
			}
		}
	}
	if o.redshift != "" {
		o.Geometry.Distance = o.redshift
		o.omegaM, o.Geometry.OmegaM = o.Geometry.OmegaM, flags.Number{} // --omega-m is registered once
	}
	return parsePatching(string(o.patches))
}

// Run estimates the correlation function.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	patching, err := o.check()
	if err != nil {
		return err
	}
	if o.saveRR != "" && o.rr != "" {
		return exit.Usagef("--save-rr %s and --rr %s: pairs that are read need not be saved", o.saveRR, o.rr)
	}
	j, err := o.Begin(ctx, a, "corr", job.Inputs{
		Paths: paths, Second: o.second(), Also: []string{o.pi.File(), o.mu.File(), o.rr, o.compare}, Tables: []string{o.saveRR}, Figures: o.covariancePlots,
	})
	if err != nil {
		return err
	}
	defer j.Close()
	if err := canKeepRR(o.saveRR); err != nil {
		return err
	}
	r, err := o.request(j.Geo)
	if err != nil {
		return err
	}
	var reference []float64
	if o.compare != "" {
		if r.kind.plane != stats2b.NoPlane && r.kind.what == stats2b.Plain {
			return exit.Usagef("--compare %s: only functions of one variable can be compared, not --kind %s", o.compare, r.kind.name)
		}
		if reference, err = readReference(ctx, o.compare, r.binning.Bins); err != nil {
			return err
		}
	}
	if err := j.Load(ctx, o.Weights, o.WeightsOfB(j)); err != nil {
		return err
	}
	if o.redshift != "" {
		if err := o.comove(j); err != nil {
			return err
		}
	}
	o.parameters(j, r)
	data, random, other := o.samples(j)
	if err := checkFootprint(ctx, j, data, random, cmp.Or(r.unit, j.Geo.Unit)); err != nil {
		return err
	}
	patches, err := patching.assign(ctx, j, data, random, uint64(o.seed))
	if err != nil {
		return err
	}
	c, err := o.correlate(ctx, j, r, data, random, other, patches)
	if err != nil {
		return err
	}
	r.unit = cmp.Or(r.unit, j.Geo.Unit)
	return o.report(ctx, j, r, c, patches, reference)
}

// samples are the data, the randoms and the other catalog, nil for those that are not
// given.
func (o *Options) samples(j *job.Job) (data, random, other *stats2b.Sample) {
	data, second := paircount.Samples(j)
	if len(o.with) > 0 {
		return data, nil, second
	}
	return data, second, nil
}

// correlate counts pairs and makes the correlation function of them.
func (o *Options) correlate(ctx context.Context, j *job.Job, r *corrRequest, data, random, other *stats2b.Sample, patches int) (*stats2b.Correlation, error) {
	if random == nil {
		dd, err := paircount.Tally(ctx, j, "data pairs", data, other, o.ofData(r), 0)
		if err != nil {
			return nil, err
		}
		return stats2b.CorrelateBox(dd, j.Geo.Sides, r.kind.what)
	}
	t, err := o.count(ctx, j, r, data, random, patches)
	if err != nil {
		return nil, err
	}
	return stats2b.Correlate(t, r.estimator, r.kind.what, o.resampling())
}

// resampling is what the flags say of the covariance.
func (o *Options) resampling() stats2b.Resampling {
	r := stats2b.Resampling{Seed: uint64(o.seed), Realisations: int(min(o.realisations.Value, 1<<20))}
	switch {
	case o.patches == "":
	case o.covariance.Value == "bootstrap":
		r.Method = stats2b.Bootstrap
	default:
		r.Method = stats2b.Jackknife
	}
	return r
}

// density is the matter density of --redshift.
func (o *Options) density() float64 {
	if o.omegaM.Given {
		return o.omegaM.Value
	}
	return 0.3
}

// comove turns the redshifts of both catalogs into distances.
func (o *Options) comove(j *job.Job) error {
	omega := o.density()
	universe, err := cosmo.NewFlat(omega)
	if err != nil {
		return exit.Usagef("--omega-m %v: %v", omega, err)
	}
	j.Geo.Unit = "Mpc/h"
	if j.Sel.Points, err = comoving(j.Sel.Points, universe, o.redshift); err == nil {
		j.B.Sel.Points, err = comoving(j.B.Sel.Points, universe, o.redshift)
	}
	return err
}

func comoving(p *neighbors.Points, universe *cosmo.Flat, column string) (*neighbors.Points, error) {
	cols := each.To(p.Dim(), p.Column)
	dist := make([]float64, p.Len())
	for i := range dist {
		z := cols[2].At(i)
		if dist[i] = universe.Comoving(z); math.IsNaN(dist[i]) {
			return nil, exit.Usagef("--redshift %s: %v is no redshift from 0 to 1100", column, z)
		}
	}
	cols[2] = neighbors.Float64s(dist)
	return neighbors.NewPoints(cols...)
}

// parameters writes the parameters of the run.
func (o *Options) parameters(j *job.Job, r *corrRequest) {
	o.Parameters(j, r.unit)
	p := j.Params
	p.List("random", o.random)
	p.List("with", o.with)
	p.Text("kind", r.kind.name)
	p.Text("estimator", r.estimator.String())
	switch r.kind.across {
	case "pi":
		p.Text("pi", o.pi.Text)
	case "mu":
		p.Text("mu", o.mu.Text)
	}
	if r.kind.across != "" {
		p.Text("los", cmp.Or(o.los.Value, "mid"))
	}
	if o.redshift != "" {
		p.Text("redshift", o.redshift)
		p.Text("omega-m", cmp.Or(o.omegaM.String(), "0.3"))
	}
	if o.patches == "" {
		return
	}
	p.Text("patches", string(o.patches))
	p.Text("covariance", o.covariance.Value)
	if o.covariance.Value == "bootstrap" {
		p.Int("realisations", cmp.Or(o.realisations.Value, 100))
	}
	p.Text("seed", o.seed.String())
}

// ofData is the binning of pairs of data, whose separations may be wanted.
func (o *Options) ofData(r *corrRequest) stats2b.Binning {
	b := r.binning
	b.Means = o.Means
	return b
}

// count counts the pairs that the estimator needs.
func (o *Options) count(ctx context.Context, j *job.Job, r *corrRequest, data, random *stats2b.Sample, patches int) (t stats2b.Tallies, err error) {
	var saved *savedRR
	if o.rr != "" {
		if saved, err = readRR(ctx, o.rr); err == nil {
			err = saved.fits(rrProvenance(j, r, random, patches))
		}
		if err != nil {
			return t, fmt.Errorf("--rr %s: %w", o.rr, err)
		}
	}
	if t.DD, err = paircount.Tally(ctx, j, "data pairs", data, nil, o.ofData(r), patches); err != nil {
		return t, err
	}
	if r.estimator.NeedsDR() {
		if t.DR, err = paircount.Tally(ctx, j, "cross pairs", data, random, r.binning, patches); err != nil {
			return t, err
		}
	}
	switch {
	case saved != nil:
		t.RR, err = saved.tally(random, r.binning, patches)
		j.Sum.Result.Add(savedPairs{o.rr})
	case r.estimator.NeedsRR() || o.saveRR != "":
		t.RR, err = paircount.Tally(ctx, j, "random pairs", random, nil, r.binning, patches)
	}
	if err == nil && o.saveRR != "" {
		err = writeRR(ctx, j, o.saveRR, t.RR, rrProvenance(j, r, random, patches))
	}
	return t, err
}

// strayShare is the least share of the data outside of the randoms that is
// reported: an estimate assumes that every row of data is in the footprint.
const strayShare = 0.01

// checkFootprint refuses data that lie nowhere near the randoms, for which the
// estimators would still give numbers, and points out data that partly lie elsewhere.
// unit is that of printed distances.
func checkFootprint(ctx context.Context, j *job.Job, data, randoms *stats2b.Sample, unit string) error {
	if randoms == nil {
		return nil
	}
	f, err := exit.Await(ctx, func() (*stats2b.Footprint, error) {
		return stats2b.Compare(ctx, data, randoms, j.Metric, stats2b.Options{Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes})
	})
	if err != nil {
		return exit.OverMemory(err)
	}
	switch {
	case f.Outside == 0:
	case f.Outside == f.Rows:
		per := j.PerEdge(unit)
		length := func(v float64) string { return strings.TrimSpace(strconv.FormatFloat(v/per, 'g', 4, 64) + " " + unit) }
		return exit.Usagef("no row of the data lies among the randoms: the nearest is %s from any, and randoms are within %s of each other; do columns and units of both catalogs agree?",
			length(f.Nearest), length(f.Spacing))
	case f.Share() >= strayShare:
		if j.Run.AsJSON() {
			j.Sum.Result.Add(stray{f.Share()})
		}
		j.Sum.Note("randoms", "%.2g%% of the data lie where there are none, and ξ does not describe them", 100*f.Share())
	}
	return nil
}
