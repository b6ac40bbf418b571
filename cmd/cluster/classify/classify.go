// Package classify is 'cluster classify', which predicts classes or values from the nearest training rows.
package classify

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
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/knnclass"
	"skyjoin/neighbors"
)

const classifyLong = `Predicts the class (--label) or the value (--regress) of every row of QUERY from
the K nearest training rows: their majority, or their mean. A tie goes to the
class whose rows have the smaller sum of distances, then to that of the nearest
row, and is flagged. The output is QUERY with the columns predicted, and for
classes probability (the share of the votes) and tie. Where QUERY has the label
itself, predictions are scored.

With --cv the training rows are predicted by each other: in N parts, each by the
rest, or one by one (loo). -k may then be a range, of which the best is taken.`

const classifyExample = `  # how good is it, and which k?
  cluster classify --train pulsars.csv --label class --features meanprof,skewness-prof,meandmsnr \
      --scale standard -k 1-25 --cv 10

  # the classes of new candidates, with the rows that each follows from
  cluster classify --train pulsars.csv --label class --features meanprof,skewness-prof,meandmsnr \
      --scale standard -k 5 new.csv -o classified.csv --explain why.csv

  # redshifts from colours
  cluster classify --train galaxies.parquet --regress z --features u_g,g_r,r_i,i_z --vote distance -k 10 \
      survey.parquet -o z.parquet`

type classifyOptions struct {
	run      flags.Run
	read     flags.Read
	geometry geometry.Flags
	out      flags.Output

	train, whereTrain string
	label, regress    string
	weights           string
	columns           flags.List
	k                 kRange
	radius            flags.Length
	vote              flags.Choice
	cv                folds
	seed              uint64
	probabilities     bool
	explain           string
	plotScores        string
}

func New(a *job.App) *cobra.Command {
	o := &classifyOptions{}
	cmd := &cobra.Command{
		Use:     "classify --train T --label COL --features C,… -k K [QUERY…] -o OUT",
		Short:   "KNN classification and regression",
		Long:    classifyLong,
		Example: classifyExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				err := flags.RefuseGiven(cmd.Flags(), "is about a QUERY catalog, none is named; of training rows there are --where-train and --train FILE[HDU]", "output", "explain", "probabilities", "columns", "where", "hdu")
				if err != nil {
					return err
				}
			}
			return o.execute(cmd.Context(), a, args)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.train, "train", "", "training catalog: a `file`")
	fs.StringVar(&o.label, "label", "", "`column` of the classes: text or integers")
	fs.StringVar(&o.regress, "regress", "", "`column` of values to predict, instead of --label")
	fs.Var(&o.geometry.Columns, "features", "columns to compare rows by")
	fs.VarP(&o.k, "k", "k", "how many neighbours vote, as in 5; with --cv also a range, as in 1-25")
	fs.Var(&o.radius, "radius", "instead of -k, all neighbours within it vote; rows without one get no class")
	o.vote = flags.NewChoice(knnclass.Votes()...)
	fs.Var(&o.vote, "vote", "what a neighbour at distance d counts: 1, or 1/d")
	o.geometry.Metric = flags.Choice{Value: "", Values: []string{"euclidean", "sky"}} // there is no --box
	fs.Var(&o.geometry.Scale, "scale", "divide every feature by its scale in the training rows: none, standard (deviation), minmax, or a list of numbers")
	fs.Var(&o.cv, "cv", "cross-validate the training rows: in N parts, or loo, each by all others")
	fs.StringVar(&o.explain, "explain", "", "table of the neighbours behind each prediction: a `file`")
	fs.BoolVar(&o.probabilities, "probabilities", false, "a column for the probability of each class, p_CLASS")
	fs.StringVar(&o.weights, "weights", "", "`column` of weights of the training rows, which multiply votes")
	fs.VarP(&o.columns, "columns", "c", "features of QUERY, where its names differ")
	fs.Var(&o.geometry.Metric, "metric", "how distances are measured (default: sky when the features are RA and Dec, else euclidean)")
	fs.StringVar(&o.whereTrain, "where-train", "", "row filter of the training catalog: an `expression`")
	o.read.Register(fs)
	o.out.Register(fs, "QUERY with predictions")
	o.out.RegisterPlot(fs, "confusion matrix, or the curve of scores of --regress")
	fs.StringVar(&o.plotScores, "plot-scores", "", "curve of the scores that -k was chosen by: a .png, .svg or .pdf `file`")
	fs.Uint64Var(&o.seed, "seed", 0, "`number` that the parts of --cv follow from")
	flags.Needs(fs, []string{"probabilities"}, "output")
	flags.Needs(fs, []string{"seed"}, "cv=N")
	o.run.Register(cmd)
	o.run.GPU.Register(cmd, flags.OnlyAsked)
	flags.Complete(cmd, "vote", o.vote.Values)
	flags.Complete(cmd, "scale", []string{"none", geometry.ScaleStandard, geometry.ScaleMinMax})
	return cmd
}

// check refuses what cannot be right before anything is read.
func (o *classifyOptions) check(query bool) error {
	switch {
	case o.train == "":
		return exit.Usagef("--train is needed: the catalog to learn from")
	case o.label == "" && o.regress == "":
		return exit.Usagef("--label is needed: the column of the classes; or --regress, the column of values")
	case o.label != "" && o.regress != "":
		return exit.Usagef("--label %s and --regress %s: one of them says what is predicted", o.label, o.regress)
	case len(o.geometry.Columns) == 0:
		return exit.Usagef("--features is needed: the columns to compare rows by, as in --features bp_rp,phot_g_mean_mag")
	case o.k.text == "" && o.radius.Text == "":
		return exit.Usagef("-k is needed: how many neighbours vote, as in -k 5; or --radius")
	case o.k.text != "" && o.radius.Text != "":
		return exit.Usagef("-k %s and --radius %s: one of them says who votes", o.k.text, o.radius.Text)
	case o.cv.text == "" && o.k.low != o.k.high:
		return exit.Usagef("-k %s: choosing from a range needs --cv, as in --cv 10", o.k.text)
	case o.cv.parts > 0 && o.radius.Text != "":
		return exit.Usagef("--cv %s with --radius: use --cv loo, or -k", o.cv.text)
	case o.cv.text == "" && !query:
		return exit.Usagef("a QUERY catalog is needed, or --cv to score the training rows")
	case o.probabilities && o.regress != "":
		return exit.Usagef("--probabilities are of classes, --regress predicts values")
	}
	if o.plotScores != "" && o.k.low == o.k.high {
		return exit.Usagef("--plot-scores %s: there is a curve of scores when -k is a range, as in -k 1-25 --cv 10", o.plotScores)
	}
	if len(o.out.Plots) > 0 && o.regress != "" && o.k.low == o.k.high {
		return exit.Usagef("--plot %s: of values there is a curve of scores when -k is a range, as in -k 1-25 --cv 10", o.out.Plots[0])
	}
	return o.out.With(o.plotScores).Check(o.run.JSON, o.explain)
}

func (o *classifyOptions) execute(ctx context.Context, a *job.App, paths []string) error {
	if err := o.check(len(paths) > 0); err != nil {
		return err
	}
	j, err := job.New(a, "classify", &o.run)
	if err != nil {
		return err
	}
	if err := j.Reads(o.train); err != nil {
		return err
	}
	if len(paths) > 0 {
		if err := j.Open(ctx, paths, &o.read); err != nil {
			return err
		}
		defer j.Cat.Close()
		if err := j.Outputs(o.out.With(o.plotScores), o.explain); err != nil {
			return err
		}
	} else if err := j.Outputs(&flags.Output{Plots: o.out.With(o.plotScores).Plots, Force: o.out.Force}); err != nil {
		return err
	}
	t, err := o.learn(ctx, j)
	if err != nil {
		return err
	}
	opt := knnclass.Options{K: o.k.high, Joiner: j.Joiner, Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes, Probabilities: o.probabilities}
	if opt.Vote, err = knnclass.ParseVote(o.vote.Value); err != nil {
		return err
	}
	if o.radius.Text != "" {
		if opt.Radius, err = t.geo.Radius("--radius", o.radius); err != nil {
			return err
		}
	}
	var score *scored
	if o.cv.text != "" {
		if score, err = o.crossValidate(ctx, j, t, opt); err != nil {
			return err
		}
		opt.K = score.k
	}
	if len(paths) == 0 {
		if err := o.draw(ctx, j, score, score); err != nil {
			return err
		}
		o.describe(report.NewParameters(j.Sum), t, opt)
		j.Sum.Input.Took(t.files, t.sel)
		score.report(&j.Sum.Result, t)
		score.show(j.Sum)
		return j.Finish()
	}
	return o.predict(ctx, j, t, opt, score)
}

// predict predicts the rows of the query.
func (o *classifyOptions) predict(ctx context.Context, j *job.Job, t *trainingSet, opt knnclass.Options, score *scored) (err error) {
	query, err := t.queryFlags(&o.geometry, o.columns)
	if err != nil {
		return err
	}
	if j.Geo, err = query.Resolve(j.Cat); err != nil {
		return fmt.Errorf("%w; --columns names the features of the query", err)
	}
	if answer := human.FirstOf(o.label, o.regress); len(o.out.Plots) > 0 && o.cv.text == "" && !geometry.HasColumns(j.Cat, []string{answer}) {
		return exit.Usagef("--plot %s: the query has no column %s to compare predictions with, and there is no --cv", o.out.Plots[0], answer)
	}
	if a, b := len(t.geo.Columns), len(j.Geo.Columns); a != b {
		return exit.Usagef("--columns %s: %d columns, there are %d features", &o.columns, b, a)
	}
	if _, j.Scale, err = j.Geo.Scaled(t.points); err != nil {
		return err
	}
	training := report.NewInput()
	training.Title = "training"
	training.Took(t.files, t.sel)
	j.Sum.InputB = &training
	p := j.Parameters(&query, &o.read)
	o.describe(p, t, opt)
	run, err := o.newPredictor(j, t, opt)
	if err != nil {
		return err
	}
	err = j.On(int(min(j.Cat.Rows(), math.MaxInt)), func(joiner neighbors.Joiner) error {
		return run.write(ctx, joiner, p.Metadata)
	})
	if err != nil {
		return exit.OverMemory(err)
	}
	j.Sum.Input.Counted(j.Cat.Files(), run.tally)
	return o.report(ctx, j, run, score)
}

// describe writes the parameters.
func (o *classifyOptions) describe(p *report.Parameters, t *trainingSet, opt knnclass.Options) {
	p.Text("train", o.train)
	if o.label != "" {
		p.Text("label", o.label)
	} else {
		p.Text("regress", o.regress)
	}
	p.List("features", o.geometry.Columns)
	p.Text("training-scale", t.scale)
	if opt.Radius != 0 {
		p.Length("radius", o.radius)
	} else {
		p.Add("k", int64(opt.K), strconv.Itoa(opt.K))
	}
	p.Text("vote", o.vote.Value)
	if o.weights != "" {
		p.Text("weights", o.weights)
	}
	if o.cv.text != "" {
		p.Text("cv", o.cv.text)
		p.Add("seed", o.seed, strconv.FormatUint(o.seed, 10))
	}
}

// A kRange is a number of neighbours, or a range to choose from.
type kRange struct {
	low, high int
	text      string
}

func (r *kRange) String() string { return r.text }

func (r *kRange) Type() string { return "int|range" }

func (r *kRange) Set(s string) error {
	low, high, isRange := strings.Cut(s, "-")
	if !isRange {
		high = low
	}
	a, errA := strconv.ParseInt(strings.TrimSpace(low), 10, 64)
	b, errB := strconv.ParseInt(strings.TrimSpace(high), 10, 64)
	switch {
	case errA != nil || errB != nil:
		return fmt.Errorf("not a whole number, or a range as in 1-25")
	case a < 1:
		return fmt.Errorf("it must be at least 1")
	case b < a:
		return fmt.Errorf("the range ends before it begins")
	case b-a >= mostKs:
		return fmt.Errorf("the range has more than %d numbers", mostKs)
	}
	*r = kRange{int(min(a, math.MaxInt32)), int(min(b, math.MaxInt32)), s}
	return nil
}

// mostKs bounds a range: the predictions of each k are held.
const mostKs = 200

// all returns the numbers of the range.
func (r *kRange) all() []int {
	var ks []int
	for k := r.low; k <= r.high; k++ {
		ks = append(ks, k)
	}
	return ks
}

// A folds is how training rows are divided for cross-validation.
type folds struct {
	parts int // 0 for leave-one-out
	text  string
}

func (f *folds) String() string { return f.text }

func (f *folds) Type() string { return "N|loo" }

// Kind is N of a number of parts.
func (f *folds) Kind() string {
	if f.parts > 0 {
		return "N"
	}
	return f.text
}

func (f *folds) Set(s string) error {
	if s == "loo" {
		*f = folds{text: s}
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 2 {
		return fmt.Errorf("it must be a number of parts, at least 2, or loo")
	}
	*f = folds{n, s}
	return nil
}

// metricOf returns the metric with the scales that a set of training rows has.
func metricOf(g *geometry.Geometry) func(train *neighbors.Points) (neighbors.Metric, error) {
	return func(train *neighbors.Points) (neighbors.Metric, error) {
		m, _, err := g.Scaled(train)
		return m, err
	}
}
