package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/gpu"
	"skyjoin/internal/costmodel"
	"skyjoin/neighbors"
)

const calibrateLong = `Joins the data with itself at the radius --eps, once on the CPU and a few times
on the GPU, and keeps what it measured in the user's cache folder, for this host
and these columns of these files. Later joins of them take from it whether a GPU
is worth its start and how many pairs it sends at a time.

Calibrate at a radius of the usual size: work at others is predicted from the
volumes of the balls.`

const calibrateExample = `  cluster calibrate gaia.parquet -c ra,dec --eps 30arcsec
  cluster join gaia.parquet -c ra,dec --eps 45arcsec -o pairs.parquet`

type calibrateOptions struct {
	run      runFlags
	read     readFlags
	geometry geometryFlags
	eps      length
}

func newCalibrate(a *app) *cobra.Command {
	o := &calibrateOptions{}
	cmd := &cobra.Command{
		Use:     "calibrate DATA… --eps E",
		Short:   "measures CPU and GPU on the data, for later runs",
		Long:    calibrateLong,
		Example: calibrateExample,
		Args:    needFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	cmd.Flags().Var(&o.eps, "eps", "radius; on the sky with its unit: deg, arcmin, arcsec or rad")
	o.geometry.register(cmd)
	o.read.register(cmd.Flags())
	o.run.register(cmd)
	o.run.gpu.register(cmd, onlyAsked)
	return cmd
}

func (o *calibrateOptions) execute(ctx context.Context, a *app, paths []string) error {
	if o.eps.value == 0 {
		return usagef("--eps is needed: the radius to measure at, as in --eps 30arcsec")
	}
	if len(o.run.gpu.gpus) > 1 {
		return usagef("--gpus %s: one GPU is measured at a time; name one of them", &o.run.gpu.gpus)
	}
	j, err := openJob(ctx, a, "calibrate", &o.run, &o.read, paths)
	if err != nil {
		return err
	}
	defer j.cat.Close()
	if j.geo, err = o.geometry.resolve(j.cat); err != nil {
		return err
	}
	eps, err := j.geo.radius("--eps", o.eps)
	if err != nil {
		return err
	}
	if err := j.load(ctx, &o.read, ""); err != nil {
		return err
	}
	j.parameters(&o.geometry, &o.read).length("eps", o.eps)
	dir, host, err := calibrations()
	if err != nil {
		return err
	}
	c := &costmodel.Calibration{Host: host, Data: j.dataset(), Rows: int64(j.sel.Points.Len()), Dim: j.sel.Points.Dim(), Epsilon: eps}
	if err := await(ctx, func() error { return o.measure(ctx, j, c) }); err != nil {
		return overMemory(err)
	}
	path, err := c.Save(dir)
	if err != nil {
		return err
	}
	report(j, c, path)
	return j.finish()
}

// measure joins the points on each device.
func (o *calibrateOptions) measure(ctx context.Context, j *job, c *costmodel.Calibration) error {
	start := time.Now()
	in := neighbors.Input{Query: j.sel.Points, Metric: j.metric, Threads: j.run.count(), Memory: j.run.memory.bytes}
	plan, err := neighbors.Prepare(ctx, in, neighbors.Within{Radius: c.Epsilon})
	if err != nil {
		return err
	}
	j.sum.Seconds.Index = time.Since(start).Seconds()
	for row := range plan.Len() {
		c.Candidates += plan.Cost(uint32(row))
	}
	defer j.sum.Seconds.lap(&j.sum.Seconds.Join, time.Now())
	cpu, err := measureJoin(ctx, j.run.cpu(), plan)
	if err != nil {
		return err
	}
	c.Pairs, c.CPU = cpu.pairs, costmodel.Rate{Device: "cpu", Seconds: cpu.seconds}
	if j.run.device.value == "cpu" {
		return nil
	}
	err = o.measureGPU(ctx, j, plan, c)
	switch {
	case err == nil:
		j.sum.onDevice("gpu", "")
		return nil
	case !gpu.IsFailure(err):
		return err
	case j.run.device.value == "gpu":
		return noDevice("gpu", err)
	}
	c.GPU, c.Batch = nil, nil
	j.sum.onDevice("cpu", message(err))
	return nil
}

func report(j *job, c *costmodel.Calibration, path string) {
	r := &j.sum.Result
	r.set("pairs", c.Pairs/2)
	r.set("candidates", c.Candidates)
	r.set("cpu_seconds", c.CPU.Seconds)
	if c.GPU != nil {
		r.set("gpu_seconds", c.GPU.Seconds)
		r.set("gpu_share", c.Share())
	}
	if m := c.Batch; m != nil {
		r.set("join_seconds", m.Join)
		r.set("batch_seconds", m.Launch)
		r.set("pin_seconds_per_gib", m.Pin*(1<<30)/4)
		r.set("batch", bestBatch(m, c.Epsilon))
	}
	r.set("file", path)
}
