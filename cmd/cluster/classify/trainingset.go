package classify

import (
	"context"
	"errors"
	"math"
	"time"

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
	files   []catalog.File
	geo     *geometry.Geometry
	sel     *catalog.Selection
	points  *neighbors.Points // with a label
	rows    []int64           // of the catalog, of each point
	weights []float64
	labels  *labels   // of classes
	values  []float64 // to regress
	null    int64     // rows without a label
	metric  neighbors.Metric
	scale   string // as --scale would be given it
}

// learn reads the training rows.
func (o *classifyOptions) learn(ctx context.Context, j *job.Job) (*trainingSet, error) {
	defer j.Sum.Seconds.Lap(&j.Sum.Seconds.Read, time.Now())
	t := &trainingSet{}
	var cat *catalog.Catalog
	err := exit.Await(ctx, func() (err error) {
		cat, err = catalog.Open(ctx, []string{o.train}, catalog.Options{Null: o.read.Null, Threads: j.Run.Count()})
		return err
	})
	if err != nil {
		return nil, err
	}
	defer cat.Close()
	t.files = cat.Files()
	if err := cat.Complete(o.read.Let, append([]string{o.label, o.regress, o.weights}, o.geometry.Columns...)); err != nil {
		return nil, err
	}
	if t.geo, err = o.geometry.Resolve(cat); err != nil {
		return nil, err
	}
	column := human.FirstOf(o.label, o.regress)
	for _, f := range t.geo.Columns {
		if f == column {
			return nil, exit.Usagef("--features has %s, which is what is to be predicted", f)
		}
	}
	phase := j.Rep.Phase("read", cat.Rows())
	defer phase.End()
	var answer []catalog.Column
	err = exit.Await(ctx, func() (err error) {
		if t.sel, err = cat.Select(ctx, t.geo.Request(&flags.Read{Where: o.whereTrain, Strict: o.read.Strict}, o.weights, phase.Add)); err != nil {
			return err
		}
		answer, err = cat.Read(ctx, []string{column}, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := t.fill(&answer[0], o.label != ""); err != nil {
		return nil, err
	}
	if t.points.Len() == 0 {
		return nil, exit.Usagef("%s: no row with all features has a value in %s", o.train, column)
	}
	if t.null > 0 {
		j.Sum.Note("not learned", "%s without a usable %s", human.Plural(t.null, "row", "rows"), column)
	}
	t.metric, t.scale, err = t.geo.Scaled(t.points)
	if large := (*geometry.ScaleOverflow)(nil); errors.As(err, &large) {
		err = exit.Usagef("%s", large.At(t.rows[large.Point]))
	}
	return t, err
}

// fill takes the rows whose answer is there.
func (t *trainingSet) fill(answer *catalog.Column, classes bool) (err error) {
	var values []float64
	if !classes {
		if values, err = columns.NumbersOf(answer, t.sel); err != nil {
			return err
		}
	}
	var keep []uint32
	for i := range uint32(t.sel.Points.Len()) {
		row := job.CatalogRow(t.sel, i)
		if answer.IsNull(int(row)) || !classes && (math.IsNaN(values[i]) || math.IsInf(values[i], 0)) {
			t.null++
			continue
		}
		keep = append(keep, i)
		t.rows = append(t.rows, row)
		if !classes {
			t.values = append(t.values, values[i])
		}
		if t.sel.Weights != nil {
			t.weights = append(t.weights, t.sel.Weights[i])
		}
	}
	t.points = t.sel.Points
	if t.null > 0 {
		t.points = t.sel.Points.Subset(keep)
	}
	if classes {
		t.labels, err = newLabels(answer, t.rows)
	}
	return err
}

func (t *trainingSet) model() (*knnclass.Model, error) {
	if t.labels != nil {
		return knnclass.NewClassifier(t.points, t.metric, t.labels.index, len(t.labels.classes), t.weights)
	}
	return knnclass.NewRegressor(t.points, t.metric, t.values, t.weights)
}

// queryFlags are the flags of the query: those of the training rows, with the
// scales that were learned from them.
func (t *trainingSet) queryFlags(f *geometry.Flags, columns flags.List) (geometry.Flags, error) {
	q := *f
	q.Metric.Value = t.geo.MetricName()
	if len(columns) > 0 {
		q.Columns = columns
	}
	return q, q.Scale.Set(t.scale)
}
