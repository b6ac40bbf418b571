package pairs

import (
	"context"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/neighbors"
)

// Announce says what is to be expected of a table of so many pairs, of which
// write writes some.
func (f *Flags) Announce(ctx context.Context, d *job.Duo, unit string, pad bool, p *report.Parameters, total float64, write func(*PairWriter) error) {
	written := int64(0)
	size := job.TableBytes(f.Out.Output, func(path string) error {
		to := *f
		to.Out.Output = path
		w, err := NewPairWriter(ctx, d, &to, unit, pad, p.Metadata)
		if err != nil {
			return err
		}
		defer w.W.Abort()
		if err = write(w); err == nil {
			err = w.finish(ctx)
		}
		written = w.Written
		return err
	})
	d.Announce(job.Forecast{Pairs: total, Bytes: total / max(float64(written), 1) * size}, f.Out.Output)
}

// Some gives the lists of some rows to visit while that returns true, and
// returns how many neighbours these have.
func Some(ctx context.Context, d *job.Duo, plan *neighbors.Plan, rows []uint32, visit func(*neighbors.Batch) (bool, error)) (pairs int64, err error) {
	err = exit.Await(ctx, func() error {
		for b, err := range d.Joiner.Join(ctx, plan, neighbors.NewWork(rows, nil)) {
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
