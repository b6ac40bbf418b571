package join

import (
	"context"

	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/pairs"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/neighbors"
)

// forecast samples the pairs of a join on the CPU. Others have their index
// elsewhere, and one for some rows alone can cost more than it tells.
func (o *joinOptions) forecast(ctx context.Context, d *job.Duo, plan *neighbors.Plan, unit string, p *report.Parameters) {
	n := plan.Len()
	if _, onCPU := d.Joiner.(neighbors.CPU); !onCPU {
		return
	}
	if float64(n)*float64(plan.DataLen()) < job.Large.Pairs {
		return
	}
	rows := job.SampledRows(n, plan.DataLen())
	if len(rows) == 0 {
		return
	}
	sampled, err := pairs.Some(ctx, d, plan, rows, func(*neighbors.Batch) (bool, error) { return true, nil })
	total := float64(sampled) * float64(n) / float64(len(rows))
	if plan.Self() {
		total /= 2
	}
	if err != nil || total < job.Large.Pairs {
		return
	}
	o.Announce(ctx, d, unit, false, p, total, func(w *pairs.PairWriter) error {
		_, err := pairs.Some(ctx, d, plan, rows, func(b *neighbors.Batch) (bool, error) {
			err := w.Batch(ctx, b)
			return w.Written+int64(w.N) < job.SamplePairs, err
		})
		return err
	})
}
