package classify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/io/catalog"
	"skyjoin/knnclass"
	"skyjoin/neighbors"
)

// A trainingSet is the rows that classify learns from.
type trainingSet struct {
	*job.Side
	features flags.List
	points   *neighbors.Points // with a label
	rows     []int64           // of the catalog, of each point
	weights  []float64
	labels   *labels   // of classes
	values   []float64 // to regress
	null     int64     // rows without a label
	idle     int64     // rows of weight 0, which would change nothing
	metric   neighbors.Metric
	scale    string // as --scale would be given it
}

// fits refuses training rows, and blocks of the query beside them, that take more than
// --memory.
func (o *Options) fits(ctx context.Context, j *job.Job, t *trainingSet) error {
	d := job.Demand{Coordinates: t.Geo.Lowered(), Shares: []job.Share{{Cat: t.Cat, Where: o.whereTrain}}}
	if j.Cat != nil {
		d.Shares = append(d.Shares, job.Share{Cat: j.Cat, Most: max(blockRows(j), t.Cat.Rows())})
	} else {
		d.Shares = append(d.Shares, d.Shares[0]) // all but those that a part leaves out
	}
	return j.Fits(ctx, d)
}

// learn reads the training rows. They are no side of a join that others read.
func (o *Options) learn(ctx context.Context, j *job.Job, side *job.Side) (*trainingSet, error) {
	defer j.Timed(&j.Sum.Seconds.Read)()
	t := &trainingSet{Side: side, features: o.Geometry.Columns}
	if err := j.Derive(append([]string{o.label, o.regress, o.weights}, o.Geometry.Columns...)...); err != nil {
		return nil, err
	}
	var err error
	if t.Geo, err = o.Geometry.Resolve(t.Cat); err != nil {
		return nil, err
	}
	column := cmp.Or(o.label, o.regress)
	if slices.Contains(t.Geo.Columns, column) {
		return nil, exit.Usagef("--features has %s, the column to predict", column)
	}
	if err := o.fits(ctx, j, t); err != nil {
		return nil, err
	}
	if t.Sel, err = j.Select(ctx, t.Cat, t.Geo.Request(&flags.Read{Where: o.whereTrain, Strict: o.Read.Strict, Empty: o.Read.Empty}, o.weights)); err != nil {
		return nil, err
	}
	answer, err := job.ReadColumns(ctx, t.Cat, column)
	if err != nil {
		return nil, err
	}
	if err := t.fill(&answer[0], o.label != ""); err != nil {
		return nil, err
	}
	if t.points.Len() == 0 && o.Read.Empty && o.cv.text == "" {
		j.Sum.Warn("%s: there is no row to learn from, so nothing is predicted", o.train)
	} else if t.points.Len() == 0 && t.idle > 0 {
		return nil, exit.Usagef("%s: no row with all features and a value in %s has a weight above 0 in %s", o.train, column, o.weights)
	} else if t.points.Len() == 0 {
		return nil, exit.Usagef("%s: no row with all features has a value in %s", o.train, column)
	}
	if t.idle > 0 {
		j.Sum.Note("not learned", "%s of weight 0", human.Plural(t.idle, "row", "rows"))
	}
	if t.null > 0 {
		j.Sum.Note("not learned", "%s without a usable %s", human.Plural(t.null, "row", "rows"), column)
	}
	t.metric, t.scale, err = t.Geo.Scaled(t.points)
	if large := (*geometry.ScaleOverflow)(nil); errors.As(err, &large) {
		err = exit.Usagef("%s", large.At(t.rows[large.Point]))
	}
	if err == nil {
		j.WarnOfSquares(t.metric, t.Geo.Columns, t.points)
	}
	return t, err
}

// fill takes the rows whose answer is there.
func (t *trainingSet) fill(answer *catalog.Column, classes bool) (err error) {
	var values []float64
	if classes {
		answer, err = columns.Integers(answer, t.Sel)
	} else {
		values, err = columns.NumbersOf(answer, t.Sel)
	}
	if err != nil && classes {
		err = fmt.Errorf("%w for classes; --regress predicts other numbers", err)
	}
	if err != nil {
		return err
	}
	var keep []uint32
	for i := range uint32(t.Sel.Points.Len()) {
		row := job.CatalogRow(t.Sel, i)
		if answer.IsNull(int(row)) || !classes && (math.IsNaN(values[i]) || math.IsInf(values[i], 0)) {
			t.null++
			continue
		}
		if w := t.Sel.Weights; w != nil && w[i] < 0 {
			return exit.Usagef("the weight of training row %d is %v, it must be 0 or more", row, w[i])
		} else if w != nil && w[i] == 0 {
			t.idle++
			continue
		}
		keep = append(keep, i)
		t.rows = append(t.rows, row)
		if !classes {
			t.values = append(t.values, values[i])
		}
		if t.Sel.Weights != nil {
			t.weights = append(t.weights, t.Sel.Weights[i])
		}
	}
	t.points = t.Sel.Points
	if len(keep) < t.points.Len() {
		t.points = t.Sel.Points.Subset(keep)
	}
	if classes {
		t.labels, err = newLabels(answer, t.rows)
	}
	return err
}

// model returns the model of the rows, nil of none.
func (t *trainingSet) model() (*knnclass.Model, error) {
	if t.points.Len() == 0 {
		return nil, nil
	}
	if t.labels != nil {
		return knnclass.NewClassifier(t.points, t.metric, t.labels.index, len(t.labels.classes), t.weights)
	}
	return knnclass.NewRegressor(t.points, t.metric, t.values, t.weights)
}
