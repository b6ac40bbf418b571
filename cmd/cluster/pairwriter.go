package main

import (
	"context"
	"sort"
	"time"

	"skyjoin/internal/par"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors"
)

// A pairWriter writes pairs of rows as they come, with columns of either side.
type pairWriter struct {
	d     *duo
	w     *table.Writer
	kept  []kept
	per   float64 // what a distance is divided by to be in the unit that is written
	n     int     // pairs in hand
	rows  []int64 // of these, with room for a block
	near  []int64
	dists []float64

	written int64         // pairs
	spent   time.Duration // in writing
}

// pairBlock is how many rows a thread writes at once.
const pairBlock = 1 << 16

// mostWriters is how many threads fill a block.
const mostWriters = 16

// pairFields are the columns of every table of pairs.
func pairFields(unit string) []catalog.Field {
	return []catalog.Field{
		{Name: "row", Type: catalog.Int64, Description: "row of the first catalog, from 0"},
		{Name: "neighbor", Type: catalog.Int64, Description: "row of the catalog of the neighbours, from 0"},
		{Name: "distance", Type: catalog.Float64, Unit: unit, Description: "distance of the two rows"},
	}
}

// newPairWriter starts the table -o.
func (d *duo) newPairWriter(ctx context.Context, f *pairFlags, unit string, pad bool, meta []catalog.KeyValue) (*pairWriter, error) {
	block := pairBlock * min(d.run.count(), mostWriters)
	w := &pairWriter{d: d, per: 1, rows: make([]int64, block), near: make([]int64, block), dists: make([]float64, block)}
	written := unit
	if d.geo.angle {
		w.per = radians(unit)
	} else if !d.geo.pure {
		written = d.geo.unit
	}
	fields := pairFields(written)
	reserved := []string{"row", "neighbor", "distance"}
	data, _ := d.data()
	var err error
	if w.kept, err = keep(f.keep, d.cat, data, reserved, false, pad); err != nil {
		return nil, err
	}
	for _, k := range w.kept {
		fields = append(fields, k.field)
	}
	if err := readKept(ctx, d.cat, side(w.kept, false)); err != nil {
		return nil, err
	}
	if err := readKept(ctx, data, side(w.kept, true)); err != nil {
		return nil, err
	}
	w.w, err = table.NewWriter(f.out.output, fields, table.Options{Force: f.out.force, Metadata: meta, Threads: d.run.count()})
	return w, err
}

// batch writes the lists of a batch.
func (w *pairWriter) batch(ctx context.Context, b *neighbors.Batch) error {
	for from, total := 0, len(b.Index); from < total; {
		n := min(total-from, len(w.rows)-w.n)
		w.fill(b, from, n)
		from += n
		if w.n += n; w.n == len(w.rows) {
			if err := w.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill puts n pairs of a batch behind those in hand.
func (w *pairWriter) fill(b *neighbors.Batch, from, n int) {
	_, data := w.d.data()
	threads := min(w.d.run.count(), mostWriters, 1+n/4096)
	par.Chunks(threads, n, func(_, lo, hi int) {
		rows, near, dists := w.rows[w.n:], w.near[w.n:], w.dists[w.n:]
		first := int64(from + lo)
		i := sort.Search(len(b.Rows), func(i int) bool { return b.Offset[i+1] > first })
		for k := lo; k < hi; i++ {
			row := catalogRow(w.d.sel, b.Rows[i])
			for end := min(hi, int(b.Offset[i+1])-from); k < end; k++ {
				rows[k], near[k], dists[k] = row, -1, b.Dist[from+k]/w.per
				if q := b.Index[from+k]; q != neighbors.None {
					near[k] = catalogRow(data, q)
				}
			}
		}
	})
}

func (w *pairWriter) flush(ctx context.Context) error {
	defer func(start time.Time) { w.spent += time.Since(start) }(time.Now())
	rows, near := w.rows[:w.n], w.near[:w.n]
	columns := []catalog.Column{{Int64: rows}, {Int64: near}, {Float64: w.dists[:w.n]}}
	for _, k := range w.kept {
		of := rows
		if k.second {
			of = near
		}
		columns = append(columns, pick(&k.values, k.field, of))
	}
	err := w.w.WriteRows(ctx, columns)
	w.written += int64(w.n)
	w.n = 0
	return err
}

// finish writes what is left and gives the table its name.
func (w *pairWriter) finish(ctx context.Context) error {
	if err := w.flush(ctx); err != nil {
		return err
	}
	defer func(start time.Time) { w.spent += time.Since(start) }(time.Now())
	return w.w.Commit(ctx)
}
