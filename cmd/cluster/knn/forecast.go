package knn

import (
	"context"
	"math/rand/v2"

	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/pairs"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/neighbors"
)

// forecast announces the table of the k nearest. How many pairs it has is known,
// and how long they are is seen of other pairs of the same rows: to find the
// nearest of enough of them could take long.
func (o *knnOptions) forecast(ctx context.Context, d *job.Duo, plan *neighbors.Plan, k int, unit string, p *report.Parameters) {
	total := float64(plan.Len()) * float64(k)
	if plan.Len() == 0 || plan.DataLen() == 0 || total < job.Large.Pairs {
		return
	}
	o.Announce(ctx, d, unit, o.pad, p, total, func(w *pairs.PairWriter) error { return w.Batch(ctx, anyPairs(plan, k)) })
}

// anyPairs gives rows of the plan, evenly spread, lists of k rows from all over
// the data: samplePairs in all.
func anyPairs(plan *neighbors.Plan, k int) *neighbors.Batch {
	n, data := plan.Len(), plan.DataLen()
	k = min(k, job.SamplePairs)
	rows := min(n, job.SamplePairs/k)
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
