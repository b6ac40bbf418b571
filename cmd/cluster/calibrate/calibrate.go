// Package calibrate is 'cluster calibrate', which measures CPU and GPU on the data.
package calibrate

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/gpu"
	"skyjoin/internal/costmodel"
	"skyjoin/neighbors"
)

const doc = `calibrate DATA… --eps E
measures CPU and GPU on the data, for later runs

Joins the data with itself at the radius --eps, once on the CPU and a few times
on the GPU, and keeps what it measured in the user's cache folder, for this host
and these columns of these files. Later joins of them use the measurements to
decide whether starting a GPU pays, and how many pairs it sends at a time.

Calibrate at a radius of the usual size: work at others is predicted from the
volumes of the balls.

Examples:
  cluster calibrate gaia.parquet -c ra,dec --eps 30arcsec
  cluster join gaia.parquet -c ra,dec --eps 45arcsec -o pairs.parquet`

// Options are the flags of the command.
type Options struct {
	job.Flags
	eps flags.Length
}

func New(a *job.App) *cobra.Command {
	o := &Options{}
	cmd := flags.Command(doc, flags.NeedFiles, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	cmd.Flags().Var(&o.eps, "eps", "radius; on the sky with its unit: deg, arcmin, arcsec, mas, uas or rad")
	o.Geometry.Register(cmd)
	o.Read.RegisterRows(cmd.Flags())
	o.Run.Register(cmd)
	o.Run.GPU.Register(cmd, flags.OnlyAsked)
	return cmd
}

// Run measures the devices and stores the measurements.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	if o.eps.Value == 0 {
		return exit.Usagef("--eps is needed: the radius to measure at, as in --eps 30arcsec")
	}
	if len(o.Run.GPU.Gpus) > 1 {
		return exit.Usagef("--gpus %s: one GPU is measured at a time; name one of them", &o.Run.GPU.Gpus)
	}
	if o.Run.Device.Value == "hybrid" {
		return exit.Usagef("--device hybrid: CPU and GPU are measured one after the other; use --device gpu, or auto")
	}
	j, err := o.Locate(ctx, a, "calibrate", job.Inputs{Paths: paths})
	if err != nil {
		return err
	}
	defer j.Close()
	eps, err := j.Geo.Radius("--eps", o.eps)
	if err != nil {
		return err
	}
	if err := j.Load(ctx, "", ""); err != nil {
		return err
	}
	j.Parameters().Length("eps", o.eps)
	dir, host, err := job.Calibrations()
	if err != nil {
		return err
	}
	c := &costmodel.Calibration{Host: host, Data: j.Dataset(), Rows: int64(j.Sel.Points.Len()), Dim: j.Sel.Points.Dim(), Epsilon: eps}
	if err := exit.Do(ctx, func() error { return o.measure(ctx, j, c) }); err != nil {
		return exit.OverMemory(err)
	}
	path, err := c.Save(dir)
	if err != nil {
		return err
	}
	j.Swept(costmodel.Sweep(dir))
	report(j, c, path)
	return j.Finish(ctx)
}

// measure joins the points on each device.
func (o *Options) measure(ctx context.Context, j *job.Job, c *costmodel.Calibration) error {
	start := time.Now()
	in := neighbors.Input{Query: j.Sel.Points, Metric: j.Metric, Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes}
	plan, err := neighbors.Prepare(ctx, in, neighbors.Within{Radius: c.Epsilon})
	if err != nil {
		return err
	}
	j.Sum.Seconds.Index = time.Since(start).Seconds()
	for row := range plan.Len() {
		c.Candidates += plan.Cost(uint32(row))
	}
	defer j.Timed(&j.Sum.Seconds.Join)()
	cpu, err := measureJoin(ctx, j.CPU(), plan)
	if err != nil {
		return err
	}
	c.Pairs, c.CPU = cpu.pairs, costmodel.Rate{Device: "cpu", Seconds: cpu.seconds}
	if j.Run.Device.Value == "cpu" {
		return nil
	}
	err = o.measureGPU(ctx, j, plan, c)
	switch {
	case err == nil:
		j.Sum.OnDevice("gpu", "")
		return nil
	case !gpu.IsFailure(err):
		return err
	case j.Run.Device.Value == "gpu":
		return job.NoDevice("gpu", err)
	}
	c.GPU, c.Batch = nil, nil
	j.Sum.OnDevice("cpu", exit.Message(err))
	return nil
}

func report(j *job.Job, c *costmodel.Calibration, path string) {
	r := &j.Sum.Result
	r.Add(joined{c.Pairs / 2, c.Candidates, c.CPU.Seconds})
	if c.GPU != nil {
		r.Add(onGPU{c.GPU.Seconds, c.Share()})
	}
	if m := c.Batch; m != nil {
		r.Add(batches{m.Join, m.Launch, m.Pin * (1 << 30) / 4, job.BestBatch(m, c.Epsilon)})
	}
	r.Add(kept{path})
}

// Result is that of the command.
type Result struct {
	joined
	*onGPU
	*batches
	kept
}

type joined struct {
	Pairs      int64   `json:"pairs" jsonschema:"unordered pairs within the radius"`
	Candidates int64   `json:"candidates" jsonschema:"pairs that are compared to find them"`
	CPU        float64 `json:"cpu_seconds" jsonschema:"seconds of the CPU"`
}

type onGPU struct {
	GPU   float64 `json:"gpu_seconds" jsonschema:"seconds of the GPU"`
	Share float64 `json:"gpu_share" jsonschema:"share of the work that the GPU gets of a hybrid run"`
}

type batches struct {
	Join  float64 `json:"join_seconds" jsonschema:"seconds of the kernels"`
	Batch float64 `json:"batch_seconds" jsonschema:"seconds that each batch costs"`
	Pin   float64 `json:"pin_seconds_per_gib" jsonschema:"seconds that a GiB of pinned memory costs"`
	Best  int64   `json:"batch" jsonschema:"neighbours of the best batch"`
}

type kept struct {
	File string `json:"file" jsonschema:"where the measurements are kept"`
}

// A measured is one join that was timed.
type measured struct {
	seconds float64
	pairs   int64 // ordered
	batches int
}

// measureJoin carries out a plan and discards the lists.
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
func (o *Options) measureGPU(ctx context.Context, j *job.Job, plan *neighbors.Plan, c *costmodel.Calibration) error {
	own, err := timeBatches(ctx, j, plan, 0)
	if err != nil {
		return err
	}
	c.GPU = &costmodel.Rate{Device: "gpu", Seconds: own.Again}
	large := min(c.Pairs/job.FewBatches, job.MostBatch)
	small := large / job.Times
	if small < job.LeastBatch {
		j.Sum.Note("batches", "there are too few pairs to measure batches; calibrate at a larger radius")
		return nil
	}
	var runs [2]costmodel.Run
	for i, batch := range []int64{large, small} {
		if runs[i], err = timeBatches(ctx, j, plan, batch); err != nil {
			return err
		}
	}
	c.Batch, err = costmodel.FitBatch(c.Dim, c.Epsilon, runs[0], runs[1])
	if err != nil {
		j.Sum.Note("batches", "not measured: %v", err)
	}
	return nil
}

// timeBatches times the join with a batch size, 0 for the joiner's own.
func timeBatches(ctx context.Context, j *job.Job, plan *neighbors.Plan, batch int64) (r costmodel.Run, err error) {
	cfg := j.Config()
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
	var first, again measured
	for i := range 3 {
		m, err := measureJoin(ctx, joiner, plan)
		if err != nil {
			return r, err
		}
		if again.seconds = min(again.seconds, m.seconds); i == 0 {
			first, again = m, m
		}
	}
	j.Launched(joiner.Launched())
	return costmodel.Run{Batch: batch, Batches: first.batches, First: first.seconds, Again: again.seconds}, nil
}
