package pairs

import (
	"context"
	"sort"
	"time"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/par"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors"
)

// A PairWriter writes pairs of rows as they come, with columns of either side.
type PairWriter struct {
	d     *job.Duo
	W     *table.Writer
	kept  []columns.Kept
	per   float64 // what a distance is divided by to be in the unit that is written
	N     int     // pairs in hand
	rows  []int64 // of these, with room for a block
	near  []int64
	dists []float64

	Written int64         // pairs
	spent   time.Duration // in writing
}

// mostWriters is how many threads fill a block.
const mostWriters = 16

// NewPairWriter starts the table -o.
func NewPairWriter(ctx context.Context, d *job.Duo, f *Flags, unit string, pad bool, meta []catalog.KeyValue) (*PairWriter, error) {
	block := columns.PairBlock * min(d.Run.Count(), mostWriters)
	w := &PairWriter{d: d, per: 1, rows: make([]int64, block), near: make([]int64, block), dists: make([]float64, block)}
	written := unit
	if d.Geo.Angle {
		w.per = flags.Radians(unit)
	} else if !d.Geo.Pure {
		written = d.Geo.Unit
	}
	fields := columns.PairFields(written)
	reserved := []string{"row", "neighbor", "distance"}
	data, _ := d.Data()
	var err error
	if w.kept, err = columns.Keep(f.keep, d.Cat, data, reserved, false, pad); err != nil {
		return nil, err
	}
	for _, k := range w.kept {
		fields = append(fields, k.Field)
	}
	if err := columns.ReadKept(ctx, d.Cat, columns.Side(w.kept, false)); err != nil {
		return nil, err
	}
	if err := columns.ReadKept(ctx, data, columns.Side(w.kept, true)); err != nil {
		return nil, err
	}
	w.W, err = table.NewWriter(f.Out.Output, fields, table.Options{Force: f.Out.Force, Metadata: meta, Threads: d.Run.Count()})
	return w, err
}

// Batch writes the lists of a batch.
func (w *PairWriter) Batch(ctx context.Context, b *neighbors.Batch) error {
	for from, total := 0, len(b.Index); from < total; {
		n := min(total-from, len(w.rows)-w.N)
		w.fill(b, from, n)
		from += n
		if w.N += n; w.N == len(w.rows) {
			if err := w.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill puts n pairs of a batch behind those in hand.
func (w *PairWriter) fill(b *neighbors.Batch, from, n int) {
	_, data := w.d.Data()
	threads := min(w.d.Run.Count(), mostWriters, 1+n/4096)
	par.Chunks(threads, n, func(_, lo, hi int) {
		rows, near, dists := w.rows[w.N:], w.near[w.N:], w.dists[w.N:]
		first := int64(from + lo)
		i := sort.Search(len(b.Rows), func(i int) bool { return b.Offset[i+1] > first })
		for k := lo; k < hi; i++ {
			row := job.CatalogRow(w.d.Sel, b.Rows[i])
			for end := min(hi, int(b.Offset[i+1])-from); k < end; k++ {
				rows[k], near[k], dists[k] = row, -1, b.Dist[from+k]/w.per
				if q := b.Index[from+k]; q != neighbors.None {
					near[k] = job.CatalogRow(data, q)
				}
			}
		}
	})
}

func (w *PairWriter) flush(ctx context.Context) error {
	defer func(start time.Time) { w.spent += time.Since(start) }(time.Now())
	rows, near := w.rows[:w.N], w.near[:w.N]
	cols := []catalog.Column{{Int64: rows}, {Int64: near}, {Float64: w.dists[:w.N]}}
	for _, k := range w.kept {
		of := rows
		if k.Second {
			of = near
		}
		cols = append(cols, columns.Pick(&k.Values, k.Field, of))
	}
	err := w.W.WriteRows(ctx, cols)
	w.Written += int64(w.N)
	w.N = 0
	return err
}

// finish writes what is left and gives the table its name.
func (w *PairWriter) finish(ctx context.Context) error {
	if err := w.flush(ctx); err != nil {
		return err
	}
	defer func(start time.Time) { w.spent += time.Since(start) }(time.Now())
	return w.W.Commit(ctx)
}
