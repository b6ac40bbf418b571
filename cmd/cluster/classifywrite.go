package main

import (
	"context"
	"slices"
	"time"

	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/knnclass"
)

// write writes the query with the predictions.
func (o *classifyOptions) write(ctx context.Context, j *job, t *trainingSet, found *knnclass.Prediction, meta []catalog.KeyValue) error {
	if o.out.output == "" {
		return nil
	}
	defer j.sum.Seconds.lap(&j.sum.Seconds.Write, time.Now())
	if found.Value != nil {
		value := table.Column{Name: "predicted", Float64: found.Value, Rows: j.sel.Rows, Description: "predicted " + o.regress}
		return j.append(ctx, &o.out, []table.Column{value}, meta)
	}
	return j.append(ctx, &o.out, o.classColumns(j, t, found), meta)
}

// classColumns are the predictions of the rows that have one.
func (o *classifyOptions) classColumns(j *job, t *trainingSet, found *knnclass.Prediction) []table.Column {
	rows := j.sel.Rows
	keep := []int64{}
	for i, c := range found.Class {
		if c != knnclass.Outlier {
			keep = append(keep, int64(i))
		}
	}
	if len(keep) < len(found.Class) {
		rows = make([]uint32, len(keep))
		for k, i := range keep {
			rows[k] = uint32(catalogRow(j.sel, uint32(i)))
		}
	}
	class := pickValues(found.Class, keep, 0)
	predicted := t.labels.column(class)
	columns := []table.Column{
		{Name: "predicted", Int64: predicted.Int64, String: predicted.String, Rows: rows, Description: "predicted " + o.label},
		{Name: "probability", Float64: pickValues(found.Share, keep, 0), Rows: rows, Description: "share of the votes that the predicted class has"},
		{Name: "tie", Bool: pickValues(found.Tie, keep, false), Rows: rows, Description: "another class has as many votes"},
	}
	if !o.probabilities {
		return columns
	}
	n := len(t.labels.classes)
	for c, name := range t.labels.classes {
		p := make([]float64, len(keep))
		for k, i := range keep {
			p[k] = found.Probability[int(i)*n+c]
		}
		columns = append(columns, table.Column{Name: "p_" + name, Float64: p, Rows: rows, Description: "share of the votes for " + name})
	}
	return columns
}

// column returns classes as values of the type of the label column.
func (l *labels) column(class []int32) catalog.Column {
	c := catalog.Column{Field: catalog.Field{Name: "label"}}
	if l.integers != nil {
		c.Field.Type, c.Int64 = catalog.Int64, make([]int64, len(class))
		for i, k := range class {
			c.Int64[i] = l.integers[k]
		}
		return c
	}
	c.Field.Type, c.String = catalog.String, make([]string, len(class))
	for i, k := range class {
		c.String[i] = l.classes[k]
	}
	return c
}

// writeExplanation writes the neighbours behind each prediction.
func (o *classifyOptions) writeExplanation(ctx context.Context, j *job, t *trainingSet, opt knnclass.Options, meta []catalog.KeyValue) error {
	if o.explain == "" {
		return nil
	}
	defer j.sum.Seconds.lap(&j.sum.Seconds.Write, time.Now())
	e := &explanation{t: t, sel: j.sel}
	unit := t.geo.unit
	if t.geo.angle {
		unit = "deg"
		e.per = radians("deg")
	}
	e.columns = []catalog.Column{
		{Field: catalog.Field{Name: "row", Type: catalog.Int64, Description: "row of the query, from 0"}},
		{Field: catalog.Field{Name: "rank", Type: catalog.Int64, Description: "1 for the nearest"}},
		{Field: catalog.Field{Name: "neighbor", Type: catalog.Int64, Description: "row of the training catalog, from 0"}},
		{Field: catalog.Field{Name: "distance", Type: catalog.Float64, Unit: unit}},
		{Field: catalog.Field{Name: "share", Type: catalog.Float64, Description: "of all votes"}},
		e.answer(nil),
	}
	var fields []catalog.Field
	for i := range e.columns {
		fields = append(fields, e.columns[i].Field)
	}
	w, err := table.NewWriter(o.explain, fields, table.Options{Force: o.out.force, Metadata: meta, Threads: j.run.count()})
	if err != nil {
		return err
	}
	defer w.Abort()
	e.w = w
	model, err := t.model()
	if err != nil {
		return err
	}
	phase := j.rep.phase("explain", int64(j.sel.Points.Len()))
	defer phase.end()
	opt.Progress = phase.add
	err = model.Explain(ctx, j.sel.Points, opt, 0, func(row uint32, train []uint32, dist, share []float64) error {
		return e.add(ctx, row, train, dist, share)
	})
	if err == nil {
		err = e.flush(ctx)
	}
	if err == nil {
		err = w.Commit(ctx)
	}
	return overMemory(err)
}

// An explanation is a table in the making.
type explanation struct {
	t       *trainingSet
	sel     *catalog.Selection
	w       *table.Writer
	per     float64 // radians of the unit of distances; 0 if they are no angles
	columns []catalog.Column
	train   []uint32 // the neighbour of each row of columns
}

func (e *explanation) add(ctx context.Context, row uint32, train []uint32, dist, share []float64) error {
	c := e.columns
	for i, n := range train {
		d := dist[i]
		if e.per > 0 {
			d /= e.per
		}
		c[0].Int64, c[1].Int64 = append(c[0].Int64, catalogRow(e.sel, row)), append(c[1].Int64, int64(i+1))
		c[2].Int64, c[3].Float64 = append(c[2].Int64, e.t.rows[n]), append(c[3].Float64, d)
		c[4].Float64 = append(c[4].Float64, share[i])
		e.train = append(e.train, n)
	}
	if len(e.train) < pairBlock {
		return nil
	}
	return e.flush(ctx)
}

func (e *explanation) flush(ctx context.Context) error {
	c := e.columns
	c[5] = e.answer(e.train)
	err := e.w.WriteRows(ctx, c)
	for i := range c {
		c[i].Int64, c[i].Float64 = c[i].Int64[:0], c[i].Float64[:0]
	}
	e.train = e.train[:0]
	return err
}

// answer is the label or the value of training rows.
func (e *explanation) answer(train []uint32) catalog.Column {
	if e.t.labels == nil {
		c := catalog.Column{Field: catalog.Field{Name: "value", Type: catalog.Float64}, Float64: make([]float64, len(train))}
		for i, n := range train {
			c.Float64[i] = e.t.values[n]
		}
		return c
	}
	class := make([]int32, len(train))
	for i, n := range train {
		class[i] = e.t.labels.index[n]
	}
	return e.t.labels.column(class)
}

// report writes the result: scores, where the query has the answer itself.
func (o *classifyOptions) report(ctx context.Context, j *job, t *trainingSet, found *knnclass.Prediction, cv *scored) error {
	r := &j.sum.Result
	r.set("rows", int64(j.sel.Points.Len()))
	if t.labels != nil {
		r.set("classes", int64(len(t.labels.classes)))
	}
	truth, err := o.truth(ctx, j, t, found)
	if err != nil {
		return err
	}
	if truth != nil {
		if truth.matrix != nil {
			r.set("accuracy", truth.matrix.Accuracy())
		} else {
			r.set("r2", truth.fit.R2)
			r.set("rmse", truth.fit.RMSE)
			r.set("mae", truth.fit.MAE)
		}
	}
	if t.labels != nil {
		r.set("ties", found.Ties)
	}
	if found.Outliers > 0 {
		r.set("outliers", found.Outliers)
	}
	shown := truth
	if cv != nil {
		var o object
		cv.report(&o, t)
		r.set("cv", o)
		j.sum.note(cv.what, "%s %.6f at k = %d", map[bool]string{true: "accuracy", false: "R2"}[cv.matrix != nil], cv.score(), cv.k)
		shown = cv
	}
	if truth != nil {
		truth.details(r)
	}
	if shown != nil {
		shown.show(j.sum)
	}
	return j.finish()
}

// truth scores the predictions by the query's own column of answers; nil if it
// has none.
func (o *classifyOptions) truth(ctx context.Context, j *job, t *trainingSet, found *knnclass.Prediction) (*scored, error) {
	name := firstOf(o.label, o.regress)
	if !hasColumns(j.cat, []string{name}) {
		return nil, nil
	}
	var answer []catalog.Column
	err := await(ctx, func() (err error) {
		answer, err = j.cat.Read(ctx, []string{name}, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	s := &scored{outside: found.Outliers}
	if t.labels == nil {
		values, err := numbersOf(&answer[0], j.sel)
		if err == nil {
			s.fit, err = knnclass.Compare(values, found.Value)
		}
		if err != nil || s.fit.Rows == 0 {
			return nil, err
		}
		return s, nil
	}
	s.classes = slices.Clone(t.labels.classes)
	number := map[string]int32{}
	for i, c := range s.classes {
		number[c] = int32(i)
	}
	index := make([]int32, len(found.Class))
	for i := range index {
		row := int(catalogRow(j.sel, uint32(i)))
		if index[i] = -1; answer[0].IsNull(row) {
			continue
		}
		text := labelText(&answer[0], row)
		c, known := number[text]
		if !known { // a class that no training row has
			c = int32(len(s.classes))
			number[text] = c
			s.classes = append(s.classes, text)
		}
		index[i] = c
	}
	if s.matrix, err = knnclass.Confuse(index, found.Class, len(s.classes)); err != nil || s.matrix.Rows == 0 {
		return nil, err
	}
	return s, nil
}
