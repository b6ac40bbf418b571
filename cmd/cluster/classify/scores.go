package classify

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/each"
	"skyjoin/io/figure"
	"skyjoin/knnclass"
)

// scored says how well rows with a known answer were predicted.
type scored struct {
	what    string // "cross-validation", or "" for a query
	k       int
	ties    int64
	outside int64
	classes []string
	matrix  *knnclass.Confusion // of classes
	fit     knnclass.Fit        // of values
	curve   []point             // score by k, if k was to be chosen
}

// A point is the score of one k.
type point struct {
	k     int
	score float64 // accuracy, or R²
}

// score is what a k is chosen by.
func (s *scored) score() float64 {
	if s.matrix != nil {
		return s.matrix.Accuracy()
	}
	return s.fit.R2
}

// report writes the scores to a result.
func (s *scored) report(r *report.Object, t *trainingSet) {
	if s.matrix == nil {
		r.Add(rowsScored{s.fit.Rows})
		r.Add(s.regression())
	} else {
		r.Add(rowsScored{s.matrix.Rows})
		r.Add(classesOf{int64(len(t.labels.classes))})
		r.Add(accuracy{report.Float(s.matrix.Accuracy())})
		r.Add(right{s.matrix.Right()})
		r.Add(tied{s.ties})
	}
	r.Add(chosen{int64(s.k)})
	s.details(r)
}

// details writes the lines below the table.
func (s *scored) details(r *report.Object) {
	if s.matrix != nil {
		var scores []ClassScore
		var confusion [][]int64
		for c, name := range s.classes {
			x := s.matrix.Score(int32(c))
			scores = append(scores, ClassScore{name, x.Support, report.Float(x.Precision), report.Float(x.Recall), report.Float(x.F1)})
			width := s.matrix.Classes + 1
			confusion = append(confusion, s.matrix.Count[c*width:][:s.matrix.Classes])
		}
		r.Add(byClass{scores, confusion})
	}
	r.Add(withoutClass{s.outside})
	r.Add(curve{each.Of(s.curve, func(p point) ScoreOfK { return ScoreOfK{int64(p.k), report.Float(p.score)} })})
}

// mostShown is how many classes have a column in the printed confusion matrix.
const mostShown = 12

// show prints the scores of each class, the confusion matrix and the curve
// below the table.
func (s *scored) show(sum *report.Summary) {
	if s.matrix != nil {
		sum.Detail = s.classGrid()
		if len(s.classes) <= mostShown {
			sum.More = "\n" + s.confusionGrid().String()
		}
	}
	if s.curve == nil {
		return
	}
	g := &human.Grid{Right: map[int]bool{0: true, 1: true}}
	g.Add("K", map[bool]string{true: "ACCURACY", false: "R2"}[s.matrix != nil])
	for _, p := range s.curve {
		mark := ""
		if p.k == s.k {
			mark = "best"
		}
		g.Add(strconv.Itoa(p.k), fmt.Sprintf("%.6f", p.score), mark)
	}
	if sum.Detail == nil {
		sum.Detail = g
		return
	}
	sum.More += "\n" + g.String()
}

func (s *scored) classGrid() *human.Grid {
	g := &human.Grid{Right: map[int]bool{1: true, 2: true, 3: true, 4: true}}
	g.Add("CLASS", "ROWS", "PRECISION", "RECALL", "F1")
	for c, name := range s.classes {
		x := s.matrix.Score(int32(c))
		g.Add(name, human.Commas(x.Support), shareText(x.Precision), shareText(x.Recall), shareText(x.F1))
	}
	return g
}

// shareText writes a share, "none" where it is of no rows.
func shareText(v float64) string {
	if math.IsNaN(v) {
		return "none"
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// confusionGrid has a row for each class and a column for each prediction.
func (s *scored) confusionGrid() *human.Grid {
	g := &human.Grid{Right: map[int]bool{}}
	head := []string{"TRUE \\ PREDICTED"}
	predicted := make([]int32, len(s.classes))
	for c, name := range s.classes {
		predicted[c] = int32(c)
		head = append(head, name)
	}
	if s.outside > 0 {
		predicted = append(predicted, knnclass.Outlier)
		head = append(head, "(none)")
	}
	g.Add(head...)
	for c, name := range s.classes {
		row := []string{name}
		for i, p := range predicted {
			g.Right[i+1] = true
			row = append(row, human.Commas(s.matrix.At(int32(c), p)))
		}
		g.Add(row...)
	}
	return g
}

// draw draws the confusion matrix of scores to --plot, and the curve by which k
// was chosen to --plot-scores; of values the curve to both.
func (o *Options) draw(ctx context.Context, j *job.Job, shown, cv *scored) error {
	var curves []string
	if o.plotScores != "" {
		curves = append(curves, o.plotScores)
	}
	if o.regress != "" {
		curves = append(curves, o.Out.Plots...)
	} else if shown != nil {
		if err := j.Plot(ctx, o.Out.Plots, shown.confusion(o.Out.Of())); err != nil {
			return err
		}
	}
	if cv == nil {
		return nil
	}
	return j.Plot(ctx, curves, cv.scores(o.Out.Of()))
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
