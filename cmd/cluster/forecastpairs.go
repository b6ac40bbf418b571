package main

import (
	"context"
	"math/rand/v2"

	"skyjoin/io/catalog"
	"skyjoin/knnclass"
	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
)

// forecast samples the pairs of a join on the CPU. Others have their index
// elsewhere, and one for some rows alone can cost more than it tells.
func (o *joinOptions) forecast(ctx context.Context, d *duo, plan *neighbors.Plan, unit string, p *parameters) {
	n := plan.Len()
	if _, onCPU := d.joiner.(neighbors.CPU); !onCPU {
		return
	}
	if float64(n)*float64(plan.DataLen()) < large.pairs {
		return
	}
	rows := sampledRows(n, plan.DataLen())
	if len(rows) == 0 {
		return
	}
	pairs, err := d.some(ctx, plan, rows, func(*neighbors.Batch) (bool, error) { return true, nil })
	total := float64(pairs) * float64(n) / float64(len(rows))
	if plan.Self() {
		total /= 2
	}
	if err != nil || total < large.pairs {
		return
	}
	o.announce(ctx, d, unit, false, p, total, func(w *pairWriter) error {
		_, err := d.some(ctx, plan, rows, func(b *neighbors.Batch) (bool, error) {
			err := w.batch(ctx, b)
			return w.written+int64(w.n) < samplePairs, err
		})
		return err
	})
}

// forecast announces the table of the k nearest. How many pairs it has is known,
// and how long they are is seen of other pairs of the same rows: to find the
// nearest of enough of them could take long.
func (o *knnOptions) forecast(ctx context.Context, d *duo, plan *neighbors.Plan, k int, unit string, p *parameters) {
	total := float64(plan.Len()) * float64(k)
	if plan.Len() == 0 || plan.DataLen() == 0 || total < large.pairs {
		return
	}
	o.announce(ctx, d, unit, o.pad, p, total, func(w *pairWriter) error { return w.batch(ctx, anyPairs(plan, k)) })
}

// anyPairs gives rows of the plan, evenly spread, lists of k rows from all over
// the data: samplePairs in all.
func anyPairs(plan *neighbors.Plan, k int) *neighbors.Batch {
	n, data := plan.Len(), plan.DataLen()
	k = min(k, samplePairs)
	rows := min(n, samplePairs/k)
	r := rand.New(rand.NewPCG(1, 1))
	b := &neighbors.Batch{Table: neighbors.Table{Offset: []int64{0}}}
	for i := range rows {
		row := uint32(i * n / rows)
		for range k {
			near := uint32(r.IntN(data))
			b.Index, b.Dist = append(b.Index, near), append(b.Dist, plan.Distance(row, near))
		}
		b.Rows, b.Offset = append(b.Rows, row), append(b.Offset, int64(len(b.Index)))
	}
	return b
}

// sampledRows are some of n rows, evenly spread: so many that to look at all
// data for each of them takes a fraction of a second.
func sampledRows(n, data int) []uint32 {
	const sampled, most = 2e8, 256 // distances, rows
	rows := make([]uint32, min(n, most, max(16, sampled/max(1, data))))
	for i := range rows {
		rows[i] = uint32(i * n / len(rows))
	}
	return rows
}

// announce says what is to be expected of a table of so many pairs, of which
// write writes some.
func (f *pairFlags) announce(ctx context.Context, d *duo, unit string, pad bool, p *parameters, total float64, write func(*pairWriter) error) {
	written := int64(0)
	size := tableBytes(f.out.output, func(path string) error {
		to := *f
		to.out.output = path
		w, err := d.newPairWriter(ctx, &to, unit, pad, p.metadata)
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
	d.announce(forecast{pairs: total, bytes: total / max(float64(written), 1) * size}, f.out.output)
}

// forecast has the match look at some rows first where all pairs match, and
// announces the table. Unmatched rows, which are no more than there are in the
// catalogs, are left out of it.
func (o *matchOptions) forecast(ctx context.Context, d *duo, points [2]*neighbors.Points, opt *match.Options, unit string, meta []catalog.KeyValue) {
	n, data := points[0].Len(), points[1].Len()
	if o.chosenFind != match.All || o.out.output == "" || !o.chosenJoin.Matches() || n == 0 || float64(n)*float64(data) < large.pairs {
		return
	}
	opt.Sample = sampledRows(n, data)
	opt.Foresee = func(pairs []match.Pair) error {
		total := float64(len(pairs)) * float64(n) / float64(len(opt.Sample))
		if total >= large.pairs {
			o.announce(ctx, d, d.catalogRows(pairs[:min(len(pairs), samplePairs)], unit), total, unit, meta)
		}
		return nil
	}
}

// announce says what is to be expected of a table of so many matches, some of
// which are found.
func (o *matchOptions) announce(ctx context.Context, d *duo, some []match.Row, total float64, unit string, meta []catalog.KeyValue) {
	all, _, err := o.kept(d)
	if err != nil {
		return // to write the table will tell
	}
	size := tableBytes(o.out.output, func(path string) error {
		to := o.out
		to.output = path
		return o.writeRows(ctx, d, &to, some, all, unit, meta, nil)
	})
	d.announce(forecast{pairs: total, bytes: total / max(float64(len(some)), 1) * size}, o.out.output)
}

// forecast announces the table of --explain: of the K nearest, as that of knn. How
// many there are within a radius is not known.
func (p *predictor) forecast(ctx context.Context, meta []catalog.KeyValue) {
	n, k := p.j.cat.Rows(), min(p.opt.K, p.t.points.Len())
	if p.o.explain == "" || p.opt.Radius != 0 || n == 0 || float64(n)*float64(k) < large.pairs {
		return
	}
	k = min(k, samplePairs)
	rows := min(n, int64(samplePairs/k))
	size := tableBytes(p.o.explain, func(path string) error {
		to := *p.o
		to.explain = path
		e, err := to.newExplanation(p.j, p.t, meta)
		if err != nil {
			return err
		}
		defer e.w.Abort()
		e.sel = &catalog.Selection{}
		r := rand.New(rand.NewPCG(1, 1))
		train, dist, share := make([]uint32, k), make([]float64, k), make([]float64, k)
		for row := range uint32(rows) {
			for i := range train {
				train[i], dist[i], share[i] = uint32(r.IntN(p.t.points.Len())), r.Float64(), 1/float64(k)
				if p.opt.Vote != knnclass.Uniform {
					share[i] = r.Float64()
				}
			}
			if err := e.add(ctx, row, train, dist, share); err != nil {
				return err
			}
		}
		if err := e.flush(ctx); err != nil {
			return err
		}
		return e.w.Commit(ctx)
	})
	total := float64(n) * float64(min(p.opt.K, p.t.points.Len()))
	p.j.announce(forecast{pairs: total, bytes: total / float64(rows*int64(k)) * size}, p.o.explain)
}

// some gives the lists of some rows to visit while that returns true, and
// returns how many neighbours these have.
func (d *duo) some(ctx context.Context, plan *neighbors.Plan, rows []uint32, visit func(*neighbors.Batch) (bool, error)) (pairs int64, err error) {
	err = await(ctx, func() error {
		for b, err := range d.joiner.Join(ctx, plan, neighbors.NewWork(rows, nil)) {
			if err != nil {
				return err
			}
			pairs += int64(len(b.Index))
			if more, err := visit(b); err != nil || !more {
				return err
			}
		}
		return nil
	})
	return pairs, err
}
