package calibrate

import (
	"context"
	"sync/atomic"
	"time"

	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/gpu"
	"skyjoin/internal/costmodel"
	"skyjoin/neighbors"
)

// A measured is one join that was timed.
type measured struct {
	seconds float64
	pairs   int64 // ordered
	batches int
}

// measureJoin carries out a plan and throws the lists away.
func measureJoin(ctx context.Context, joiner neighbors.Joiner, plan *neighbors.Plan) (m measured, err error) {
	var pairs, batches atomic.Int64
	start := time.Now()
	err = neighbors.Visit(ctx, joiner, plan, plan.Work(), func(_ int, b *neighbors.Batch) error {
		pairs.Add(int64(len(b.Index)))
		batches.Add(1)
		return nil
	})
	return measured{max(time.Since(start).Seconds(), 1e-9), pairs.Load(), int(batches.Load())}, err
}

// measureGPU joins on the GPU as it does by itself, and with large and small
// batches.
func (o *calibrateOptions) measureGPU(ctx context.Context, j *job.Job, plan *neighbors.Plan, c *costmodel.Calibration) error {
	own, err := timeBatches(ctx, job.Config(j.Run), plan, 0)
	if err != nil {
		return err
	}
	c.GPU = &costmodel.Rate{Device: "gpu", Seconds: own.Again}
	large := min(c.Pairs/job.FewBatches, job.MostBatch)
	small := large / job.Times
	if small < job.LeastBatch {
		j.Sum.Note("batches", "too few pairs to measure batches with; calibrate at a larger radius for that")
		return nil
	}
	a, err := timeBatches(ctx, job.Config(j.Run), plan, large)
	if err != nil {
		return err
	}
	b, err := timeBatches(ctx, job.Config(j.Run), plan, small)
	if err != nil {
		return err
	}
	c.Batch, err = costmodel.FitBatch(c.Dim, c.Epsilon, a, b)
	if err != nil {
		j.Sum.Note("batches", "not measured: %v", err)
	}
	return nil
}

// timeBatches times the join with a batch size, 0 for the joiner's own.
func timeBatches(ctx context.Context, cfg gpu.Config, plan *neighbors.Plan, batch int64) (r costmodel.Run, err error) {
	cfg.Batch = int(batch)
	joiner, err := gpu.Open(cfg)
	if err != nil {
		return r, err
	}
	defer joiner.Close()
	// The first use of a kernel loads it: counts use all but the last one.
	if err := neighbors.Count(ctx, joiner, plan, plan.Work(), make([]int64, plan.Len())); err != nil {
		return r, err
	}
	first, err := measureJoin(ctx, joiner, plan)
	if err != nil {
		return r, err
	}
	again := first
	for range 2 {
		m, err := measureJoin(ctx, joiner, plan)
		if err != nil {
			return r, err
		}
		again.seconds = min(again.seconds, m.seconds)
	}
	return costmodel.Run{Batch: batch, Batches: first.batches, First: first.seconds, Again: again.seconds}, nil
}
