package classify

import (
	"context"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/knnclass"
	"skyjoin/neighbors"
)

// crossValidate predicts each part of the training rows from the others and chooses the
// best k.
func (o *Options) crossValidate(ctx context.Context, j *job.Job, t *trainingSet, opt knnclass.Options) (*scored, error) {
	defer j.Timed(&j.Sum.Seconds.Join)()
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
	found, err := exit.Await(ctx, func() ([]*knnclass.Prediction, error) {
		if o.cv.parts == 0 {
			return model.LeaveOneOut(ctx, ks, opt)
		}
		var index []int32
		if t.labels != nil {
			index = t.labels.index
		}
		fold, err := knnclass.Folds(t.points.Len(), o.cv.parts, index, o.seed)
		if err != nil {
			return nil, err
		}
		scaled := func(train *neighbors.Points) (neighbors.Metric, error) { // by the scales of these rows
			m, _, err := t.Geo.Scaled(train)
			return m, err
		}
		return model.CrossValidate(ctx, fold, ks, scaled, opt)
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
