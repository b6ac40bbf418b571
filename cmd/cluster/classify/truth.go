package classify

import (
	"cmp"
	"math"
	"slices"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/io/catalog"
	"skyjoin/knnclass"
)

// A truth compares predictions with the query's own column of answers, block by block.
type truth struct {
	t      *trainingSet
	column string // "" if the query has none

	classes []string // those of the training rows, then others
	number  map[string]int32
	counts  map[[2]int32]int64 // by true and predicted class
	values  knnclass.Comparison
}

func (o *Options) newTruth(j *job.Job, t *trainingSet) *truth {
	r := &truth{t: t, number: map[string]int32{}, counts: map[[2]int32]int64{}}
	name := cmp.Or(o.label, o.regress)
	if f, err := j.Cat.Field(name); err == nil && f.Type != catalog.List && f.Type != catalog.Unsupported && (t.labels != nil || f.Type.IsNumber()) {
		r.column = name
	}
	if t.labels != nil {
		r.classes = slices.Clone(t.labels.classes)
		for i, c := range r.classes {
			r.number[c] = int32(i)
		}
	}
	return r
}

// names are the columns that add needs.
func (r *truth) names() []string {
	if r.column == "" {
		return nil
	}
	return []string{r.column}
}

// add compares the predictions of a block.
func (r *truth) add(b *catalog.SelectedBlock, found *knnclass.Prediction) error {
	if r.column == "" {
		return nil
	}
	answer := &b.Columns[0]
	if r.t.labels == nil {
		values, err := columns.NumbersOf(answer, b.Selection)
		for i := range found.Value {
			r.values.Add(values[i], found.Value[i])
		}
		return err
	}
	for i, predicted := range found.Class {
		row := int(job.CatalogRow(b.Selection, uint32(i)))
		if answer.IsNull(row) {
			continue
		}
		text := columns.Text(answer, row)
		if text == "NaN" && answer.String == nil { // no answer
			continue
		}
		c, known := r.number[text]
		if !known { // a class that no training row has
			c = int32(len(r.classes))
			r.number[text] = c
			r.classes = append(r.classes, text)
		}
		r.counts[[2]int32{c, predicted}]++
	}
	return nil
}

// scored returns the scores, nil if no row has an answer.
func (r *truth) scored() *scored {
	if r.column == "" {
		return nil
	}
	if r.t.labels == nil {
		s := &scored{fit: r.values.Fit()}
		if s.fit.Rows == 0 || math.IsNaN(s.fit.RMSE) {
			return nil
		}
		return s
	}
	n := len(r.classes)
	m := &knnclass.Confusion{Classes: n, Count: make([]int64, n*(n+1))}
	for pair, count := range r.counts {
		predicted := int(pair[1])
		if pair[1] == knnclass.Outlier {
			predicted = n
		}
		m.Count[int(pair[0])*(n+1)+predicted] += count
		m.Rows += count
	}
	if m.Rows == 0 {
		return nil
	}
	return &scored{classes: r.classes, matrix: m}
}
