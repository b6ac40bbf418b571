package classify

import (
	"context"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/io/figure"
)

// draw draws the confusion matrix of scores to --plot, and the curve by which k
// was chosen to --plot-scores; of values the curve to both.
func (o *classifyOptions) draw(ctx context.Context, j *job.Job, shown, cv *scored) error {
	curves := &flags.Output{Plot: o.out.Plot}
	if o.plotScores != "" {
		curves.Plots = []string{o.plotScores}
	}
	if o.regress != "" {
		curves.Plots = append(curves.Plots, o.out.Plots...)
	} else if shown != nil {
		if err := j.Plot(ctx, &o.out, shown.confusion(o.out.Of())); err != nil {
			return err
		}
	}
	if cv == nil {
		return nil
	}
	return j.Plot(ctx, curves, cv.scores(curves.Of()))
}

// confusion is the confusion matrix as a figure.
func (s *scored) confusion(style figure.Style) figure.ConfusionMatrix {
	m := figure.ConfusionMatrix{Classes: s.classes, Style: style}
	n := len(s.classes)
	width := n
	if s.outside > 0 {
		m.Outside = "(none)"
		width++
	}
	for c := range n {
		m.Count = append(m.Count, s.matrix.Count[c*(n+1):][:width])
	}
	return m
}

// scores is the curve of scores as a figure.
func (s *scored) scores(style figure.Style) figure.ScoreCurve {
	curve := figure.ScoreCurve{Best: s.k, Name: map[bool]string{true: "accuracy", false: "R²"}[s.matrix != nil], Style: style}
	for _, p := range s.curve {
		curve.K, curve.Score = append(curve.K, p.k), append(curve.Score, p.score)
	}
	return curve
}
