package classify

import (
	"context"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/each"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

// newExplanation begins the table of the neighbours behind each prediction; nil
// if it is not asked for.
func (o *Options) newExplanation(j *job.Job, t *trainingSet, path string) (*explanation, error) {
	if path == "" {
		return nil, nil
	}
	e := &explanation{t: t}
	unit := t.Geo.Unit
	if t.Geo.Angle {
		unit = "deg"
		e.per = flags.Radians("deg")
	}
	e.columns = []catalog.Column{
		{Field: catalog.Field{Name: "row", Type: catalog.Int64, Description: "row of the query, from 0"}},
		{Field: catalog.Field{Name: "rank", Type: catalog.Int64, Description: "1 for the nearest"}},
		{Field: catalog.Field{Name: "neighbor", Type: catalog.Int64, Description: "row of the training catalog, from 0"}},
		{Field: catalog.Field{Name: "distance", Type: catalog.Float64, Unit: unit}},
		{Field: catalog.Field{Name: "share", Type: catalog.Float64, Description: "of all votes"}},
		e.answer(nil),
	}
	fields := each.To(len(e.columns), func(i int) catalog.Field { return e.columns[i].Field })
	var err error
	e.w, err = table.NewWriter(path, fields, j.Options(path, nil))
	return e, err
}

// An explanation is a table that is being written.
type explanation struct {
	t       *trainingSet
	sel     *catalog.Selection // of the block in hand
	first   int64              // its first row
	w       *table.Writer
	per     float64 // radians of the unit of distances; 0 if they are no angles
	columns []catalog.Column
	train   []uint32 // the neighbour of each row of columns
	passed  uint32   // rows of the block that were added before a GPU failed
}

func (e *explanation) add(ctx context.Context, row uint32, train []uint32, dist, share []float64) error {
	c := e.columns
	for i, n := range train {
		d := dist[i]
		if e.per > 0 {
			d /= e.per
		}
		c[0].Int64, c[1].Int64 = append(c[0].Int64, e.first+job.CatalogRow(e.sel, row)), append(c[1].Int64, int64(i+1))
		c[2].Int64, c[3].Float64 = append(c[2].Int64, e.t.rows[n]), append(c[3].Float64, d)
		c[4].Float64 = append(c[4].Float64, share[i])
		e.train = append(e.train, n)
	}
	if len(e.train) < columns.PairBlock {
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
	class := each.At(e.t.labels.index, train)
	return e.t.labels.column(class)
}
