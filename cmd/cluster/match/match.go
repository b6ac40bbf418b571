// Package match is 'cluster match', which cross-matches two catalogs, or finds groups within one.
package match

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
)

const matchLong = `Finds the rows of two catalogs that are the same objects: those within --radius
of each other, nearest first, no row in two matches (--find best). The table has
row (of A), neighbor (row of B), distance, and the columns of both catalogs,
with the suffixes _1 and _2 where they have the same names; --join says whether
rows without a match are there too. With one catalog, rows within --radius of
each other are one group, directly or through others; --action says what becomes
of groups. --error-a, --min-radius, and --epoch-a with --epoch, hold there, too.

With --error-a or --error-b a match needs a distance of at most the sum of the
errors of the two rows, and --radius, if given, bounds it besides. Positions at
different epochs are brought to one by the proper motions of the catalog that
has them.`

const matchExample = `  # the Gaia sources of X-ray sources, all X-ray sources listed
  cluster match xray.csv gaia.parquet --radius 3arcsec --join all1 -o xray-gaia.parquet

  # stars that moved between the epochs, by the proper motions of Gaia
  cluster match gaia.parquet 2mass.csv --radius 0.5arcsec --epoch-a 2016 --epoch-b 2000 -o moved.parquet

  # which rows are there twice?
  cluster match sources.csv --radius 1arcsec --action identify -o groups.csv`

type matchOptions struct {
	run      flags.Run
	read     flags.Read
	geometry geometry.Flags
	second   geometry.SecondFlags
	out      flags.Output
	keep     flags.List
	unit     flags.Choice

	radius, least  flags.Length
	k              flags.Integer
	find, join     flags.Choice
	errors         errorFlags
	epochs         epochFlags
	action         flags.Choice
	chosenFind     match.Find
	chosenJoin     match.Join
	searchRadius   float64
	smallestRadius float64
}

func New(a *job.App) *cobra.Command {
	o := &matchOptions{k: flags.Integer{Least: 1}, unit: flags.Choice{Value: "", Values: flags.AngleUnitNames()}}
	cmd := &cobra.Command{
		Use:     "match A [B] --radius R -o OUT",
		Short:   "cross-match of two catalogs, or groups within one",
		Long:    matchLong,
		Example: matchExample,
		Args:    flags.NeedOneOrTwo,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return o.within(cmd, a, args)
			}
			if cmd.Flags().Changed("action") {
				return exit.Usagef("--action %s is for groups within one catalog, two are named", o.action.Value)
			}
			return o.execute(cmd.Context(), a, args)
		},
	}
	fs := cmd.Flags()
	fs.Var(&o.radius, "radius", "largest distance of a match; on the sky with a unit, as in 1.5arcsec")
	o.find = flags.NewChoice(match.Finds()...)
	fs.Var(&o.find, "find", "which pairs match: best of both sides, the best for each row of A (best1) or of B (best2), or all")
	o.join = flags.NewChoice(match.Joins()...)
	fs.Var(&o.join, "join", "which rows are written: the matches, 1and2, and those without one of both catalogs, 1or2, of A, all1, or B, all2; or only those of A, 1not2, or B, 2not1")
	fs.VarP(&o.k, "k", "k", "only the K nearest rows of B can match a row of A")
	fs.Var(&o.least, "min-radius", "smallest distance of a match")
	o.errors.register(cmd)
	o.epochs.register(cmd)
	o.action = flags.NewChoice("identify", "keep1", "keep0")
	fs.Var(&o.action, "action", "one catalog: number the groups in new columns, keep the first row of each, or none")
	o.geometry.Register(cmd)
	o.second.Register(cmd)
	o.read.Register(fs)
	o.out.Register(fs, "table of matches")
	fs.Var(&o.keep, "keep", "columns of either catalog to write (default all)")
	fs.Var(&o.unit, "unit", "unit of written distances on the sky (default that of --radius, else arcsec)")
	flags.Needs(fs, []string{"keep", "unit", "action"}, "output")
	o.run.Register(cmd)
	o.run.GPU.Register(cmd, flags.OnlyAsked)
	for _, name := range []string{"keep", "error-a", "pm-a"} {
		flags.CompleteColumns(cmd, name)
	}
	for name, values := range map[string][]string{"find": o.find.Values, "join": o.join.Values, "action": o.action.Values, "unit": o.unit.Values} {
		flags.Complete(cmd, name, values)
	}
	return cmd
}

// begin opens the catalogs and checks what needs no rows. The caller closes
// the duo, also after an error.
func (o *matchOptions) begin(ctx context.Context, a *job.App, paths []string) (*job.Duo, error) {
	d := &job.Duo{Job: &job.Job{}}
	if err := o.out.Check(o.run.JSON); err != nil {
		return d, err
	}
	j, err := job.New(a, "match", &o.run)
	if err != nil {
		return d, err
	}
	d.Job = j
	d.Empty = true
	if err := d.Open(ctx, paths, &o.read); err != nil {
		return d, err
	}
	if err := d.Outputs(&o.out); err != nil {
		return d, err
	}
	if err := d.Resolve(&o.geometry, &o.second); err != nil {
		return d, err
	}
	if err := d.Derive(append(append([]string{o.errors.b}, o.epochs.pmB...), o.keep...)...); err != nil {
		return d, err
	}
	return d, o.radii(d.Geo)
}

// radii turns the lengths into radii of the metric.
func (o *matchOptions) radii(g *geometry.Geometry) (err error) {
	if o.radius.Text != "" {
		if o.searchRadius, err = g.Radius("--radius", o.radius); err != nil {
			return err
		}
	}
	if o.least.Text != "" {
		o.smallestRadius, err = g.Radius("--min-radius", o.least)
	}
	return err
}

// execute matches two catalogs.
func (o *matchOptions) execute(ctx context.Context, a *job.App, paths []string) (err error) {
	if o.radius.Text == "" && o.k.Value == 0 && !o.errors.given() {
		return exit.Usagef("--radius is needed, as in --radius 1.5arcsec; or -k, or --error-a and --error-b")
	}
	if o.k.Value > 0 && o.run.Device.Value == "gpu" {
		return exit.Usagef("--device gpu: the K nearest are found by the CPU; use --device cpu, or auto")
	}
	if o.chosenFind, err = match.ParseFind(o.find.Value); err != nil {
		return err
	}
	if o.chosenJoin, err = match.ParseJoin(o.join.Value); err != nil {
		return err
	}
	d, err := o.begin(ctx, a, paths)
	defer d.Close()
	if err != nil {
		return err
	}
	unit, err := d.Geo.Printed(o.unit, human.FirstOf(o.radius.Unit, "arcsec"))
	if err != nil {
		return err
	}
	if err := o.epochs.check(d); err != nil {
		return err
	}
	if err := d.LoadBoth(ctx, &o.read, &o.second, o.errors.a, o.errors.b); err != nil {
		return err
	}
	noteSameFile(d)
	p := d.ParametersOf(&o.geometry, &o.read, &o.second)
	o.describe(p, unit)
	points, err := o.epochs.move(ctx, d)
	if err != nil {
		return err
	}
	opt := match.Options{
		Find: o.chosenFind, Radius: o.searchRadius, Min: o.smallestRadius, K: int(min(o.k.Value, int64(neighbors.MaxRows))),
		Threads: d.Run.Count(), Memory: d.Run.Memory.Bytes,
	}
	if opt.ErrorA, opt.ErrorB, err = o.errors.radii(d, o.radius); err != nil {
		return err
	}
	o.forecast(ctx, d, points, &opt, unit, p.Metadata)
	found, err := cross(ctx, d, points, opt)
	if err != nil {
		return err
	}
	rows := o.tableRows(d, found, unit)
	if err := o.write(ctx, d, rows, unit, p.Metadata); err != nil {
		return err
	}
	o.report(d, found, rows)
	return d.Finish()
}

// describe writes the parameters of the match.
func (o *matchOptions) describe(p *report.Parameters, unit string) {
	if o.radius.Text != "" {
		p.Length("radius", o.radius)
	}
	if o.least.Text != "" {
		p.Length("min-radius", o.least)
	}
	if o.k.Value > 0 {
		p.Add("k", o.k.Value, o.k.String())
	}
	p.Text("find", o.find.Value)
	p.Text("join", o.join.Value)
	o.errors.describe(p)
	o.epochs.describe(p)
	if unit != "" {
		p.Text("unit", unit)
	}
}

// cross runs the match.
func cross(ctx context.Context, d *job.Duo, points [2]*neighbors.Points, opt match.Options) (found *match.Result, err error) {
	defer d.Sum.Seconds.Lap(&d.Sum.Seconds.Join, time.Now())
	phase := d.Rep.Phase("neighbours", int64(points[0].Len()))
	defer phase.End()
	opt.Progress = phase.Add
	cross := func(joiner neighbors.Joiner) error {
		opt := opt
		opt.Joiner = joiner
		if _, onCPU := joiner.(neighbors.CPU); !onCPU {
			opt.Foresee = nil // for some rows alone it costs more than it tells
		}
		return exit.Await(ctx, func() (err error) {
			found, err = match.Cross(ctx, points[0], points[1], d.Metric, opt)
			return err
		})
	}
	if opt.K > 0 { // the nearest are found by the CPU
		err = cross(d.Joiner)
	} else {
		err = d.On(max(points[0].Len(), points[1].Len()), cross)
	}
	return found, exit.OverMemory(err)
}

// noteSameFile says that both catalogs are one, where every row matches
// itself.
func noteSameFile(d *job.Duo) {
	a, errA := os.Stat(d.Cat.Files()[0].Path)
	b, errB := os.Stat(d.B.Cat.Files()[0].Path)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		d.Sum.Note("note", "both catalogs are the same file, so that rows match themselves; one name alone finds groups within it")
	}
}

// tableRows maps the matches to rows of the catalogs and adds those without
// one. Rows without a position are rows without a match; what a filter drops
// is not there.
func (o *matchOptions) tableRows(d *job.Duo, found *match.Result, unit string) []match.Row {
	return match.Combine(o.chosenJoin, catalogRows(d, found.Pairs, unit), columns.Passed(d.Sel), columns.Passed(d.B.Sel))
}

// catalogRows maps pairs to rows of the catalogs.
func catalogRows(d *job.Duo, pairs []match.Pair, unit string) []match.Row {
	per := 1.0
	if d.Geo.Angle {
		per = flags.Radians(unit)
	}
	matches := make([]match.Row, len(pairs))
	for i, p := range pairs {
		matches[i] = match.Row{A: job.CatalogRow(d.Sel, p.A), B: job.CatalogRow(d.B.Sel, p.B), Distance: p.Distance / per}
	}
	return matches
}

func (o *matchOptions) report(d *job.Duo, found *match.Result, rows []match.Row) {
	matchedA, matchedB := map[uint32]bool{}, map[uint32]bool{}
	for _, p := range found.Pairs {
		matchedA[p.A], matchedB[p.B] = true, true
	}
	r := &d.Sum.Result
	r.Set("matches", int64(len(found.Pairs)))
	r.Set("candidates", found.Candidates)
	r.Set("ambiguous_1", found.AmbiguousA)
	r.Set("ambiguous_2", found.AmbiguousB)
	r.Set("unmatched_1", d.Sel.Total-d.Sel.Filtered-int64(len(matchedA)))
	r.Set("unmatched_2", d.B.Sel.Total-d.B.Sel.Filtered-int64(len(matchedB)))
	r.Set("rows", int64(len(rows)))
}
