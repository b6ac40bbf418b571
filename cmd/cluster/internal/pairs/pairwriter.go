package pairs

import (
	"context"
	"slices"
	"sort"
	"time"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/par"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors"
)

// A Writer writes pairs of rows as they come, with columns of either side.
type Writer struct {
	t     *Table
	w     *table.Writer
	kept  []columns.Kept
	per   float64 // what a distance is divided by to be in the unit that is written
	n     int     // pairs in hand
	rows  []int64 // of these, with room for a block
	near  []int64
	dists []float64

	written int64         // pairs
	spent   time.Duration // in writing
}

// mostWriters is how many threads fill a block.
const mostWriters = 16

// newWriter starts the table.
func (t *Table) newWriter(ctx context.Context, path string) (w *Writer, err error) {
	block := columns.PairBlock * min(t.Run.Count(), mostWriters)
	w = &Writer{t: t, per: t.PerEdge(t.unit), rows: make([]int64, block), near: make([]int64, block), dists: make([]float64, block)}
	unit := t.unit
	if !t.Geo.Angle && !t.Geo.Pure {
		unit = t.Geo.Unit
	}
	fields := columns.PairFields(unit)
	if w.kept, err = columns.Keep(t.keep, t.Cat, t.Data().Cat, fields, false, t.pad); err != nil {
		return nil, err
	}
	for _, k := range w.kept {
		fields = append(fields, k.Field)
	}
	for _, second := range []bool{false, true} {
		if err := columns.ReadKept(ctx, t.Job, columns.Side(w.kept, second)); err != nil {
			return nil, err
		}
	}
	opt := t.Options("", nil)
	opt.Metadata = slices.Concat(opt.Metadata, columns.Header(w.kept, t.Cat, t.Data().Cat))
	w.w, err = table.NewWriter(path, fields, opt)
	return w, err
}

// Batch writes the lists of a batch.
func (w *Writer) Batch(ctx context.Context, b *neighbors.Batch) error {
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
func (w *Writer) fill(b *neighbors.Batch, from, n int) {
	sel, data := w.t.Sel, w.t.Data().Sel
	threads := min(w.t.Run.Count(), mostWriters, 1+n/4096)
	par.Chunks(threads, n, func(_, lo, hi int) {
		rows, near, dists := w.rows[w.n:], w.near[w.n:], w.dists[w.n:]
		first := int64(from + lo)
		i := sort.Search(len(b.Rows), func(i int) bool { return b.Offset[i+1] > first })
		for k := lo; k < hi; i++ {
			row := job.CatalogRow(sel, b.Rows[i])
			for end := min(hi, int(b.Offset[i+1])-from); k < end; k++ {
				rows[k], near[k], dists[k] = row, -1, b.Dist[from+k]/w.per
				if q := b.Index[from+k]; q != neighbors.None {
					near[k] = job.CatalogRow(data, q)
				}
			}
		}
	})
}

func (w *Writer) flush(ctx context.Context) error {
	defer func(start time.Time) { w.spent += time.Since(start) }(time.Now())
	rows, near := w.rows[:w.n], w.near[:w.n]
	cols := []catalog.Column{{Int64: rows}, {Int64: near}, {Float64: w.dists[:w.n]}}
	for _, k := range w.kept {
		of := rows
		if k.Second {
			of = near
		}
		cols = append(cols, columns.Pick(&k.Values, k.Field, of))
	}
	err := w.w.WriteRows(ctx, cols)
	w.written += int64(w.n)
	w.n = 0
	return err
}

// finish writes what is left and gives the table its name.
func (w *Writer) finish(ctx context.Context) error {
	if err := w.flush(ctx); err != nil {
		return err
	}
	defer func(start time.Time) { w.spent += time.Since(start) }(time.Now())
	return w.w.Commit(ctx)
}

// Announce forecasts the size of the table of total pairs, from a sample that
// write writes.
func (t *Table) Announce(ctx context.Context, total float64, write func(*Writer) error) {
	written := int64(0)
	size := job.TableBytes(ctx, t.Out.Output, func(ctx context.Context, path string) error {
		w, err := t.newWriter(ctx, path)
		if err != nil {
			return err
		}
		defer w.w.Abort()
		if err = write(w); err == nil {
			err = w.finish(ctx)
		}
		written = w.written
		return err
	})
	t.Job.Announce(job.Forecast{Pairs: total, Bytes: total / max(float64(written), 1) * size}, t.Out.Output)
}

// Enough reports whether as many pairs are written as a sample needs.
func (w *Writer) Enough() bool { return w.written+int64(w.n) >= job.SamplePairs }

// Sample passes the lists of some rows to visit while it returns true, and returns how
// many neighbours they have.
func (t *Table) Sample(ctx context.Context, rows []uint32, visit func(*neighbors.Batch) (bool, error)) (int64, error) {
	return exit.Await(ctx, func() (pairs int64, err error) {
		for b, err := range t.Joiner.Join(ctx, t.Plan, neighbors.NewWork(rows, nil)) {
			if err != nil {
				return pairs, err
			}
			pairs += int64(len(b.Index))
			if more, err := visit(b); err != nil || !more {
				return pairs, err
			}
		}
		return pairs, nil
	})
}

// A Table is the table of pairs that a run writes to -o.
type Table struct {
	*job.Job
	keep []string // columns of either catalog
	kept int64    // bytes of these
	Plan *neighbors.Plan
	unit string // of distances on the sky
	pad  bool   // neighbours may be none
}

// Write carries out the plan and writes its lists in the order of rows, of a
// self-join each pair once where half is set. It returns how many pairs there are.
func (t *Table) Write(ctx context.Context, half bool) (int64, error) {
	w, err := t.newWriter(ctx, t.Out.Output)
	if err != nil {
		return 0, err
	}
	defer w.w.Abort()
	start := time.Now()
	p := t.Rep.Phase("neighbours", int64(t.Plan.Len()))
	defer p.End()
	err = neighbors.InOrder(ctx, job.Within(t.Joiner, t.Plan.Memory()+t.part()), t.Plan, neighbors.Order{Entries: t.entries(), Half: half, Threads: t.Run.Count(), Progress: p.Add},
		func(b *neighbors.Batch) error { return w.Batch(ctx, b) })
	if err == nil {
		err = w.finish(ctx)
	}
	t.Sum.Seconds.Write += w.spent.Seconds()
	t.Sum.Seconds.Join += (time.Since(start) - w.spent).Seconds()
	return w.written, exit.OverMemory(err)
}

// entries is how many neighbours may wait for those before them.
func (t *Table) entries() int64 {
	if t.Run.Memory.Bytes == 0 {
		return 0
	}
	const neighbor, least = 12, 1 << 16 // bytes; the joiner refuses what is less
	return max(t.part()/neighbor, least)
}

// part is the memory that batches, waiting neighbours and the writer may each take of
// what the rows and their index leave.
func (t *Table) part() int64 {
	return max(t.Working()-t.Plan.Memory()-int64(t.Plan.Len())*8-t.kept, 0) / 5
}
