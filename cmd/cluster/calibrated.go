package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

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

const (
	leastBatch = 1 << 16 // neighbours
	mostBatch  = 32 << 20
	gpuStreams = 3
	// The model is fitted to at least fewBatches large batches, and to small
	// ones, of which there are times as many.
	fewBatches = 4
	times      = 3
)

// measureGPU joins on the GPU as it does by itself, and with large and small
// batches.
func (o *calibrateOptions) measureGPU(ctx context.Context, j *job, plan *neighbors.Plan, c *costmodel.Calibration) error {
	own, err := timeBatches(ctx, j.run.config(), plan, 0)
	if err != nil {
		return err
	}
	c.GPU = &costmodel.Rate{Device: "gpu", Seconds: own.Again}
	large := min(c.Pairs/fewBatches, mostBatch)
	small := large / times
	if small < leastBatch {
		j.sum.note("batches", "too few pairs to measure batches with; calibrate at a larger radius for that")
		return nil
	}
	a, err := timeBatches(ctx, j.run.config(), plan, large)
	if err != nil {
		return err
	}
	b, err := timeBatches(ctx, j.run.config(), plan, small)
	if err != nil {
		return err
	}
	c.Batch, err = costmodel.FitBatch(c.Dim, c.Epsilon, a, b)
	if err != nil {
		j.sum.note("batches", "not measured: %v", err)
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

// bestBatch is the batch size that the model advises.
func bestBatch(m *costmodel.BatchModel, eps float64) int64 {
	return m.Best(eps, leastBatch, mostBatch, gpuStreams)
}

// calibrations returns the folder of calibrations and the name of the host.
func calibrations() (dir, host string, err error) {
	if dir, err = os.UserCacheDir(); err != nil {
		return "", "", fmt.Errorf("there is no cache folder: %w", err)
	}
	if host, err = os.Hostname(); err != nil {
		return "", "", err
	}
	return filepath.Join(dir, "skyjoin"), host, nil
}

// dataset tells the points of the job from others: by files, their sizes, and
// what of them is joined how.
func (j *job) dataset() (data []string) {
	for _, f := range j.cat.Files() {
		path, err := filepath.Abs(f.Path)
		if err != nil {
			path = f.Path
		}
		data = append(data, fmt.Sprintf("%s, %d rows, %d bytes", path, f.Rows, f.Bytes))
	}
	return append(data, fmt.Sprintf("%s by %s, scale %s, %d used", joinList(j.geo.columns), j.geo.metricName(), j.scale, j.sel.Points.Len()))
}

// calibration returns what was measured of the points of the job, nil if
// nothing was; one that cannot be read is named in the summary.
func (j *job) calibration() *costmodel.Calibration {
	if j.eps == 0 {
		return nil
	}
	dir, host, err := calibrations()
	if err != nil {
		return nil
	}
	c, err := costmodel.Load(dir, host, j.dataset())
	if err != nil {
		j.sum.note("calibration", "not used: %v", err)
	}
	return c
}
