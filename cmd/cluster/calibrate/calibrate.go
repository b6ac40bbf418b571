// Package calibrate is 'cluster calibrate', which measures CPU and GPU on the data.
package calibrate

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/job"
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
	run      flags.Run
	read     flags.Read
	geometry geometry.Flags
	eps      flags.Length
}

func New(a *job.App) *cobra.Command {
	o := &calibrateOptions{}
	cmd := &cobra.Command{
		Use:     "calibrate DATA… --eps E",
		Short:   "measures CPU and GPU on the data, for later runs",
		Long:    calibrateLong,
		Example: calibrateExample,
		Args:    flags.NeedFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	cmd.Flags().Var(&o.eps, "eps", "radius; on the sky with its unit: deg, arcmin, arcsec or rad")
	o.geometry.Register(cmd)
	o.read.Register(cmd.Flags())
	o.run.Register(cmd)
	o.run.GPU.Register(cmd, flags.OnlyAsked)
	return cmd
}

func (o *calibrateOptions) execute(ctx context.Context, a *job.App, paths []string) error {
	if o.eps.Value == 0 {
		return exit.Usagef("--eps is needed: the radius to measure at, as in --eps 30arcsec")
	}
	if len(o.run.GPU.Gpus) > 1 {
		return exit.Usagef("--gpus %s: one GPU is measured at a time; name one of them", &o.run.GPU.Gpus)
	}
	j, err := job.Open(ctx, a, "calibrate", &o.run, &o.read, paths)
	if err != nil {
		return err
	}
	defer j.Cat.Close()
	if j.Geo, err = o.geometry.Resolve(j.Cat); err != nil {
		return err
	}
	eps, err := j.Geo.Radius("--eps", o.eps)
	if err != nil {
		return err
	}
	if err := j.Load(ctx, &o.read, ""); err != nil {
		return err
	}
	j.Parameters(&o.geometry, &o.read).Length("eps", o.eps)
	dir, host, err := job.Calibrations()
	if err != nil {
		return err
	}
	c := &costmodel.Calibration{Host: host, Data: j.Dataset(), Rows: int64(j.Sel.Points.Len()), Dim: j.Sel.Points.Dim(), Epsilon: eps}
	if err := exit.Await(ctx, func() error { return o.measure(ctx, j, c) }); err != nil {
		return exit.OverMemory(err)
	}
	path, err := c.Save(dir)
	if err != nil {
		return err
	}
	report(j, c, path)
	return j.Finish()
}

// measure joins the points on each device.
func (o *calibrateOptions) measure(ctx context.Context, j *job.Job, c *costmodel.Calibration) error {
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
	defer j.Sum.Seconds.Lap(&j.Sum.Seconds.Join, time.Now())
	cpu, err := measureJoin(ctx, job.Cpu(j.Run), plan)
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
	r.Set("pairs", c.Pairs/2)
	r.Set("candidates", c.Candidates)
	r.Set("cpu_seconds", c.CPU.Seconds)
	if c.GPU != nil {
		r.Set("gpu_seconds", c.GPU.Seconds)
		r.Set("gpu_share", c.Share())
	}
	if m := c.Batch; m != nil {
		r.Set("join_seconds", m.Join)
		r.Set("batch_seconds", m.Launch)
		r.Set("pin_seconds_per_gib", m.Pin*(1<<30)/4)
		r.Set("batch", job.BestBatch(m, c.Epsilon))
	}
	r.Set("file", path)
}
