package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/internal/cosmo"
	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

const corrLong = `Two-point correlation function of DATA, from the pairs of data, of data with
randoms and of randoms: the angular w(θ) of positions on the sky, and of
positions in space (three columns, or RA and Dec with --distance or --redshift)
ξ(r), ξ(rp,π), ξ(s,μ), the projected wp(rp) and the monopole and quadrupole of
ξ(s,μ). Pairs are counted exactly; those of --rr are taken from a file that
--save-rr wrote for the same randoms and bins.

A periodic box (--box) needs no randoms: the pairs of points without correlation
are known from the volumes of the bins, and ξ is DD/RR - 1.

With --patches the covariance is that of jackknife or bootstrap realisations,
which are in the table too: columns cov_J and real_K. Without, errors are those
of Poisson statistics, (1+ξ)/√DD.`

const corrExample = `  # w(θ) of galaxies with its jackknife covariance
  cluster corr galaxies.fits --random randoms.fits --bins log:0.01deg:10deg:15 --patches 50 -p w.png

  # wp(rp) from redshifts in a flat universe
  cluster corr survey.fits --random randoms.fits --redshift z --kind wp --bins log:0.1:30:15 --pi lin:0:40:40

  # ξ(r) and wp(rp) of halos in a simulation of side 1000, along z
  cluster corr halos.parquet -c x,y,z --box 1000 --bins log:1:40:14
  cluster corr halos.parquet -c x,y,z --box 1000 --kind wp --los z --bins log:1:30:14 --pi lin:0:40:40

  # ξ(r), keeping the pairs of randoms for next time
  cluster corr data.csv --random randoms.csv -c x,y,z --bins log:0.5:20:12 --save-rr rr.parquet`

// A corrKind is a correlation function that can be asked for.
type corrKind struct {
	name   string
	plane  stats2b.Plane
	what   stats2b.Statistic
	across string // the flag of the second bins
	bins   string // their default
	xi, x  string // names on axes
}

var corrKinds = []corrKind{
	{"w", stats2b.NoPlane, stats2b.Plain, "", "", "w(θ)", "θ"},
	{"xi", stats2b.NoPlane, stats2b.Plain, "", "", "ξ(r)", "r"},
	{"rppi", stats2b.RpPi, stats2b.Plain, "pi", "", "ξ(rp, π)", "rp"},
	{"smu", stats2b.SMu, stats2b.Plain, "mu", "lin:0:1:20", "ξ(s, μ)", "s"},
	{"wp", stats2b.RpPi, stats2b.Projected, "pi", "", "wp(rp)", "rp"},
	{"xi0", stats2b.SMu, stats2b.Monopole, "mu", "lin:0:1:20", "ξ0(s)", "s"},
	{"xi2", stats2b.SMu, stats2b.Quadrupole, "mu", "lin:0:1:20", "ξ2(s)", "s"},
}

type corrOptions struct {
	statFlags
	random       []string
	kind         choice
	estimator    choice
	pi, mu       binSpec
	los          choice
	redshift     string
	omegaM       number // of --redshift
	patches      patchesFlag
	covariance   choice
	realisations integer
	seed         seed
	saveRR, rr   string

	compare         string
	covariancePlots []string
}

func newCorr(a *app) *cobra.Command {
	o := &corrOptions{statFlags: statFlags{secondOne: "the randoms"}}
	cmd := &cobra.Command{
		Use:     "corr DATA… --random R --bins SPEC",
		Short:   "two-point correlation function: w(θ), ξ(r), ξ(rp,π), ξ(s,μ), wp(rp)",
		Long:    corrLong,
		Example: corrExample,
		Args:    needFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	fs := cmd.Flags()
	o.registerWhat(cmd)
	o.register(cmd, "table of the bins, counts, correlation function, errors, covariance and realisations", "the correlation function with its errors")
	fs.StringVar(&o.saveRR, "save-rr", "", "`file` to keep the pairs of randoms in")
	fs.StringVar(&o.rr, "rr", "", "`file` of --save-rr to take the pairs of randoms from")
	fs.StringVar(&o.compare, "compare", "", "`file` of -o of an earlier run with the same bins: the ratio to it is drawn and written")
	fs.StringArrayVar(&o.covariancePlots, "plot-covariance", nil, "figure of the correlation matrix of the bins, a `file` like that of --plot")
	needs(fs, []string{"plot-covariance"}, "patches")
	needs(fs, []string{"compare"}, "plot", "output")
	return cmd
}

// registerWhat registers the flags that say which function is computed.
func (o *corrOptions) registerWhat(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVar(&o.random, "random", nil, "catalog of random positions in the footprint, a `file`; may be given several times")
	var kinds []string
	for _, k := range corrKinds {
		kinds = append(kinds, k.name)
	}
	o.kind = choice{"", kinds}
	o.estimator = choice{"", stats2b.Estimators()}
	o.los = newChoice("mid", "x", "y", "z")
	o.covariance = newChoice("jackknife", "bootstrap")
	o.realisations = integer{least: 2}
	fs.Var(&o.kind, "kind", "which function, one of "+strings.Join(kinds, ", ")+" (default w on the sky, xi in space)")
	fs.Var(&o.estimator, "estimator", "one of "+strings.Join(o.estimator.values, ", ")+" (default ls, without randoms natural)")
	fs.Var(&o.pi, "pi", "bins of π, as in lin:0:40:40, for rppi and wp")
	fs.Var(&o.mu, "mu", "bins of μ for smu, xi0 and xi2 (default lin:0:1:20)")
	fs.Var(&o.los, "los", "line of sight of a pair: from the origin through its middle, or along an axis")
	fs.StringVar(&o.redshift, "redshift", "", "`column` of redshifts, which become comoving distances in Mpc/h")
	fs.Var(&o.patches, "patches", "`patches` for the covariance: K or kmeans:K, healpix:NSIDE, cells:N along each axis, or column:NAME")
	fs.Var(&o.covariance, "covariance", "how patches are resampled")
	fs.Var(&o.realisations, "realisations", "bootstrap realisations (default 100)")
	fs.Var(&o.seed, "seed", "what everything random follows from")
	needs(fs, []string{"covariance"}, "patches")
	needs(fs, []string{"realisations"}, "covariance=bootstrap")
	needs(fs, []string{"seed"}, "patches=K", "covariance=bootstrap")
	for flag, c := range map[string]choice{"kind": o.kind, "estimator": o.estimator, "los": o.los, "covariance": o.covariance} {
		complete(cmd, flag, c.values)
	}
}

// A corrRequest is what the flags ask for.
type corrRequest struct {
	kind      corrKind
	estimator stats2b.Estimator
	binning   stats2b.Binning
	unit      string
}

// request checks what needs no rows.
func (o *corrOptions) request(g *geometry) (*corrRequest, error) {
	r := &corrRequest{}
	var err error
	estimator := o.estimator.value
	if estimator == "" {
		estimator = "ls"
		if len(o.random) == 0 {
			estimator = "natural"
		}
	}
	if r.estimator, err = stats2b.ParseEstimator(estimator); err != nil {
		return nil, err
	}
	name := o.kind.value
	if name == "" {
		name = "xi"
		if g.angle {
			name = "w"
		}
	}
	for _, k := range corrKinds {
		if k.name == name {
			r.kind = k
		}
	}
	switch {
	case g.angle && name != "w":
		return nil, usagef("--kind %s needs positions in space: three columns, or --distance or --redshift", name)
	case !g.angle && name == "w":
		return nil, usagef("--kind w is of angles: RA and Dec without distance or scales")
	}
	if r.binning.Bins, r.unit, err = g.bins(&o.bins); err != nil {
		return nil, err
	}
	r.binning.Plane = r.kind.plane
	r.binning.Axis = map[string]int{"x": 1, "y": 2, "z": 3}[o.los.value]
	for _, f := range []struct {
		name string
		*binSpec
	}{{"pi", &o.pi}, {"mu", &o.mu}} {
		switch {
		case f.name != r.kind.across && f.text != "":
			return nil, usagef("--%s %s: --kind %s has no such bins", f.name, f.text, name)
		case f.name != r.kind.across:
			continue
		case f.text == "" && r.kind.bins == "":
			return nil, usagef("--%s is needed with --kind %s, as in --%s lin:0:40:40", f.name, name, f.name)
		case f.text == "":
			f.text = r.kind.bins
		}
		if r.binning.Across, _, err = f.parse("--"+f.name, false); err != nil {
			return nil, err
		}
	}
	for i, side := range g.sides {
		if reach := r.binning.Reach(); !g.pure && side > 0 && reach > side/2 {
			return nil, usagef("--bins %s and --pi %s: their pairs are up to %.6g apart, more than half of the side %v of the box along %s", o.bins.text, o.pi.text, reach, side, g.columns[i])
		}
	}
	if len(o.random) == 0 && g.pure {
		return nil, usagef("without --random distances are in the unit of the box; leave --scale out")
	}
	if r.kind.plane == stats2b.NoPlane && o.los.value != "mid" {
		return nil, usagef("--los %s: --kind %s has no line of sight", o.los.value, name)
	}
	return r, nil
}

// check refuses flags that do not fit each other, before anything is read.
func (o *corrOptions) check() (patching, error) {
	var none patching
	switch {
	case len(o.random) == 0 && len(o.geometry.box) == 0:
		return none, usagef("--random is needed: a catalog of random positions in the footprint of the data; 'cluster gen randoms' makes one, and a periodic --box needs none")
	case o.redshift != "" && o.geometry.distance != "":
		return none, usagef("--redshift %s and --distance %s: one of them makes positions", o.redshift, o.geometry.distance)
	case o.redshift != "" && o.geometry.h0.set:
		return none, usagef("--h0 %s: the distances of --redshift are in Mpc/h, for any h; leave it out", &o.geometry.h0)
	}
	if len(o.random) == 0 {
		for _, f := range [][2]string{{"estimator", o.estimator.value}, {"patches", string(o.patches)}, {"rr", o.rr}, {"save-rr", o.saveRR}} {
			if f[1] != "" && f[1] != "natural" {
				return none, usagef("--%s %s needs --random: without, pairs of randoms are those of the volume of the box", f[0], f[1])
			}
		}
	}
	if o.redshift != "" {
		o.geometry.distance = o.redshift
		o.omegaM, o.geometry.omegaM = o.geometry.omegaM, number{} // --omega-m is registered once
	}
	return parsePatching(string(o.patches))
}

func (o *corrOptions) execute(ctx context.Context, a *app, paths []string) error {
	patching, err := o.check()
	if err != nil {
		return err
	}
	if o.saveRR != "" && o.rr != "" {
		return usagef("--save-rr %s and --rr %s: pairs that are read need not be saved", o.saveRR, o.rr)
	}
	d, err := o.begin(ctx, a, "corr", paths, o.random, append(o.covariancePlots, o.saveRR)...)
	defer d.close()
	if err != nil {
		return err
	}
	if err := d.outputs(&outputFlags{plots: o.covariancePlots, force: o.out.force}); err != nil {
		return err
	}
	if o.saveRR != "" {
		if err := d.outputs(&outputFlags{output: o.saveRR, force: o.out.force}); err != nil {
			return err
		}
	}
	r, err := o.request(d.geo)
	if err != nil {
		return err
	}
	var reference []float64
	if o.compare != "" {
		if r.kind.plane != stats2b.NoPlane && r.kind.what == stats2b.Plain {
			return usagef("--compare %s: the ratio is of functions of one variable, not of --kind %s", o.compare, r.kind.name)
		}
		if reference, err = readReference(ctx, o.compare, r.binning.Bins); err != nil {
			return err
		}
	}
	if err := d.loadBoth(ctx, &o.read, &o.second, o.weights, o.weightsOfB(d)); err != nil {
		return err
	}
	if o.redshift != "" {
		if err := o.comove(d); err != nil {
			return err
		}
	}
	p := o.parameters(d, r.unit)
	o.more(p, r)
	data, random := d.samples()
	if err := d.checkFootprint(ctx, data, random, firstOf(r.unit, d.geo.unit)); err != nil {
		return err
	}
	patches, err := patching.assign(ctx, d, data, random, uint64(o.seed))
	if err != nil {
		return err
	}
	c, err := o.correlate(ctx, d, r, data, random, patches)
	if err != nil {
		return err
	}
	if r.unit == "" {
		r.unit = d.geo.unit
	}
	return o.report(ctx, d, r, c, patches, p, reference)
}

// correlate counts pairs and makes the correlation function of them.
func (o *corrOptions) correlate(ctx context.Context, d *duo, r *corrRequest, data, random *stats2b.Sample, patches int) (*stats2b.Correlation, error) {
	if random == nil {
		dd, err := d.tally(ctx, "data pairs", data, nil, o.ofData(r), 0)
		if err != nil {
			return nil, err
		}
		return stats2b.CorrelateBox(dd, d.geo.sides, r.kind.what)
	}
	t, err := o.count(ctx, d, r, data, random, patches)
	if err != nil {
		return nil, err
	}
	return stats2b.Correlate(t, r.estimator, r.kind.what, o.resampling())
}

// resampling is what the flags say of the covariance.
func (o *corrOptions) resampling() stats2b.Resampling {
	r := stats2b.Resampling{Seed: uint64(o.seed), Realisations: int(min(o.realisations.value, 1<<20))}
	switch {
	case o.patches == "":
	case o.covariance.value == "bootstrap":
		r.Method = stats2b.Bootstrap
	default:
		r.Method = stats2b.Jackknife
	}
	return r
}

// density is the matter density of --redshift.
func (o *corrOptions) density() float64 {
	if o.omegaM.set {
		return o.omegaM.value
	}
	return 0.3
}

// comove turns the redshifts of both catalogs into distances.
func (o *corrOptions) comove(d *duo) error {
	omega := o.density()
	universe, err := cosmo.NewFlat(omega)
	if err != nil {
		return usagef("--omega-m %v: %v", omega, err)
	}
	d.geo.unit = "Mpc/h"
	if d.sel.Points, err = comoving(d.sel.Points, universe, o.redshift); err == nil {
		d.b.sel.Points, err = comoving(d.b.sel.Points, universe, o.redshift)
	}
	return err
}

func comoving(p *neighbors.Points, universe *cosmo.Flat, column string) (*neighbors.Points, error) {
	cols := make([]neighbors.Column, p.Dim())
	for j := range cols {
		cols[j] = p.Column(j)
	}
	dist := make([]float64, p.Len())
	for i := range dist {
		z := cols[2].At(i)
		if dist[i] = universe.Comoving(z); math.IsNaN(dist[i]) {
			return nil, usagef("--redshift %s: %v is no redshift from 0 to 1100", column, z)
		}
	}
	cols[2] = neighbors.Float64s(dist)
	return neighbors.NewPoints(cols...)
}

// more writes the parameters of this command.
func (o *corrOptions) more(p *parameters, r *corrRequest) {
	if len(o.random) > 0 {
		p.list("random", o.random)
	}
	p.text("kind", r.kind.name)
	p.text("estimator", r.estimator.String())
	switch r.kind.across {
	case "pi":
		p.text("pi", o.pi.text)
	case "mu":
		p.text("mu", o.mu.text)
	}
	if r.kind.across != "" {
		p.text("los", o.los.value)
	}
	if o.redshift != "" {
		p.text("redshift", o.redshift)
		omega := "0.3"
		if o.omegaM.set {
			omega = o.omegaM.String()
		}
		p.text("omega-m", omega)
	}
	if o.patches == "" {
		return
	}
	p.text("patches", string(o.patches))
	p.text("covariance", o.covariance.value)
	if o.covariance.value == "bootstrap" {
		n := max(o.realisations.value, 100)
		if o.realisations.value > 0 {
			n = o.realisations.value
		}
		p.add("realisations", n, strconv.FormatInt(n, 10))
	}
	p.text("seed", o.seed.String())
}

// ofData is the binning of pairs of data, whose separations may be wanted.
func (o *corrOptions) ofData(r *corrRequest) stats2b.Binning {
	b := r.binning
	b.Means = o.means
	return b
}

// count counts the pairs that the estimator needs.
func (o *corrOptions) count(ctx context.Context, d *duo, r *corrRequest, data, random *stats2b.Sample, patches int) (t stats2b.Tallies, err error) {
	var saved *savedRR
	if o.rr != "" {
		if saved, err = readRR(ctx, o.rr); err == nil {
			err = saved.fits(rrProvenance(d, r, random, patches))
		}
		if err != nil {
			return t, fmt.Errorf("--rr %s: %w", o.rr, err)
		}
	}
	if t.DD, err = d.tally(ctx, "data pairs", data, nil, o.ofData(r), patches); err != nil {
		return t, err
	}
	if r.estimator.NeedsDR() {
		if t.DR, err = d.tally(ctx, "cross pairs", data, random, r.binning, patches); err != nil {
			return t, err
		}
	}
	switch {
	case saved != nil:
		t.RR, err = saved.tally(random, r.binning, patches)
	case r.estimator.NeedsRR() || o.saveRR != "":
		t.RR, err = d.tally(ctx, "random pairs", random, nil, r.binning, patches)
	}
	if err == nil && o.saveRR != "" {
		err = writeRR(ctx, d.job, o.saveRR, o.out.force, t.RR, rrProvenance(d, r, random, patches))
	}
	return t, err
}
