package match

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
	"skyjoin/tiles"
)

const planMatchExample = `  # two surveys of the whole sky in 200 tiles
  cluster plan match gaia/ survey/ --radius 1arcsec --join all2 --tiles 200 -o plan/
  cluster submit plan/
  cluster merge plan/ -o matched.parquet`

// Tiled is the cross-match in tiles.
var Tiled = tiled.Command{
	Name: "match",
	Plan: newPlanMatch,
	Found: func(ctx context.Context, j *job.Job, p *tiles.Plan) error {
		_, err := foundMatch(ctx, j, p)
		return err
	},
	Write: mergeMatch,
}

func newPlanMatch(a *job.App) *cobra.Command {
	cmd, _, _ := planMatchCommand(a)
	return cmd
}

func planMatchCommand(a *job.App) (*cobra.Command, *matchOptions, *tiled.Flags) {
	o := &matchOptions{k: flags.Integer{Least: 1}, unit: flags.Choice{Value: "", Values: flags.AngleUnitNames()}}
	f := &tiled.Flags{}
	cmd := &cobra.Command{
		Use:     "match A B --radius R --tiles N -o PLAN",
		Short:   "a cross-match in tiles",
		Long:    tiled.PlanLong,
		Example: planMatchExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return exit.Usagef("two catalogs are needed, %d are named; usage: %s", len(args), cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.planMatch(cmd.Context(), a, f, cmd.Flags(), args)
		},
	}
	fs := cmd.Flags()
	fs.Var(&o.radius, "radius", "largest distance of a match; on the sky with a unit, as in 1.5arcsec")
	o.find = flags.NewChoice(match.Finds()...)
	fs.Var(&o.find, "find", "which pairs match: best of both sides, the best for each row of A (best1) or of B (best2), or all")
	o.join = flags.NewChoice(match.Joins()...)
	fs.Var(&o.join, "join", "which rows are written, see 'cluster match --help'")
	fs.VarP(&o.k, "k", "k", "only the K nearest rows of B can match a row of A")
	fs.Var(&o.least, "min-radius", "smallest distance of a match")
	o.errors.register(cmd)
	o.epochs.register(cmd)
	for _, name := range []string{"epoch-a", "epoch-b", "epoch", "pm-a", "pm-b"} {
		cmd.Flags().MarkHidden(name) // to be refused in a sentence; the flag is there, err would be a bug
	}
	o.geometry.Register(cmd)
	o.second.Register(cmd)
	o.read.Register(fs)
	fs.Var(&o.keep, "keep", "columns of either catalog to write (default all)")
	fs.Var(&o.unit, "unit", "unit of written distances on the sky (default that of --radius, else arcsec)")
	f.Register(cmd)
	return cmd, o, f
}

// planMatch plans the match. The flags are kept in the plan, for the merge.
func (o *matchOptions) planMatch(ctx context.Context, a *job.App, f *tiled.Flags, fs *pflag.FlagSet, paths []string) error {
	if err := f.Check(); err != nil {
		return err
	}
	d, err := o.beginPlanned(ctx, a, &f.Run, paths)
	defer d.Close()
	if err != nil {
		return err
	}
	if d.Geo.ByRule() {
		if err := d.Job.Load(ctx, &o.read, ""); err != nil {
			return err
		}
	}
	var points *neighbors.Points
	if d.Sel != nil {
		points = d.Sel.Points
		d.Sum.Input = report.NewInput()
	}
	scales, _, err := d.Geo.ScaleValues(points)
	if err != nil {
		return err
	}
	flags, err := keptFlags(fs)
	if err != nil {
		return err
	}
	setA, setB := tiled.SetOf(d.Geo, d.Cat, &o.read, o.errors.a), tiled.SetOf(d.B.Geo, d.B.Cat, &o.read, o.errors.b)
	setB.Where = o.second.Where
	rule := &tiles.Match{Find: o.find.Value, Min: o.smallestRadius, Radius: o.searchRadius, K: int(min(o.k.Value, int64(neighbors.MaxRows)))}
	if rule.ErrorA, rule.ErrorB, err = o.errors.units(d, o.radius); err != nil {
		return err
	}
	if err := try(ctx, rule); err != nil {
		return err
	}
	p := &tiles.Plan{
		Command: "match",
		Sets:    []tiles.Set{setA, setB},
		Metric:  tiled.MetricOf(d.Geo, scales),
		Match:   rule,
		Flags:   flags,
	}
	d.Sum.Command = "plan match"
	return f.Make(ctx, d.Job, p, []*catalog.Catalog{d.Cat, d.B.Cat})
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
func (o *matchOptions) beginPlanned(ctx context.Context, a *job.App, run *flags.Run, paths []string) (*job.Duo, error) {
	d := &job.Duo{Job: &job.Job{}}
	switch {
	case o.radius.Text == "" && o.k.Value > 0 && !o.errors.given():
		return d, exit.Usagef("-k %d: --radius is needed too, as in --radius 1.5arcsec: it, or errors, bound how far a tile has to look", o.k.Value)
	case o.radius.Text == "" && !o.errors.given():
		return d, exit.Usagef("--radius is needed, as in --radius 1.5arcsec; or --error-a and --error-b")
	case o.epochs.given():
		return d, exit.Usagef("--epoch-a, --epoch and --pm-a cannot be planned: tiles are cut by the positions in the files; --let with -c makes positions of another epoch")
	}
	var err error
	if o.chosenJoin, err = match.ParseJoin(o.join.Value); err != nil {
		return d, err
	}
	if d.Job, err = job.New(a, "match", run); err != nil {
		return d, err
	}
	d.Empty = true
	if err := d.Open(ctx, paths, &o.read); err != nil {
		return d, err
	}
	if err := d.Resolve(&o.geometry, &o.second); err != nil {
		return d, err
	}
	if err := o.radii(d.Geo); err != nil {
		return d, err
	}
	_, err = d.Geo.Printed(o.unit, "arcsec")
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
func mergeMatch(ctx context.Context, o *tiled.Merge, a *job.App, p *tiles.Plan) error {
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
	if o.Out.Output == "" {
		j, err := job.New(a, "merge", &o.Run.Run)
		if err != nil {
			return err
		}
		if _, err := foundMatch(ctx, j, p); err != nil {
			return err
		}
		return j.Finish()
	}
	return writeMatch(ctx, o, a, p, m)
}

// writeMatch writes the table of a merged match.
func writeMatch(ctx context.Context, o *tiled.Merge, a *job.App, p *tiles.Plan, m *matchOptions) error {
	d := &job.Duo{}
	var paths [2][]string
	for i := range paths {
		if err := exit.Await(ctx, p.Sets[i].Unchanged); err != nil {
			return err
		}
		paths[i] = p.Sets[i].Names()
	}
	var err error
	if d.Job, err = job.New(a, "match", &o.Run.Run); err != nil {
		return err
	}
	d.Empty = true
	if err := d.Job.Open(ctx, paths[0], &m.read); err != nil {
		return err
	}
	defer d.Cat.Close()
	other, err := catalog.Open(ctx, paths[1], catalog.Options{Null: m.read.Null, Threads: d.Run.Count()})
	if err != nil {
		return err
	}
	defer other.Close()
	d.B = &job.Second{Cat: other}
	if err := exit.First(d.Reads(paths[1]...), d.Outputs(&o.Out)); err != nil {
		return err
	}
	if err := d.Resolve(&m.geometry, &m.second); err != nil {
		return err
	}
	if m.chosenJoin, err = match.ParseJoin(m.join.Value); err != nil {
		return err
	}
	unit, err := d.Geo.Printed(m.unit, human.FirstOf(m.radius.Unit, "arcsec"))
	if err != nil {
		return err
	}
	found, err := foundMatch(ctx, d.Job, p)
	if err != nil {
		return err
	}
	// Units, filters and scales by rule are those of the rows.
	if err := d.LoadBoth(ctx, &m.read, &m.second, "", ""); err != nil {
		return err
	}
	params := d.ParametersOf(&m.geometry, &m.read, &m.second)
	m.describe(params, unit)
	per := 1.0
	if d.Geo.Angle {
		per = flags.Radians(unit)
	}
	matches := make([]match.Row, len(found.Pairs))
	for i, f := range found.Pairs {
		matches[i] = match.Row{A: f.A, B: f.B, Distance: f.Distance / per}
	}
	rows := match.Combine(m.chosenJoin, matches, columns.Passed(d.Sel), columns.Passed(d.B.Sel))
	m.out = o.Out
	if n := float64(len(matches)); n >= job.Large.Pairs && m.chosenJoin.Matches() {
		m.announce(ctx, d, matches[:min(len(matches), job.SamplePairs)], n, unit, params.Metadata)
	}
	if err := m.write(ctx, d, rows, unit, params.Metadata); err != nil {
		return err
	}
	d.Sum.Command = "merge"
	d.Sum.Result.Set("rows", int64(len(rows)))
	return d.Finish()
}

// foundMatch merges a match and reports it.
func foundMatch(ctx context.Context, j *job.Job, p *tiles.Plan) (*tiles.Matches, error) {
	m, err := tiled.Merged(ctx, j, p.MergeMatch)
	if err != nil {
		return nil, err
	}
	r := &j.Sum.Result
	r.Set("matches", m.Matches)
	r.Set("candidates", m.Candidates)
	r.Set("ambiguous_1", m.AmbiguousA)
	r.Set("ambiguous_2", m.AmbiguousB)
	return m, nil
}
