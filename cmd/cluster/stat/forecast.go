package stat

import (
	"context"
	"time"

	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/pairfunc"
)

// forecast samples the pairs of a function of two rows, which onCPU evaluates
// as fast as the run will.
func (o *statOptions) forecast(ctx context.Context, d *job.Duo, s *pairfunc.Job, p *report.Parameters, onCPU bool) {
	const sampled = 2e7 // pairs, a fraction of a second
	if float64(s.Total()) < job.Large.Pairs {
		return
	}
	step := s.A.Rows / max(1, min(s.A.Rows, max(8, sampled/max(1, s.B.Rows))))
	var rows, others []uint32
	start := time.Now()
	r, met, err := s.Sample(ctx, step, func(a, b []uint32) error {
		n := min(len(a), job.SamplePairs-len(rows))
		rows, others = append(rows, a[:n]...), append(others, b[:n]...)
		return nil
	})
	if err != nil || met == 0 {
		return // the run itself will tell
	}
	share := float64(s.Total()) / float64(met)
	f := job.Forecast{Pairs: float64(r.Count) * share}
	if onCPU {
		f.Seconds = time.Since(start).Seconds() * share
	}
	if len(rows) > 0 {
		f.Bytes = f.Pairs / float64(len(rows)) * job.TableBytes(o.out.Output, func(path string) error {
			w, err := o.newPairs(ctx, d, p, path)
			if err != nil {
				return err
			}
			defer w.w.Abort()
			if err := w.take(rows, others); err != nil {
				return err
			}
			return w.finish()
		})
	}
	d.Announce(f, o.out.Output)
}
