// Package corr is 'cluster corr', which estimates two-point correlation functions.
package corr

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/paircount"
	"skyjoin/cmd/cluster/internal/report"
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
	paircount.Flags
	random       []string
	kind         flags.Choice
	estimator    flags.Choice
	pi, mu       flags.Bins
	los          flags.Choice
	redshift     string
	omegaM       flags.Number // of --redshift
	patches      patchesFlag
	covariance   flags.Choice
	realisations flags.Integer
	seed         flags.Seed
	saveRR, rr   string

	compare         string
	covariancePlots []string
}

func New(a *job.App) *cobra.Command {
	o := &corrOptions{Flags: paircount.Flags{SecondOne: "the randoms"}}
	cmd := &cobra.Command{
		Use:     "corr DATA… --random R --bins SPEC",
		Short:   "two-point correlation function: w(θ), ξ(r), ξ(rp,π), ξ(s,μ), wp(rp)",
		Long:    corrLong,
		Example: corrExample,
		Args:    flags.NeedFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	fs := cmd.Flags()
	o.registerWhat(cmd)
	o.Register(cmd, "table of the bins, counts, correlation function, errors, covariance and realisations", "the correlation function with its errors")
	fs.StringVar(&o.saveRR, "save-rr", "", "`file` to keep the pairs of randoms in")
	fs.StringVar(&o.rr, "rr", "", "`file` of --save-rr to take the pairs of randoms from")
	fs.StringVar(&o.compare, "compare", "", "`file` of -o of an earlier run with the same bins: the ratio to it is drawn and written")
	fs.StringArrayVar(&o.covariancePlots, "plot-covariance", nil, "figure of the correlation matrix of the bins, a `file` like that of --plot")
	flags.Needs(fs, []string{"plot-covariance"}, "patches")
	flags.Needs(fs, []string{"compare"}, "plot", "output")
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
	o.kind = flags.Choice{Value: "", Values: kinds}
	o.estimator = flags.Choice{Value: "", Values: stats2b.Estimators()}
	o.los = flags.NewChoice("mid", "x", "y", "z")
	o.covariance = flags.NewChoice("jackknife", "bootstrap")
	o.realisations = flags.Integer{Least: 2}
	fs.Var(&o.kind, "kind", "which function, one of "+strings.Join(kinds, ", ")+" (default w on the sky, xi in space)")
	fs.Var(&o.estimator, "estimator", "one of "+strings.Join(o.estimator.Values, ", ")+" (default ls, without randoms natural)")
	fs.Var(&o.pi, "pi", "bins of π, as in lin:0:40:40, for rppi and wp")
	fs.Var(&o.mu, "mu", "bins of μ for smu, xi0 and xi2 (default lin:0:1:20)")
	fs.Var(&o.los, "los", "line of sight of a pair: from the origin through its middle, or along an axis")
	fs.StringVar(&o.redshift, "redshift", "", "`column` of redshifts, which become comoving distances in Mpc/h")
	fs.Var(&o.patches, "patches", "`patches` for the covariance: K or kmeans:K, healpix:NSIDE, cells:N along each axis, or column:NAME")
	fs.Var(&o.covariance, "covariance", "how patches are resampled")
	fs.Var(&o.realisations, "realisations", "bootstrap realisations (default 100)")
	fs.Var(&o.seed, "seed", "what everything random follows from")
	flags.Needs(fs, []string{"covariance"}, "patches")
	flags.Needs(fs, []string{"realisations"}, "covariance=bootstrap")
	flags.Needs(fs, []string{"seed"}, "patches=K", "covariance=bootstrap")
	for flag, c := range map[string]flags.Choice{"kind": o.kind, "estimator": o.estimator, "los": o.los, "covariance": o.covariance} {
		flags.Complete(cmd, flag, c.Values)
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
func (o *corrOptions) request(g *geometry.Geometry) (*corrRequest, error) {
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
	for _, k := range corrKinds {
		if k.name == name {
			r.kind = k
		}
	}
	switch {
	case g.Angle && name != "w":
		return nil, exit.Usagef("--kind %s needs positions in space: three columns, or --distance or --redshift", name)
	case !g.Angle && name == "w":
		return nil, exit.Usagef("--kind w is of angles: RA and Dec without distance or scales")
	}
	if r.binning.Bins, r.unit, err = g.Bins(&o.Bins); err != nil {
		return nil, err
	}
	r.binning.Plane = r.kind.plane
	r.binning.Axis = map[string]int{"x": 1, "y": 2, "z": 3}[o.los.Value]
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
	for i, side := range g.Sides {
		if reach := r.binning.Reach(); !g.Pure && side > 0 && reach > side/2 {
			return nil, exit.Usagef("--bins %s and --pi %s: their pairs are up to %.6g apart, more than half of the side %v of the box along %s", o.Bins.Text, o.pi.Text, reach, side, g.Columns[i])
		}
	}
	if len(o.random) == 0 && g.Pure {
		return nil, exit.Usagef("without --random distances are in the unit of the box; leave --scale out")
	}
	if r.kind.plane == stats2b.NoPlane && o.los.Value != "mid" {
		return nil, exit.Usagef("--los %s: --kind %s has no line of sight", o.los.Value, name)
	}
	return r, nil
}

// check refuses flags that do not fit each other, before anything is read.
func (o *corrOptions) check() (patching, error) {
	var none patching
	switch {
	case len(o.random) == 0 && len(o.Geometry.Box) == 0:
		return none, exit.Usagef("--random is needed: a catalog of random positions in the footprint of the data; 'cluster gen randoms' makes one, and a periodic --box needs none")
	case o.redshift != "" && o.Geometry.Distance != "":
		return none, exit.Usagef("--redshift %s and --distance %s: one of them makes positions", o.redshift, o.Geometry.Distance)
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

func (o *corrOptions) execute(ctx context.Context, a *job.App, paths []string) error {
	patching, err := o.check()
	if err != nil {
		return err
	}
	if o.saveRR != "" && o.rr != "" {
		return exit.Usagef("--save-rr %s and --rr %s: pairs that are read need not be saved", o.saveRR, o.rr)
	}
	d, err := o.Begin(ctx, a, "corr", paths, o.random, append(o.covariancePlots, o.saveRR)...)
	defer d.Close()
	if err != nil {
		return err
	}
	if err := exit.First(d.Reads(o.pi.File(), o.mu.File(), o.rr, o.compare), d.Outputs(&flags.Output{Output: o.saveRR, Plots: o.covariancePlots, Force: o.Out.Force})); err != nil {
		return err
	}
	r, err := o.request(d.Geo)
	if err != nil {
		return err
	}
	var reference []float64
	if o.compare != "" {
		if r.kind.plane != stats2b.NoPlane && r.kind.what == stats2b.Plain {
			return exit.Usagef("--compare %s: the ratio is of functions of one variable, not of --kind %s", o.compare, r.kind.name)
		}
		if reference, err = readReference(ctx, o.compare, r.binning.Bins); err != nil {
			return err
		}
	}
	if err := d.LoadBoth(ctx, &o.Read, &o.Second, o.Weights, o.WeightsOfB(d)); err != nil {
		return err
	}
	if o.redshift != "" {
		if err := o.comove(d); err != nil {
			return err
		}
	}
	p := o.Parameters(d, r.unit)
	o.more(p, r)
	data, random := paircount.Samples(d)
	if err := checkFootprint(ctx, d, data, random, human.FirstOf(r.unit, d.Geo.Unit)); err != nil {
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
		r.unit = d.Geo.Unit
	}
	return o.report(ctx, d, r, c, patches, p, reference)
}

// correlate counts pairs and makes the correlation function of them.
func (o *corrOptions) correlate(ctx context.Context, d *job.Duo, r *corrRequest, data, random *stats2b.Sample, patches int) (*stats2b.Correlation, error) {
	if random == nil {
		dd, err := paircount.Tally(ctx, d, "data pairs", data, nil, o.ofData(r), 0)
		if err != nil {
			return nil, err
		}
		return stats2b.CorrelateBox(dd, d.Geo.Sides, r.kind.what)
	}
	t, err := o.count(ctx, d, r, data, random, patches)
	if err != nil {
		return nil, err
	}
	return stats2b.Correlate(t, r.estimator, r.kind.what, o.resampling())
}

// resampling is what the flags say of the covariance.
func (o *corrOptions) resampling() stats2b.Resampling {
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
func (o *corrOptions) density() float64 {
	if o.omegaM.Given {
		return o.omegaM.Value
	}
	return 0.3
}

// comove turns the redshifts of both catalogs into distances.
func (o *corrOptions) comove(d *job.Duo) error {
	omega := o.density()
	universe, err := cosmo.NewFlat(omega)
	if err != nil {
		return exit.Usagef("--omega-m %v: %v", omega, err)
	}
	d.Geo.Unit = "Mpc/h"
	if d.Sel.Points, err = comoving(d.Sel.Points, universe, o.redshift); err == nil {
		d.B.Sel.Points, err = comoving(d.B.Sel.Points, universe, o.redshift)
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
			return nil, exit.Usagef("--redshift %s: %v is no redshift from 0 to 1100", column, z)
		}
	}
	cols[2] = neighbors.Float64s(dist)
	return neighbors.NewPoints(cols...)
}

// more writes the parameters of this command.
func (o *corrOptions) more(p *report.Parameters, r *corrRequest) {
	if len(o.random) > 0 {
		p.List("random", o.random)
	}
	p.Text("kind", r.kind.name)
	p.Text("estimator", r.estimator.String())
	switch r.kind.across {
	case "pi":
		p.Text("pi", o.pi.Text)
	case "mu":
		p.Text("mu", o.mu.Text)
	}
	if r.kind.across != "" {
		p.Text("los", o.los.Value)
	}
	if o.redshift != "" {
		p.Text("redshift", o.redshift)
		omega := "0.3"
		if o.omegaM.Given {
			omega = o.omegaM.String()
		}
		p.Text("omega-m", omega)
	}
	if o.patches == "" {
		return
	}
	p.Text("patches", string(o.patches))
	p.Text("covariance", o.covariance.Value)
	if o.covariance.Value == "bootstrap" {
		n := max(o.realisations.Value, 100)
		if o.realisations.Value > 0 {
			n = o.realisations.Value
		}
		p.Add("realisations", n, strconv.FormatInt(n, 10))
	}
	p.Text("seed", o.seed.String())
}

// ofData is the binning of pairs of data, whose separations may be wanted.
func (o *corrOptions) ofData(r *corrRequest) stats2b.Binning {
	b := r.binning
	b.Means = o.Means
	return b
}

// count counts the pairs that the estimator needs.
func (o *corrOptions) count(ctx context.Context, d *job.Duo, r *corrRequest, data, random *stats2b.Sample, patches int) (t stats2b.Tallies, err error) {
	var saved *savedRR
	if o.rr != "" {
		if saved, err = readRR(ctx, o.rr); err == nil {
			err = saved.fits(rrProvenance(d, r, random, patches))
		}
		if err != nil {
			return t, fmt.Errorf("--rr %s: %w", o.rr, err)
		}
	}
	if t.DD, err = paircount.Tally(ctx, d, "data pairs", data, nil, o.ofData(r), patches); err != nil {
		return t, err
	}
	if r.estimator.NeedsDR() {
		if t.DR, err = paircount.Tally(ctx, d, "cross pairs", data, random, r.binning, patches); err != nil {
			return t, err
		}
	}
	switch {
	case saved != nil:
		t.RR, err = saved.tally(random, r.binning, patches)
	case r.estimator.NeedsRR() || o.saveRR != "":
		t.RR, err = paircount.Tally(ctx, d, "random pairs", random, nil, r.binning, patches)
	}
	if err == nil && o.saveRR != "" {
		err = writeRR(ctx, d.Job, o.saveRR, o.Out.Force, t.RR, rrProvenance(d, r, random, patches))
	}
	return t, err
}
