package main

import (
	"context"
	"iter"
	"time"

	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors"
)

// pairRows is the number of pairs that are written at once.
const pairRows = 1 << 15

// A pairWriter writes a table of pairs as they come.
type pairWriter struct {
	sides *sides
	kept  []keptColumn
	unit  string // of the distances
	out   *outputFlags
	meta  []catalog.KeyValue

	pairs int64 // written

	row, neighbor []int64
	distance      []float64
}

// write makes the table of all lists of the stream, anew each time.
func (w *pairWriter) write(ctx context.Context, j *job, lists iter.Seq2[*neighbors.Batch, error], opt table.Options) error {
	w.pairs, j.sum.Seconds.Write = 0, 0
	w.row, w.neighbor, w.distance = w.row[:0], w.neighbor[:0], w.distance[:0]
	t, err := table.NewWriter(w.out.output, w.fields(), opt)
	if err != nil {
		return err
	}
	defer t.Abort()
	p := j.rep.phase("join", int64(w.sides.points(0).Len()))
	defer p.end()
	scale := 1.0
	if j.geo.angle {
		scale = radians(w.unit)
	}
	for b, err := range lists {
		if err != nil {
			return err
		}
		for i, r := range b.Rows {
			row := w.sides.side(0).row(r)
			dist := b.Dists(i)
			for k, q := range b.List(i) {
				w.row = append(w.row, row)
				w.neighbor = append(w.neighbor, w.sides.side(1).row(q))
				w.distance = append(w.distance, dist[k]/scale)
				if len(w.row) == pairRows {
					if err := w.flush(ctx, j, t); err != nil {
						return err
					}
				}
			}
		}
		p.add(int64(len(b.Rows)))
	}
	if err := w.flush(ctx, j, t); err != nil {
		return err
	}
	defer j.sum.Seconds.lap(&j.sum.Seconds.Write, time.Now())
	return t.Commit(ctx)
}

func (w *pairWriter) fields() []catalog.Field {
	fields := []catalog.Field{
		{Name: "row", Type: catalog.Int64, Description: "row of A, from 0"},
		{Name: "neighbor", Type: catalog.Int64, Description: "row of B, from 0"},
		{Name: "distance", Type: catalog.Float64, Unit: w.unit, Description: "distance of the two"},
	}
	if w.sides.b == nil {
		fields[0].Description, fields[1].Description = "row, from 0", "a later row within eps"
	}
	for _, k := range w.kept {
		fields = append(fields, k.column.Field)
	}
	return fields
}

// flush writes the pairs in hand.
func (w *pairWriter) flush(ctx context.Context, j *job, t *table.Writer) error {
	defer j.sum.Seconds.lap(&j.sum.Seconds.Write, time.Now())
	fields := w.fields()
	columns := []catalog.Column{{Field: fields[0], Int64: w.row}, {Field: fields[1], Int64: w.neighbor}, {Field: fields[2], Float64: w.distance}}
	for _, k := range w.kept {
		columns = append(columns, gather(&k.column, [][]int64{w.row, w.neighbor}[k.side]))
	}
	if err := t.WriteRows(ctx, columns); err != nil {
		return err
	}
	w.pairs += int64(len(w.row))
	w.row, w.neighbor, w.distance = w.row[:0], w.neighbor[:0], w.distance[:0]
	return nil
}

// gather returns the values of the rows.
func gather(c *catalog.Column, rows []int64) catalog.Column {
	return catalog.Column{
		Field:   c.Field,
		Float64: gatherValues(c.Float64, rows),
		Float32: gatherValues(c.Float32, rows),
		Int64:   gatherValues(c.Int64, rows),
		Uint64:  gatherValues(c.Uint64, rows),
		Bool:    gatherValues(c.Bool, rows),
		String:  gatherValues(c.String, rows),
		Null:    gatherValues(c.Null, rows),
	}
}

func gatherValues[T any](values []T, rows []int64) []T {
	if values == nil {
		return nil
	}
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = values[r]
	}
	return out
}
