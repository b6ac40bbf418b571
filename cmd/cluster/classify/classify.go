// Package classify is 'cluster classify', which predicts classes or values from the nearest training rows.
package classify

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/knnclass"
	"skyjoin/neighbors"
)

const doc = `classify --train T --label COL --features C,… -k K [QUERY…] -o OUT
KNN classification and regression

Predicts the class (--label) or the value (--regress) of every row of QUERY from
the K nearest training rows: their majority, or their mean. A tie goes to the
class whose rows have the smaller sum of distances, then to that of the nearest
row, and is flagged. The output is QUERY with the columns predicted, and for
classes probability (the share of the votes) and tie. Where QUERY has the label
itself, predictions are scored.

With --cv the training rows are predicted by each other: in N parts, each by the
rest, or one by one (loo). -k may then be a range, the best of which is used.

Examples:
  # how good is it, and which k?
  cluster classify --train pulsars.csv --label class --features meanprof,skewness-prof,meandmsnr \
      --scale standard -k 1-25 --cv 10

  # the classes of new candidates, with the rows that each is based on
  cluster classify --train pulsars.csv --label class --features meanprof,skewness-prof,meandmsnr \
      --scale standard -k 5 new.csv -o classified.csv --explain why.csv

  # redshifts from colours
  cluster classify --train galaxies.parquet --regress z --features u_g,g_r,r_i,i_z --vote distance -k 10 \
      survey.parquet -o z.parquet`

func New(a *job.App) *cobra.Command {
	o := &Options{}
	cmd := flags.Command(doc, cobra.ArbitraryArgs, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	fs := cmd.Flags()
	fs.StringVar(&o.train, "train", "", "training catalog: a `file`")
	fs.StringVar(&o.label, "label", "", "`column` of the classes: text or whole numbers")
	fs.StringVar(&o.regress, "regress", "", "`column` of values to predict, instead of --label")
	fs.Var(&o.Geometry.Columns, "features", "columns to compare rows by")
	fs.VarP(&o.k, "k", "k", "how many neighbours vote, as in 5; with --cv also a range, as in 1-25")
	fs.Var(&o.radius, "radius", "instead of -k, all neighbours within it vote; rows without one get no class")
	flags.AddChoice(fs, &o.vote, "vote", "what a neighbour at distance d counts: 1, or 1/d", knnclass.Votes()...)
	fs.Var(&o.Geometry.Scale, "scale", "divide every feature by its scale in the training rows: none, standard (deviation), minmax, robust (interquartile range), or a list of numbers")
	fs.Var(&o.cv, "cv", "cross-validate the training rows: in N parts, or loo, each by all others")
	fs.StringVar(&o.explain, "explain", "", "table of the neighbours behind each prediction: a `file`")
	fs.BoolVar(&o.probabilities, "probabilities", false, "a column for the probability of each class, p_CLASS")
	fs.StringVar(&o.weights, "weights", "", "`column` of weights of the training rows, which multiply votes")
	fs.VarP(&o.columns, "columns", "c", "features of QUERY, where its names differ")
	flags.AddOptional(fs, &o.Geometry.Metric, "metric", "how distances are measured (default: sky when the features are RA and Dec, else euclidean)", geometry.BoxlessMetrics()...)
	flags.AddFilter(fs, &o.whereTrain, "where-train", "row filter of the training catalog: an `expression`")
	o.Read.Register(fs)
	o.Out.Register(fs, "QUERY with predictions")
	o.Out.RegisterPlot(fs, "confusion matrix, or the curve of scores of --regress")
	fs.StringVar(&o.plotScores, "plot-scores", "", "curve of the scores that -k was chosen by: a .png, .svg or .pdf `file`")
	fs.Uint64Var(&o.seed, "seed", 0, "`number` that seeds the random parts of --cv")
	flags.Needs(fs, []string{"probabilities"}, "output")
	flags.ForCatalogs(fs, 1, math.MaxInt, " is about a QUERY catalog, none is named; of training rows there is --where-train", "output", "explain", "probabilities", "columns", "where")
	flags.Needs(fs, []string{"seed"}, "cv=N")
	o.Run.Register(cmd)
	o.Run.GPU.Register(cmd, flags.OnlyAsked)
	return cmd
}

// check refuses invalid requests before anything is read.
func (o *Options) check(query bool) error {
	switch {
	case o.train == "":
		return exit.Usagef("--train is needed: the catalog to learn from")
	case o.label == "" && o.regress == "":
		return exit.Usagef("--label is needed: the column of the classes; or --regress, the column of values")
	case o.label != "" && o.regress != "":
		return exit.Usagef("--label %s and --regress %s: give one of them", o.label, o.regress)
	case len(o.Geometry.Columns) == 0:
		return exit.Usagef("--features is needed: the columns to compare rows by, as in --features bp_rp,phot_g_mean_mag")
	case o.k.text == "" && o.radius.Text == "":
		return exit.Usagef("-k is needed: how many neighbours vote, as in -k 5; or --radius")
	case o.k.text != "" && o.radius.Text != "":
		return exit.Usagef("-k %s and --radius %s: give one of them", o.k.text, o.radius.Text)
	case o.cv.text == "" && o.k.low != o.k.high:
		return exit.Usagef("-k %s: choosing from a range needs --cv, as in --cv 10", o.k.text)
	case o.cv.parts > 0 && o.radius.Text != "":
		return exit.Usagef("--cv %s with --radius: use --cv loo, or -k", o.cv.text)
	case o.cv.text == "" && !query:
		return exit.Usagef("a QUERY catalog is needed, or --cv to score the training rows")
	case o.probabilities && o.regress != "":
		return exit.Usagef("--probabilities is for classes; --regress predicts values")
	}
	if o.plotScores != "" && o.k.low == o.k.high {
		return exit.Usagef("--plot-scores %s: the curve of scores needs a range of -k, as in -k 1-25 --cv 10", o.plotScores)
	}
	if len(o.Out.Plots) > 0 && o.regress != "" && o.k.low == o.k.high {
		return exit.Usagef("--plot %s: with --regress it shows the curve of scores, which needs a range of -k, as in -k 1-25 --cv 10", o.Out.Plots[0])
	}
	return nil
}

// Run learns from the training rows, scores them and predicts the rows of QUERY,
// if paths has it.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	if err := o.check(len(paths) > 0); err != nil {
		return err
	}
	j, err := o.Begin(ctx, a, "classify", job.Inputs{Paths: paths, Second: []string{o.train}, Tables: []string{o.explain}, Figures: []string{o.plotScores}})
	if err != nil {
		return err
	}
	defer j.Close()
	train := j.B
	defer train.Cat.Close()
	t, err := o.learn(ctx, j, train)
	if err != nil {
		return err
	}
	o.hintOfItself(j)
	j.B = nil // from now on the training rows are no side of the job
	opt := knnclass.Options{K: o.k.high, Joiner: j.Joiner, Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes, Probabilities: o.probabilities}
	if opt.Vote, err = knnclass.ParseVote(o.vote.Value); err != nil {
		return err
	}
	if o.radius.Text != "" {
		if opt.Radius, err = t.Geo.Radius("--radius", o.radius); err != nil {
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
		o.describe(j.Params, t, opt)
		j.Sum.Input.Filter = "--where-train"
		j.Sum.Input.Took(t.Cat.Files(), t.Sel)
		score.report(&j.Sum.Result, t)
		score.show(j.Sum)
		return j.Finish(ctx)
	}
	return o.predict(ctx, j, t, opt, score)
}

// predict predicts the rows of the query. Its flags are those of the training
// rows, with the scales that were learned from them.
func (o *Options) predict(ctx context.Context, j *job.Job, t *trainingSet, opt knnclass.Options, score *scored) (err error) {
	o.Geometry.Metric.Value = t.Geo.MetricName()
	if len(o.columns) > 0 {
		o.Geometry.Columns = o.columns
	}
	if err := o.Geometry.Scale.Set(t.scale); err != nil {
		return err
	}
	if j.Geo, err = o.Geometry.Resolve(j.Cat); err != nil {
		return fmt.Errorf("%w; --columns names the features of the query", err)
	}
	if answer := cmp.Or(o.label, o.regress); len(o.Out.Plots) > 0 && o.cv.text == "" && !geometry.HasColumns(j.Cat, []string{answer}) {
		return exit.Usagef("--plot %s: the query has no column %s to compare predictions with, and there is no --cv", o.Out.Plots[0], answer)
	}
	if a, b := len(t.Geo.Columns), len(j.Geo.Columns); a != b {
		return exit.Usagef("--columns %s: %d columns, there are %d features", &o.columns, b, a)
	}
	if _, j.Scale, err = j.Geo.Scaled(t.points); err != nil {
		return err
	}
	j.Sum.InputB = report.NewInput("--where-train")
	j.Sum.InputB.Title = "training"
	j.Sum.InputB.Took(t.Cat.Files(), t.Sel)
	o.describe(j.Parameters(), t, opt)
	run, err := o.newPredictor(j, t, opt)
	if err != nil {
		return err
	}
	err = j.On(int(min(j.Cat.Rows(), math.MaxInt)), func(joiner neighbors.Joiner) error { return run.write(ctx, joiner) })
	if err != nil {
		return exit.OverMemory(err)
	}
	j.Sum.Input.Counted(j.Cat.Files(), run.tally)
	return o.report(ctx, j, run, score)
}

// describe writes the parameters.
func (o *Options) describe(p *report.Parameters, t *trainingSet, opt knnclass.Options) {
	p.Text("train", o.train)
	p.Text("where-train", o.whereTrain)
	p.Text("label", o.label)
	p.Text("regress", o.regress)
	p.List("features", t.features)
	p.Text("training-scale", t.scale)
	if opt.Radius != 0 {
		p.Length("radius", o.radius)
	} else {
		p.Int("k", int64(opt.K))
	}
	p.Text("vote", o.vote.Value)
	p.Text("weights", o.weights)
	if o.cv.text != "" {
		p.Text("cv", o.cv.text)
		p.Add("seed", o.seed, strconv.FormatUint(o.seed, 10))
	}
}
