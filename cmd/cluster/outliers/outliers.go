// Package outliers is 'cluster outliers', which scores how isolated rows are.
package outliers

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/dbscan"
	"skyjoin/hdbscan"
	"skyjoin/hdbscan/outlier"
	"skyjoin/internal/each"
	"skyjoin/io/table"
	"skyjoin/neighbors"
)

const doc = `outliers IN… --method M -k K -o OUT
outlier scores of rows (LOF, GLOSH, k-distance)

Scores how isolated rows are. --method lof compares the density around a row with
that around its K nearest others: about 1 within clusters, larger for outliers (the
local outlier factor). glosh compares the density at which a row leaves the tree of
'cluster hdbscan' with that of the cluster it leaves: 0 in its core, up to 1. kdist
is the distance to the K-th nearest other row.

The output has all columns and rows of the input, in their order, and the column
lof, glosh or kdist; lof comes with kdistance, too.

Examples:
  # galaxies far from all others
  cluster outliers galaxies.csv -c RA,Dec --method lof -k 20 -o scored.csv --top 10

  # stars that are in no cluster at their density
  cluster outliers gaia.parquet -c ra,dec,pmra,pmdec --scale 0.1deg,0.3,0.3 \
      --method glosh -k 15 -o scored.parquet`

// Options are the flags of the command.
type Options struct {
	job.Flags

	method flags.Choice
	k      flags.Integer
	ties   flags.Choice
	above  flags.Number
	top    flags.Integer
	unit   flags.Choice
}

// New returns the command.
func New(a *job.App) *cobra.Command {
	o := &Options{
		method: flags.NewChoice("lof", "glosh", "kdist"), ties: flags.NewChoice("exact", "ties"),
		k: flags.Integer{Least: 1}, top: flags.Integer{Least: 1},
		unit: flags.Choice{Value: "", Values: flags.AngleUnitNames()},
	}
	cmd := flags.Command(doc, flags.NeedFiles, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	fs := cmd.Flags()
	fs.Var(&o.method, "method", "score")
	fs.VarP(&o.k, "k", "k", "nearest others of lof and kdist; of glosh the smallest cluster, and which nearest row gives the density, itself included")
	fs.Var(&o.ties, "neighbors", "of lof: exactly K, ties by lowest row, or all that are as near as the K-th")
	fs.Var(&o.above, "flag-above", "add the column is_outlier: whether the score is above")
	fs.Var(&o.top, "top", "show the rows of the largest scores")
	o.Geometry.Register(cmd)
	o.Read.Register(fs)
	o.Out.Register(fs, "scored table")
	fs.Var(&o.unit, "unit", "unit of distances on the sky that are written (default arcsec)")
	o.Run.Register(cmd)
	o.Run.GPU.Register(cmd, flags.NearestRows)
	flags.Needs(fs, []string{"flag-above"}, "output")
	flags.Needs(fs, []string{"unit"}, "output", "method=kdist")
	flags.IdleBeside(fs, []string{"unit"}, "method=glosh")
	return cmd
}

// check refuses requests that are wrong for any catalog.
func (o *Options) check() error {
	switch {
	case o.k.Value == 0:
		return exit.Usagef("-k is needed: how many nearest others, as in -k 20")
	case o.method.Value == "glosh" && o.k.Value < 2:
		return exit.Usagef("-k %d: for glosh it is the size of the smallest cluster, at least 2", o.k.Value)
	case o.method.Value != "lof" && o.ties.Value != "exact":
		return exit.Usagef("--neighbors %s: it belongs to --method lof", &o.ties)
	}
	return nil
}

// Run carries out the command.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	if err := o.check(); err != nil {
		return err
	}
	j, err := o.Locate(ctx, a, "outliers", job.Inputs{Paths: paths})
	if err != nil {
		return err
	}
	defer j.Close()
	unit, err := j.Geo.Printed(o.unit, "arcsec")
	if err != nil {
		return err
	}
	if err := j.Load(ctx, "", ""); err != nil {
		return err
	}
	if n := int64(j.Sel.Points.Len()); n > 0 && o.method.Value == "glosh" && o.k.Value > n {
		return exit.Usagef("-k %d: it is more than the %s that can be used", o.k.Value, human.Plural(n, "row", "rows"))
	}
	p := j.Parameters()
	p.Text("method", o.method.Value)
	p.Add("k", o.k.Value, o.k.String())
	if o.method.Value == "lof" {
		p.Text("neighbors", o.ties.Value)
	}
	if o.above.Given {
		p.Number("flag-above", o.above.Value)
	}
	unit = cmp.Or(unit, j.Geo.Unit)
	if o.method.Value == "kdist" { // the scores are distances
		p.Text("unit", unit)
	}
	scores, distances, err := o.score(ctx, j)
	if err != nil {
		return err
	}
	if per := j.PerEdge(unit); per != 1 {
		for i := range distances {
			distances[i] /= per
		}
	}
	if err := o.write(ctx, j, scores, distances, unit); err != nil {
		return err
	}
	o.report(j, scores, unit)
	return j.Finish(ctx)
}

// score returns the scores, and the distances that are to be written in a unit:
// of kdist they are the same.
func (o *Options) score(ctx context.Context, j *job.Job) (scores, distances []float64, err error) {
	defer j.Timed(&j.Sum.Seconds.Join)()
	progress, end := j.Rep.Stages()
	defer end()
	k := int(min(o.k.Value, math.MaxInt))
	err = exit.Do(ctx, func() error {
		return j.On(j.Sel.Points.Len(), func(joiner neighbors.Joiner) error {
			switch o.method.Value {
			case "lof":
				s, err := outlier.LOF(ctx, j.Sel.Points, j.Metric, k, outlier.Options{
					Ties: o.ties.Value == "ties", Joiner: joiner, Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes,
				})
				if err == nil {
					scores, distances = s.LOF, s.KDistance
				}
				return err
			case "glosh":
				tree, err := hdbscan.Build(ctx, j.Sel.Points, j.Metric, hdbscan.Options{
					MinSamples: float64(k), Joiner: joiner, Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes,
					Progress: func(stage hdbscan.Stage, done, total int64) { progress(string(stage), done, total) },
				})
				if err != nil {
					return err
				}
				c, err := tree.Condense(float64(k))
				if err == nil {
					scores = c.Outliers()
				}
				return err
			}
			join := j.Join(progress)
			join.Joiner = joiner
			var err error
			distances, err = dbscan.KDistances(ctx, j.Sel.Points, j.Metric, k, join)
			scores = distances
			return err
		})
	})
	return scores, distances, exit.OverMemory(err)
}

func (o *Options) write(ctx context.Context, j *job.Job, scores, distances []float64, unit string) error {
	defer j.Timed(&j.Sum.Seconds.Write)()
	score := table.Column{Name: o.method.Value, Float64: scores, Rows: j.Sel.Rows, Description: "outlier score"}
	columns := []table.Column{score}
	switch o.method.Value {
	case "kdist":
		columns[0].Unit, columns[0].Description = unit, "distance to the k-th nearest other row"
	case "lof":
		columns[0].Description = "local outlier factor"
		columns = append(columns, table.Column{Name: "kdistance", Float64: distances, Unit: unit, Rows: j.Sel.Rows, Description: "distance to the k-th nearest other row"})
	case "glosh":
		columns[0].Description = "GLOSH outlier score"
	}
	if o.above.Given {
		flagged := each.Of(scores, func(s float64) bool { return s > o.above.Value })
		columns = append(columns, table.Column{Name: "is_outlier", Bool: flagged, Rows: j.Sel.Rows, Description: "whether the score is above " + o.above.String()})
	}
	return j.Append(ctx, columns)
}

// Result is that of the command.
type Result struct {
	scored
	*job.Lengths
	unbounded
	*flagged
	*highest
}

type scored struct {
	Rows   int64        `json:"rows" jsonschema:"rows that were scored"`
	Median report.Float `json:"median" jsonschema:"of the scores"`
	Max    report.Float `json:"max" jsonschema:"of the scores"`
}

type unbounded struct {
	Infinite int64 `json:"infinite" jsonschema:"rows whose score is infinite"`
}

type flagged struct {
	Outliers int64 `json:"outliers" jsonschema:"rows with a score above --flag-above"`
}

type highest struct {
	Top []report.Object `json:"top" jsonschema:"rows of the largest scores: row, and the score by its method"`
}

func (o *Options) report(j *job.Job, scores []float64, unit string) {
	r := &j.Sum.Result
	sorted := slices.Sorted(slices.Values(scores))
	infinite := int64(0)
	for _, s := range scores {
		if math.IsInf(s, 1) {
			infinite++
		}
	}
	if len(sorted) == 0 {
		sorted = []float64{math.NaN()}
	}
	r.Add(scored{int64(len(scores)), report.Float(sorted[len(sorted)/2]), report.Float(sorted[len(sorted)-1])})
	if o.method.Value != "kdist" {
		unit = ""
	}
	j.Unit(unit)
	r.Add(unbounded{infinite})
	if o.above.Given {
		at, _ := slices.BinarySearchFunc(sorted, o.above.Value, func(s, v float64) int { return cmp.Or(cmp.Compare(s, v), -1) })
		r.Add(flagged{int64(len(sorted) - at)})
	}
	if o.top.Value > 0 {
		o.showTop(j, scores, unit)
	}
}

// showTop lists the rows of the largest scores, the lowest row first among equals.
func (o *Options) showTop(j *job.Job, scores []float64, unit string) {
	order := each.To(len(scores), func(i int) int { return i })
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	order = order[:min(int64(len(order)), o.top.Value)]
	rows := j.Rows()
	g := &human.Grid{Right: map[int]bool{0: true, 1: true}}
	head := o.method.Value
	if unit != "" {
		head += " (" + unit + ")"
	}
	g.Add("ROW", head)
	top := make([]report.Object, len(order))
	for i, at := range order {
		top[i].Set("row", rows[at])
		top[i].Set(o.method.Value, scores[at])
		g.Add(human.Commas(rows[at]), strconv.FormatFloat(scores[at], 'g', 6, 64))
	}
	j.Sum.Detail = g
	j.Sum.Result.Add(highest{top})
}
