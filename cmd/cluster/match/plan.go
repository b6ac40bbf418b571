package match

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/internal/each"
	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
	"skyjoin/tiles"
)

const planDoc = `match A B --radius R --tiles N -o PLAN
a cross-match in tiles

` + tiled.PlanLong + `

Examples:
  # two surveys of the whole sky in 200 tiles
  cluster plan match gaia/ survey/ --radius 1arcsec --join all2 --tiles 200 -o plan/
  cluster submit plan/
  cluster merge plan/ -o matched.parquet`

// Tiled is the cross-match in tiles.
var Tiled = tiled.Command{
	Name: "match",
	Plan: func(a *job.App) *cobra.Command {
		cmd, _ := planCommand(a)
		return cmd
	},
	Merge: merge,
}

func planCommand(a *job.App) (*cobra.Command, *Options) {
	o, f := &Options{}, &tiled.Flags{}
	cmd := flags.Command(planDoc, func(cmd *cobra.Command, args []string) error {
		if len(args) != 2 {
			return exit.Usagef("two catalogs are needed, %d are named; usage: %s", len(args), cmd.UseLine())
		}
		return nil
	}, func(cmd *cobra.Command, args []string) error {
		kept, err := keptFlags(cmd.Flags())
		if err != nil {
			return err
		}
		return plan(cmd.Context(), a, o, f, kept, args)
	})
	o.register(cmd, "which rows are written, see 'cluster match --help'")
	for _, name := range []string{"epoch-a", "epoch-b", "epoch", "pm-a", "pm-b"} {
		cmd.Flags().MarkHidden(name) // to be refused in a sentence; the flag is there, err would be a bug
	}
	o.registerRows(cmd)
	o.registerWritten(cmd)
	f.Register(cmd, &o.Run)
	return cmd, o
}

// plan plans the match. The flags are kept in the plan, for the merge.
func plan(ctx context.Context, a *job.App, o *Options, f *tiled.Flags, kept json.RawMessage, paths []string) error {
	if err := f.Check(); err != nil {
		return err
	}
	switch {
	case o.radius.Text == "" && o.k.Value > 0 && !o.errors.given():
		return exit.Usagef("-k %d: --radius is needed too, as in --radius 1.5arcsec: it, or errors, bound how far a tile has to look", o.k.Value)
	case o.radius.Text == "" && !o.errors.given():
		return exit.Usagef("--radius is needed, as in --radius 1.5arcsec; or --error-a and --error-b")
	case o.epochs.given():
		return exit.Usagef("--epoch-a, --epoch and --pm-a cannot be planned: tiles are cut by the positions in the files; --let with -c makes positions of another epoch")
	}
	j, err := o.begin(ctx, a, paths)
	if err != nil {
		return err
	}
	defer j.Close()
	if _, err = j.Geo.Printed(o.unit, "arcsec"); err != nil {
		return err
	}
	p, err := tiled.Plan(ctx, j, "match", o.errors.a, o.errors.b)
	if err != nil {
		return err
	}
	errors, err := o.errors.units(j, o.radius)
	if err != nil {
		return err
	}
	p.Flags, p.Metadata = kept, j.Params.Metadata
	p.Match = &tiles.Match{
		Find: o.find.Value, Min: o.smallestRadius, Radius: o.searchRadius, K: int(min(o.k.Value, int64(neighbors.MaxRows))),
		ErrorA: errors[0], ErrorB: errors[1], Sigmas: o.errors.sigmas.Value,
	}
	if o.errors.combine.Value != match.Sum.String() {
		p.Match.Combine = o.errors.combine.Value
	}
	if err := try(ctx, p.Match); err != nil {
		return err
	}
	return f.Make(ctx, j, p)
}

// try matches no rows, which refuses impossible radii.
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

// A keptFlag is a flag that was given, and its values.
type keptFlag struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// keptFlags returns the flags that say what is matched.
func keptFlags(fs *pflag.FlagSet) (json.RawMessage, error) {
	notKept := map[string]bool{"output": true, "force": true, "threads": true, "memory": true, "tiles": true, "tile-rows": true, "stage": true, "json": true, "quiet": true, "progress": true, "log-format": true, "config": true}
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

// merge merges a match, and writes its table as 'cluster match' does.
func merge(ctx context.Context, j *job.Job, p *tiles.Plan) error {
	cmd, o := planCommand(nil)
	var kept []keptFlag
	err := json.Unmarshal(p.Flags, &kept)
	for _, f := range kept {
		for _, v := range f.Values {
			err = exit.First(err, cmd.Flags().Set(f.Name, v))
		}
	}
	if err != nil {
		return fmt.Errorf("the flags in the plan %s are damaged: %w", p.Dir(), err)
	}
	if j.Out.Output == "" {
		_, err := found(ctx, j, p)
		return err
	}
	o.Run, o.Out = j.Run, j.Out
	j.Flags = &o.Flags
	return o.writeMerged(ctx, j, p)
}

// writeMerged writes the table of a merged match.
func (o *Options) writeMerged(ctx context.Context, j *job.Job, p *tiles.Plan) (err error) {
	for i := range p.Sets {
		if err := exit.Do(ctx, p.Sets[i].Unchanged); err != nil {
			return err
		}
	}
	j.Read.Empty, j.Params = true, report.NewParameters(j.Sum, p.Command)
	j.TakeLine(p.Metadata)
	if err := j.Open(ctx, p.Sets[0].Names(), p.Sets[1].Names()); err != nil {
		return err
	}
	if err := j.Outputs(&o.Out); err != nil {
		return err
	}
	if err := j.Resolve(); err != nil {
		return err
	}
	if o.chosenJoin, err = match.ParseJoin(o.join.Value); err != nil {
		return err
	}
	unit, err := j.Geo.Printed(o.unit, cmp.Or(o.radius.Unit, "arcsec"))
	if err != nil {
		return err
	}
	found, err := found(ctx, j, p)
	if err != nil {
		return err
	}
	// Units, filters and scales by rule are those of the rows.
	if err := j.LoadSides(ctx, "", ""); err != nil {
		return err
	}
	o.describe(j.Parameters(), unit)
	matches := each.Of(found.Pairs, func(f tiles.Pair) match.Row { return match.Row{A: f.A, B: f.B, Distance: f.Distance / j.PerEdge(unit)} })
	rows := match.Combine(o.chosenJoin, matches, columns.Passed(j.Sel), columns.Passed(j.B.Sel))
	if n := float64(len(matches)); n >= job.Large.Pairs && o.chosenJoin.Matches() {
		o.announce(ctx, j, matches[:min(len(matches), job.SamplePairs)], n, unit)
	}
	if err := o.write(ctx, j, rows, unit); err != nil {
		return err
	}
	j.Sum.Result.Add(written{int64(len(rows))})
	return nil
}

// found merges a match and reports it.
func found(ctx context.Context, j *job.Job, p *tiles.Plan) (*tiles.Matches, error) {
	m, err := tiled.Merged(ctx, j, p, p.MergeMatch)
	if err != nil {
		return nil, err
	}
	j.Sum.Result.Add(matches{m.Matches, m.Candidates, m.AmbiguousA, m.AmbiguousB})
	return m, nil
}
