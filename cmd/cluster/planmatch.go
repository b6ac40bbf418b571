package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/io/catalog"
	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
	"skyjoin/tiles"
)

const planMatchExample = `  # two surveys of the whole sky in 200 tiles
  cluster plan match gaia/ survey/ --radius 1arcsec --join all2 --tiles 200 -o plan/
  cluster submit plan/
  cluster merge plan/ -o matched.parquet`

// matchTiles is the cross-match in tiles.
var matchTiles = tiledCommand{
	name: "match",
	plan: newPlanMatch,
	found: func(ctx context.Context, j *job, p *tiles.Plan) error {
		_, err := j.foundMatch(ctx, p)
		return err
	},
	write: mergeMatch,
}

func newPlanMatch(a *app) *cobra.Command {
	cmd, _, _ := planMatchCommand(a)
	return cmd
}

func planMatchCommand(a *app) (*cobra.Command, *matchOptions, *planFlags) {
	o := &matchOptions{k: integer{least: 1}, unit: choice{"", angleUnitNames()}}
	f := &planFlags{}
	cmd := &cobra.Command{
		Use:     "match A B --radius R --tiles N -o PLAN",
		Short:   "a cross-match in tiles",
		Long:    planLong,
		Example: planMatchExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("two catalogs are needed, %d are named; usage: %s", len(args), cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.planMatch(cmd.Context(), a, f, cmd.Flags(), args)
		},
	}
	fs := cmd.Flags()
	fs.Var(&o.radius, "radius", "largest distance of a match; on the sky with a unit, as in 1.5arcsec")
	o.find = newChoice(match.Finds()...)
	fs.Var(&o.find, "find", "which pairs match: best of both sides, the best for each row of A (best1) or of B (best2), or all")
	o.join = newChoice(match.Joins()...)
	fs.Var(&o.join, "join", "which rows are written, see 'cluster match --help'")
	fs.VarP(&o.k, "k", "k", "only the K nearest rows of B can match a row of A")
	fs.Var(&o.least, "min-radius", "smallest distance of a match")
	o.errors.register(cmd)
	o.epochs.register(cmd)
	for _, name := range []string{"epoch-a", "epoch-b", "epoch", "pm-a", "pm-b"} {
		cmd.Flags().MarkHidden(name) // to be refused in a sentence; the flag is there, err would be a bug
	}
	o.geometry.register(cmd)
	o.second.register(cmd)
	o.read.register(fs)
	fs.Var(&o.keep, "keep", "columns of either catalog to write (default all)")
	fs.Var(&o.unit, "unit", "unit of written distances on the sky (default that of --radius, else arcsec)")
	f.register(cmd)
	return cmd, o, f
}

// planMatch plans the match. The flags are kept in the plan, for the merge.
func (o *matchOptions) planMatch(ctx context.Context, a *app, f *planFlags, fs *pflag.FlagSet, paths []string) error {
	if err := f.check(); err != nil {
		return err
	}
	d, err := o.beginPlanned(ctx, a, &f.run, paths)
	defer d.close()
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
		d.sum.Input = newInput()
	}
	scales, _, err := d.geo.scaleValues(points)
	if err != nil {
		return err
	}
	flags, err := keptFlags(fs)
	if err != nil {
		return err
	}
	setA, setB := d.geo.setOf(d.cat, &o.read, o.errors.a), d.b.geo.setOf(d.b.cat, &o.read, o.errors.b)
	setB.Where = o.second.where
	rule := &tiles.Match{Find: o.find.value, Min: o.smallestRadius, Radius: o.searchRadius, K: int(min(o.k.value, int64(neighbors.MaxRows)))}
	if rule.ErrorA, rule.ErrorB, err = o.errors.units(d, o.radius); err != nil {
		return err
	}
	if err := try(ctx, rule); err != nil {
		return err
	}
	p := &tiles.Plan{
		Command: "match",
		Sets:    []tiles.Set{setA, setB},
		Metric:  d.geo.metricOf(scales),
		Match:   rule,
		Flags:   flags,
	}
	d.sum.Command = "plan match"
	return f.make(ctx, d.job, p, []*catalog.Catalog{d.cat, d.b.cat})
}

// try matches no rows, which refuses radii that cannot be.
func try(ctx context.Context, rule *tiles.Match) error {
	o, err := rule.Options(nil, nil)
	if err != nil {
		return err
	}
	none, err := neighbors.NewPoints(neighbors.Float64s(nil))
	if err == nil {
		_, err = match.Cross(ctx, none, none, neighbors.Euclidean(), o)
	}
	return err
}

// beginPlanned opens the catalogs of a match in tiles and checks what needs no
// rows. The caller closes the duo, also after an error.
func (o *matchOptions) beginPlanned(ctx context.Context, a *app, run *runFlags, paths []string) (*duo, error) {
	d := &duo{job: &job{}}
	switch {
	case o.radius.text == "" && o.k.value > 0 && !o.errors.given():
		return d, usagef("-k %d: --radius is needed too, as in --radius 1.5arcsec: it, or errors, bound how far a tile has to look", o.k.value)
	case o.radius.text == "" && !o.errors.given():
		return d, usagef("--radius is needed, as in --radius 1.5arcsec; or --error-a and --error-b")
	case o.epochs.given():
		return d, usagef("--epoch-a, --epoch and --pm-a cannot be planned: tiles are cut by the positions in the files; --let with -c makes positions of another epoch")
	}
	var err error
	if o.chosenJoin, err = match.ParseJoin(o.join.value); err != nil {
		return d, err
	}
	if d.job, err = newJob(a, "match", run); err != nil {
		return d, err
	}
	d.empty = true
	if err := d.open(ctx, paths, &o.read); err != nil {
		return d, err
	}
	if err := d.resolve(&o.geometry, &o.second); err != nil {
		return d, err
	}
	if err := o.radii(d.geo); err != nil {
		return d, err
	}
	_, err = d.geo.printed(o.unit, "arcsec")
	return d, err
}

// A keptFlag is a flag that was given, and its values.
type keptFlag struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// keptFlags returns the flags that say what is matched.
func keptFlags(fs *pflag.FlagSet) (json.RawMessage, error) {
	notKept := map[string]bool{"output": true, "force": true, "threads": true, "memory": true, "tiles": true, "tile-rows": true, "stage": true, "json": true, "quiet": true, "progress": true}
	kept := []keptFlag{}
	fs.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if s, ok := f.Value.(pflag.SliceValue); ok {
			values = s.GetSlice()
		}
		if !notKept[f.Name] {
			kept = append(kept, keptFlag{f.Name, values})
		}
	})
	return json.Marshal(kept)
}

// mergeMatch merges a match, and writes its table as 'cluster match' does.
func mergeMatch(ctx context.Context, o *mergeOptions, a *app, p *tiles.Plan) error {
	cmd, m, _ := planMatchCommand(a)
	var kept []keptFlag
	if err := json.Unmarshal(p.Flags, &kept); err != nil {
		return fmt.Errorf("the flags in the plan %s are damaged: %w", p.Dir(), err)
	}
	for _, f := range kept {
		for _, v := range f.Values {
			if err := cmd.Flags().Set(f.Name, v); err != nil {
				return fmt.Errorf("the flags in the plan %s are damaged: %w", p.Dir(), err)
			}
		}
	}
	if o.out.output == "" {
		j, err := newJob(a, "merge", &o.run.run)
		if err != nil {
			return err
		}
		if _, err := j.foundMatch(ctx, p); err != nil {
			return err
		}
		return j.finish()
	}
	return writeMatch(ctx, o, a, p, m)
}

// writeMatch writes the table of a merged match.
func writeMatch(ctx context.Context, o *mergeOptions, a *app, p *tiles.Plan, m *matchOptions) error {
	d := &duo{}
	var paths [2][]string
	for i := range paths {
		if err := await(ctx, p.Sets[i].Unchanged); err != nil {
			return err
		}
		paths[i] = p.Sets[i].Names()
	}
	var err error
	if d.job, err = newJob(a, "match", &o.run.run); err != nil {
		return err
	}
	d.empty = true
	if err := d.job.open(ctx, paths[0], &m.read); err != nil {
		return err
	}
	defer d.cat.Close()
	other, err := catalog.Open(ctx, paths[1], catalog.Options{Null: m.read.null, Threads: d.run.count()})
	if err != nil {
		return err
	}
	defer other.Close()
	d.b = &second{cat: other}
	d.also = paths[1]
	if err := d.outputs(&o.out); err != nil {
		return err
	}
	if err := d.resolve(&m.geometry, &m.second); err != nil {
		return err
	}
	if m.chosenJoin, err = match.ParseJoin(m.join.value); err != nil {
		return err
	}
	unit, err := d.geo.printed(m.unit, firstOf(m.radius.unit, "arcsec"))
	if err != nil {
		return err
	}
	found, err := d.foundMatch(ctx, p)
	if err != nil {
		return err
	}
	// Units, filters and scales by rule are those of the rows.
	if err := d.loadBoth(ctx, &m.read, &m.second, "", ""); err != nil {
		return err
	}
	params := d.parametersOf(&m.geometry, &m.read, &m.second)
	m.describe(params, unit)
	per := 1.0
	if d.geo.angle {
		per = radians(unit)
	}
	matches := make([]match.Row, len(found.Pairs))
	for i, f := range found.Pairs {
		matches[i] = match.Row{A: f.A, B: f.B, Distance: f.Distance / per}
	}
	rows := match.Combine(m.chosenJoin, matches, passed(d.sel), passed(d.b.sel))
	m.out = o.out
	if n := float64(len(matches)); n >= large.pairs && m.chosenJoin.Matches() {
		m.announce(ctx, d, matches[:min(len(matches), samplePairs)], n, unit, params.metadata)
	}
	if err := m.write(ctx, d, rows, unit, params.metadata); err != nil {
		return err
	}
	d.sum.Command = "merge"
	d.sum.Result.set("rows", int64(len(rows)))
	return d.finish()
}

// foundMatch merges a match and reports it.
func (j *job) foundMatch(ctx context.Context, p *tiles.Plan) (*tiles.Matches, error) {
	m, err := merged(ctx, j, p.MergeMatch)
	if err != nil {
		return nil, err
	}
	r := &j.sum.Result
	r.set("matches", m.Matches)
	r.set("candidates", m.Candidates)
	r.set("ambiguous_1", m.AmbiguousA)
	r.set("ambiguous_2", m.AmbiguousB)
	return m, nil
}
