package classify

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/knnclass"
)

// scored is how well rows were predicted whose answer is known.
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

// crossValidate predicts the training rows by each other and takes the best k.
func (o *classifyOptions) crossValidate(ctx context.Context, j *job.Job, t *trainingSet, opt knnclass.Options) (*scored, error) {
	defer j.Sum.Seconds.Lap(&j.Sum.Seconds.Join, time.Now())
	model, err := t.model()
	if err != nil {
		return nil, err
	}
	phase := j.Rep.Phase("neighbours", int64(t.points.Len()))
	defer phase.End()
	opt.Progress, opt.Probabilities = phase.Add, false
	ks := o.k.all()
	if opt.Radius != 0 {
		ks = nil
	}
	var found []*knnclass.Prediction
	err = exit.Await(ctx, func() (err error) {
		if o.cv.parts == 0 {
			found, err = model.LeaveOneOut(ctx, ks, opt)
			return err
		}
		var index []int32
		if t.labels != nil {
			index = t.labels.index
		}
		fold, err := knnclass.Folds(t.points.Len(), o.cv.parts, index, o.seed)
		if err != nil {
			return err
		}
		found, err = model.CrossValidate(ctx, fold, ks, metricOf(t.geo), opt)
		return err
	})
	if err != nil {
		return nil, exit.OverMemory(err)
	}
	return bestOf(ks, found, t)
}

// bestOf scores the predictions of each k and returns the best, the lowest k
// of several.
func bestOf(ks []int, found []*knnclass.Prediction, t *trainingSet) (*scored, error) {
	var best *scored
	var curve []point
	for i, p := range found {
		s := &scored{what: "cross-validation", ties: p.Ties, outside: p.Outliers}
		if ks != nil {
			s.k = ks[i]
		}
		var err error
		if t.labels != nil {
			s.classes = t.labels.classes
			s.matrix, err = knnclass.Confuse(t.labels.index, p.Class, len(s.classes))
		} else {
			s.fit, err = knnclass.Compare(t.values, p.Value)
		}
		if err != nil {
			return nil, err
		}
		curve = append(curve, point{s.k, s.score()})
		if best == nil || s.score() > best.score() {
			best = s
		}
	}
	if len(curve) > 1 {
		best.curve = curve
	}
	return best, nil
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
		r.Set("rows", s.fit.Rows)
		r.Set("r2", s.fit.R2)
		r.Set("rmse", s.fit.RMSE)
		r.Set("mae", s.fit.MAE)
	} else {
		r.Set("rows", s.matrix.Rows)
		r.Set("classes", int64(len(t.labels.classes)))
		r.Set("accuracy", s.matrix.Accuracy())
		r.Set("right", s.matrix.Right())
		r.Set("ties", s.ties)
	}
	if s.k > 0 {
		r.Set("k", int64(s.k))
	}
	s.details(r)
}

// details writes what the table shows below its lines.
func (s *scored) details(r *report.Object) {
	if s.matrix != nil {
		var scores []report.Object
		var confusion [][]int64
		for c, name := range s.classes {
			x := s.matrix.Score(int32(c))
			scores = append(scores, report.Object{{Key: "class", Value: name}, {Key: "rows", Value: x.Support}, {Key: "precision", Value: x.Precision}, {Key: "recall", Value: x.Recall}, {Key: "f1", Value: x.F1}})
			width := s.matrix.Classes + 1
			confusion = append(confusion, s.matrix.Count[c*width:][:s.matrix.Classes])
		}
		r.Set("scores", scores)
		r.Set("confusion", confusion)
	}
	if s.outside > 0 {
		r.Set("outliers", s.outside)
	}
	if s.curve != nil {
		var curve []report.Object
		for _, p := range s.curve {
			curve = append(curve, report.Object{{Key: "k", Value: int64(p.k)}, {Key: "score", Value: p.score}})
		}
		r.Set("curve", curve)
	}
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
		g.Add(name, human.Commas(x.Support), fmt.Sprintf("%.4f", x.Precision), fmt.Sprintf("%.4f", x.Recall), fmt.Sprintf("%.4f", x.F1))
	}
	return g
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
