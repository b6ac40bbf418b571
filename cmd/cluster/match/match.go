// Package match is 'cluster match', which cross-matches two catalogs, or finds groups within one.
package match

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
)

const doc = `match A [B] --radius R -o OUT
cross-match of two catalogs, or groups within one

Finds the rows of two catalogs that are the same objects: those within --radius
of each other, nearest first, no row in two matches (--find best). The table has
row (of A), neighbor (row of B), distance, and the columns of both catalogs,
with the suffixes _1 and _2 where they have the same names; --join says whether
rows without a match are included. With one catalog, rows that are within --radius
of each other, directly or through others, are one group; --action says what to do
with groups. --error-a, --min-radius, and --epoch-a with --epoch apply there, too.

With --error-a or --error-b, the distance of a match is at most the combined error
of the two rows, their sum or --combine quadrature, times --nsigma; --radius, if
given, is a further limit. Positions at different epochs are brought to one epoch
by the proper motions of the catalog that has them. --chance N says how many
matches unrelated catalogs would have.

Examples:
  # the Gaia sources of X-ray sources, all X-ray sources listed
  cluster match xray.csv gaia.parquet --radius 3arcsec --join all1 -o xray-gaia.parquet

  # stars that moved between the epochs, by the proper motions of Gaia
  cluster match gaia.parquet 2mass.csv --radius 0.5arcsec --epoch-a 2016 --epoch-b 2000 -o moved.parquet

  # which rows occur twice?
  cluster match sources.csv --radius 1arcsec --action identify -o groups.csv`

func New(a *job.App) *cobra.Command {
	o := &Options{}
	cmd := flags.Command(doc, flags.NeedOneOrTwo, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	fs := cmd.Flags()
	o.chance = chanceFlags{trials: flags.Integer{Least: 2}, seed: 1}
	o.register(cmd, "which rows are written: the matches, 1and2, and those without one of both catalogs, 1or2, of A, all1, or B, all2; or only those of A, 1not2, or B, 2not1")
	flags.AddChoice(cmd.Flags(), &o.action, "action", "one catalog: number the groups in new columns, keep the first row of each, or none", "identify", "keep1", "keep0")
	fs.Var(&o.chance.trials, "chance", "say how many matches are expected by chance, from the matches of N trials in which B is offset (default none)")
	fs.Var(&o.chance.seed, "seed", "seed of the offsets of --chance")
	flags.Needs(fs, []string{"seed"}, "chance")
	o.registerRows(cmd)
	o.Out.Register(fs, "table of matches")
	o.registerWritten(cmd)
	flags.Needs(fs, []string{"keep", "unit", "action"}, "output")
	flags.ForCatalogs(fs, 2, 2, " belongs to the match of two catalogs, one is named", "find", "join", "k", "chance", "error-b", "error-unit-b", "epoch-b", "pm-b", "unit")
	flags.ForCatalogs(fs, 1, 1, " is for groups within one catalog, two are named", "action")
	o.Run.Register(cmd)
	o.Run.GPU.Register(cmd, flags.OnlyAsked)
	for _, name := range []string{"keep", "error-a", "pm-a"} {
		flags.CompleteColumns(cmd, name)
	}
	return cmd
}

// register registers the flags that say what matches, and which rows are
// written.
func (o *Options) register(cmd *cobra.Command, joins string) {
	fs := cmd.Flags()
	o.k = flags.Integer{Least: 1}
	fs.Var(&o.radius, "radius", "largest distance of a match; on the sky with a unit, as in 1.5arcsec")
	flags.AddChoice(cmd.Flags(), &o.find, "find", "which pairs match: best of both sides, the best for each row of A (best1) or of B (best2), or all", match.Finds()...)
	flags.AddChoice(cmd.Flags(), &o.join, "join", joins, match.Joins()...)
	fs.VarP(&o.k, "k", "k", "only the K nearest rows of B, of those not within --min-radius, can match a row of A")
	fs.Var(&o.least, "min-radius", "smallest distance of a match")
	o.errors.register(cmd)
	o.epochs.register(cmd)
}

// registerRows registers the flags that say what rows are.
func (o *Options) registerRows(cmd *cobra.Command) {
	o.Geometry.Register(cmd)
	o.Second.Register(cmd)
	o.Read.Register(cmd.Flags())
}

// registerWritten registers the flags about what is written of the catalogs.
func (o *Options) registerWritten(cmd *cobra.Command) {
	cmd.Flags().Var(&o.keep, "keep", "columns of either catalog to write (default all)")
	flags.AddOptional(cmd.Flags(), &o.unit, "unit", "unit of written distances on the sky (default that of --radius, else arcsec)", flags.AngleUnitNames()...)
}

// Run matches two catalogs, or finds groups within one.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	if len(paths) == 1 {
		return o.within(ctx, a, paths)
	}
	if o.radius.Text == "" && o.k.Value == 0 && !o.errors.given() {
		return exit.Usagef("--radius is needed, as in --radius 1.5arcsec; or -k, or --error-a and --error-b")
	}
	if o.k.Value > 0 && o.Run.Device.Value == "gpu" {
		return exit.Usagef("--device gpu: the K nearest are found by the CPU; use --device cpu, or auto")
	}
	j, err := o.begin(ctx, a, paths)
	if err != nil {
		return err
	}
	defer j.Close()
	unit, err := j.Geo.Printed(o.unit, cmp.Or(o.radius.Unit, "arcsec"))
	if err != nil {
		return err
	}
	if err := o.epochs.check(j); err != nil {
		return err
	}
	wide, err := o.widest(j)
	if err != nil {
		return err
	}
	if err := j.LoadBeside(ctx, o.errors.a, o.errors.b, wide); err != nil {
		return err
	}
	p := j.Parameters()
	o.describe(p, unit)
	o.chance.describe(p)
	points, err := o.epochs.move(ctx, j)
	if err != nil {
		return err
	}
	opt := match.Options{
		Find: o.chosenFind, Radius: o.searchRadius, Min: o.smallestRadius, K: int(min(o.k.Value, int64(neighbors.MaxRows))),
		Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes,
	}
	j.Joiner = job.Within(j.Joiner, j.Working()/2)
	if err := o.errors.rule(&opt); err != nil {
		return err
	}
	if opt.ErrorA, opt.ErrorB, err = o.errors.radii(j, o.radius); err != nil {
		return err
	}
	o.forecast(ctx, j, points, &opt, unit)
	found, err := cross(ctx, j, points, opt)
	if err != nil {
		return err
	}
	// Rows without a position are rows without a match; what a filter drops is
	// not there.
	rows := match.Combine(o.chosenJoin, catalogRows(j, found.Pairs, unit), columns.Passed(j.Sel), columns.Passed(j.B.Sel))
	reportMatches(j, found, rows)
	found = nil // to have room for what is written
	if err := o.write(ctx, j, rows, unit); err != nil {
		return err
	}
	if err := o.chance.report(ctx, j, points, opt); err != nil {
		return err
	}
	return j.Finish(ctx)
}

// cross runs the match.
func cross(ctx context.Context, j *job.Job, points [2]*neighbors.Points, opt match.Options) (*match.Result, error) {
	phase := j.Rep.Phase("neighbours", int64(points[0].Len()))
	defer phase.End()
	opt.Progress = phase.Add
	return compute(ctx, j, points, opt, func(opt match.Options) (*match.Result, error) {
		if _, onCPU := opt.Joiner.(neighbors.CPU); !onCPU {
			opt.Foresee = nil // on a GPU a sample costs more than it is worth
		}
		return match.Cross(ctx, points[0], points[1], j.Metric, opt)
	})
}

// compute gives work the joiner of its matches.
func compute[T any](ctx context.Context, j *job.Job, points [2]*neighbors.Points, opt match.Options, work func(match.Options) (T, error)) (T, error) {
	defer j.Timed(&j.Sum.Seconds.Join)()
	on := func(joiner neighbors.Joiner) (T, error) {
		opt := opt
		opt.Joiner = joiner
		return work(opt)
	}
	if opt.K == 0 {
		return job.Compute(ctx, j, max(points[0].Len(), points[1].Len()), on)
	}
	result, err := exit.Await(ctx, func() (T, error) { return on(j.Joiner) }) // the nearest are found by the CPU
	return result, exit.OverMemory(err)
}

// reportMatches says what was found.
func reportMatches(j *job.Job, found *match.Result, rows []match.Row) {
	matched := [2]int64{}
	seen := [2][]bool{make([]bool, j.Sel.Points.Len()), make([]bool, j.B.Sel.Points.Len())}
	for _, p := range found.Pairs {
		for side, row := range [2]uint32{p.A, p.B} {
			if !seen[side][row] {
				seen[side][row] = true
				matched[side]++
			}
		}
	}
	r := &j.Sum.Result
	r.Add(matches{int64(len(found.Pairs)), found.Candidates, found.AmbiguousA, found.AmbiguousB})
	r.Add(unmatched{j.Sel.Total - j.Sel.Filtered - matched[0], j.B.Sel.Total - j.B.Sel.Filtered - matched[1]})
	r.Add(written{int64(len(rows))})
}
