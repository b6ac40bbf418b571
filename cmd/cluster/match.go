package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/io/catalog"
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
	run      runFlags
	read     readFlags
	geometry geometryFlags
	second   secondFlags
	out      outputFlags
	keep     list
	unit     choice

	radius, least  length
	k              integer
	find, join     choice
	errors         errorFlags
	epochs         epochFlags
	action         choice
	chosenFind     match.Find
	chosenJoin     match.Join
	searchRadius   float64
	smallestRadius float64
}

func newMatch(a *app) *cobra.Command {
	o := &matchOptions{k: integer{least: 1}, unit: choice{"", angleUnitNames()}}
	cmd := &cobra.Command{
		Use:     "match A [B] --radius R -o OUT",
		Short:   "cross-match of two catalogs, or groups within one",
		Long:    matchLong,
		Example: matchExample,
		Args:    needOneOrTwo,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return o.within(cmd, a, args)
			}
			if cmd.Flags().Changed("action") {
				return usagef("--action %s is for groups within one catalog, two are named", o.action.value)
			}
			return o.execute(cmd.Context(), a, args)
		},
	}
	fs := cmd.Flags()
	fs.Var(&o.radius, "radius", "largest distance of a match; on the sky with a unit, as in 1.5arcsec")
	o.find = newChoice(match.Finds()...)
	fs.Var(&o.find, "find", "which pairs match: best of both sides, the best for each row of A (best1) or of B (best2), or all")
	o.join = newChoice(match.Joins()...)
	fs.Var(&o.join, "join", "which rows are written: the matches, 1and2, and those without one of both catalogs, 1or2, of A, all1, or B, all2; or only those of A, 1not2, or B, 2not1")
	fs.VarP(&o.k, "k", "k", "only the K nearest rows of B can match a row of A")
	fs.Var(&o.least, "min-radius", "smallest distance of a match")
	o.errors.register(cmd)
	o.epochs.register(cmd)
	o.action = newChoice("identify", "keep1", "keep0")
	fs.Var(&o.action, "action", "one catalog: number the groups in new columns, keep the first row of each, or none")
	o.geometry.register(cmd)
	o.second.register(cmd)
	o.read.register(fs)
	o.out.register(fs, "table of matches")
	fs.Var(&o.keep, "keep", "columns of either catalog to write (default all)")
	fs.Var(&o.unit, "unit", "unit of written distances on the sky (default that of --radius, else arcsec)")
	needs(fs, []string{"keep", "unit", "action"}, "output")
	o.run.register(cmd)
	o.run.gpu.register(cmd, onlyAsked)
	for _, name := range []string{"keep", "error-a", "pm-a"} {
		completeColumns(cmd, name)
	}
	for name, values := range map[string][]string{"find": o.find.values, "join": o.join.values, "action": o.action.values, "unit": o.unit.values} {
		complete(cmd, name, values)
	}
	return cmd
}

// begin opens the catalogs and checks what needs no rows. The caller closes
// the duo, also after an error.
func (o *matchOptions) begin(ctx context.Context, a *app, paths []string) (*duo, error) {
	d := &duo{job: &job{}}
	if err := o.out.check(o.run.json); err != nil {
		return d, err
	}
	j, err := newJob(a, "match", &o.run)
	if err != nil {
		return d, err
	}
	d.job = j
	d.empty = true
	if err := d.open(ctx, paths, &o.read); err != nil {
		return d, err
	}
	if err := d.outputs(&o.out); err != nil {
		return d, err
	}
	if err := d.resolve(&o.geometry, &o.second); err != nil {
		return d, err
	}
	if err := d.derive(append(append([]string{o.errors.b}, o.epochs.pmB...), o.keep...)...); err != nil {
		return d, err
	}
	return d, o.radii(d.geo)
}

// radii turns the lengths into radii of the metric.
func (o *matchOptions) radii(g *geometry) (err error) {
	if o.radius.text != "" {
		if o.searchRadius, err = g.radius("--radius", o.radius); err != nil {
			return err
		}
	}
	if o.least.text != "" {
		o.smallestRadius, err = g.radius("--min-radius", o.least)
	}
	return err
}

// execute matches two catalogs.
func (o *matchOptions) execute(ctx context.Context, a *app, paths []string) (err error) {
	if o.radius.text == "" && o.k.value == 0 && !o.errors.given() {
		return usagef("--radius is needed, as in --radius 1.5arcsec; or -k, or --error-a and --error-b")
	}
	if o.k.value > 0 && o.run.device.value == "gpu" {
		return usagef("--device gpu: the K nearest are found by the CPU; use --device cpu, or auto")
	}
	if o.chosenFind, err = match.ParseFind(o.find.value); err != nil {
		return err
	}
	if o.chosenJoin, err = match.ParseJoin(o.join.value); err != nil {
		return err
	}
	d, err := o.begin(ctx, a, paths)
	defer d.close()
	if err != nil {
		return err
	}
	unit, err := d.geo.printed(o.unit, firstOf(o.radius.unit, "arcsec"))
	if err != nil {
		return err
	}
	if err := o.epochs.check(d); err != nil {
		return err
	}
	if err := d.loadBoth(ctx, &o.read, &o.second, o.errors.a, o.errors.b); err != nil {
		return err
	}
	noteSameFile(d)
	p := d.parametersOf(&o.geometry, &o.read, &o.second)
	o.describe(p, unit)
	points, err := o.epochs.move(ctx, d)
	if err != nil {
		return err
	}
	opt := match.Options{
		Find: o.chosenFind, Radius: o.searchRadius, Min: o.smallestRadius, K: int(min(o.k.value, int64(neighbors.MaxRows))),
		Threads: d.run.count(), Memory: d.run.memory.bytes,
	}
	if opt.ErrorA, opt.ErrorB, err = o.errors.radii(d, o.radius); err != nil {
		return err
	}
	o.forecast(ctx, d, points, &opt, unit, p.metadata)
	found, err := d.cross(ctx, points, opt)
	if err != nil {
		return err
	}
	rows := o.tableRows(d, found, unit)
	if err := o.write(ctx, d, rows, unit, p.metadata); err != nil {
		return err
	}
	o.report(d, found, rows)
	return d.finish()
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// describe writes the parameters of the match.
func (o *matchOptions) describe(p *parameters, unit string) {
	if o.radius.text != "" {
		p.length("radius", o.radius)
	}
	if o.least.text != "" {
		p.length("min-radius", o.least)
	}
	if o.k.value > 0 {
		p.add("k", o.k.value, o.k.String())
	}
	p.text("find", o.find.value)
	p.text("join", o.join.value)
	o.errors.describe(p)
	o.epochs.describe(p)
	if unit != "" {
		p.text("unit", unit)
	}
}

// cross runs the match.
func (d *duo) cross(ctx context.Context, points [2]*neighbors.Points, opt match.Options) (found *match.Result, err error) {
	defer d.sum.Seconds.lap(&d.sum.Seconds.Join, time.Now())
	phase := d.rep.phase("neighbours", int64(points[0].Len()))
	defer phase.end()
	opt.Progress = phase.add
	cross := func(joiner neighbors.Joiner) error {
		opt := opt
		opt.Joiner = joiner
		if _, onCPU := joiner.(neighbors.CPU); !onCPU {
			opt.Foresee = nil // for some rows alone it costs more than it tells
		}
		return await(ctx, func() (err error) {
			found, err = match.Cross(ctx, points[0], points[1], d.metric, opt)
			return err
		})
	}
	if opt.K > 0 { // the nearest are found by the CPU
		err = cross(d.joiner)
	} else {
		err = d.on(max(points[0].Len(), points[1].Len()), cross)
	}
	return found, overMemory(err)
}

// noteSameFile says that both catalogs are one, where every row matches
// itself.
func noteSameFile(d *duo) {
	a, errA := os.Stat(d.cat.Files()[0].Path)
	b, errB := os.Stat(d.b.cat.Files()[0].Path)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		d.sum.note("note", "both catalogs are the same file, so that rows match themselves; one name alone finds groups within it")
	}
}

// tableRows maps the matches to rows of the catalogs and adds those without
// one. Rows without a position are rows without a match; what a filter drops
// is not there.
func (o *matchOptions) tableRows(d *duo, found *match.Result, unit string) []match.Row {
	return match.Combine(o.chosenJoin, d.catalogRows(found.Pairs, unit), passed(d.sel), passed(d.b.sel))
}

// catalogRows maps pairs to rows of the catalogs.
func (d *duo) catalogRows(pairs []match.Pair, unit string) []match.Row {
	per := 1.0
	if d.geo.angle {
		per = radians(unit)
	}
	matches := make([]match.Row, len(pairs))
	for i, p := range pairs {
		matches[i] = match.Row{A: catalogRow(d.sel, p.A), B: catalogRow(d.b.sel, p.B), Distance: p.Distance / per}
	}
	return matches
}

// passed gives the rows of the catalog that the filter keeps.
func passed(sel *catalog.Selection) func(yield func(int64) bool) {
	return func(yield func(int64) bool) {
		for row := range sel.Total {
			if (sel.Passed == nil || sel.Passed[row]) && !yield(row) {
				return
			}
		}
	}
}

func (o *matchOptions) report(d *duo, found *match.Result, rows []match.Row) {
	matchedA, matchedB := map[uint32]bool{}, map[uint32]bool{}
	for _, p := range found.Pairs {
		matchedA[p.A], matchedB[p.B] = true, true
	}
	r := &d.sum.Result
	r.set("matches", int64(len(found.Pairs)))
	r.set("candidates", found.Candidates)
	r.set("ambiguous_1", found.AmbiguousA)
	r.set("ambiguous_2", found.AmbiguousB)
	r.set("unmatched_1", d.sel.Total-d.sel.Filtered-int64(len(matchedA)))
	r.set("unmatched_2", d.b.sel.Total-d.b.sel.Filtered-int64(len(matchedB)))
	r.set("rows", int64(len(rows)))
}
