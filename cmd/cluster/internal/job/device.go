package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/gpu"
	"skyjoin/hybrid"
	"skyjoin/internal/costmodel"
	"skyjoin/internal/size"
	"skyjoin/neighbors"
)

// check refuses impossible devices before anything is read.
func check(f *flags.Run) error {
	if err := checkUse(f); err != nil {
		return err
	}
	if err := checkTraces(&f.GPU); err != nil {
		return err
	}
	g, device := &f.GPU, f.Device.Value
	if device != "gpu" && device != "hybrid" {
		return nil
	}
	if device == "hybrid" && f.GPU.Statistic {
		return exit.Usagef("--device hybrid: pairs are counted by the CPU or by GPUs, not by both; use --device gpu, or auto")
	}
	found, err := gpu.Devices()
	switch {
	case err != nil:
		return NoDevice(device, err)
	case !f.GPU.Registered:
		return exit.Usagef("--device %s: this command runs on the CPU; use --device cpu, or auto", device)
	}
	for _, i := range g.Gpus {
		if i >= len(found) {
			return exit.Usagef("--gpus %s: the machine has %s, numbered from 0; see 'cluster devices'", &g.Gpus, human.Plural(int64(len(found)), "GPU", "GPUs"))
		}
	}
	return nil
}

// checkUse refuses flags that do not apply to the devices.
func checkUse(f *flags.Run) error {
	g := &f.GPU
	if f.Device.Value == "cpu" {
		if len(g.Gpus) > 0 {
			return exit.Usagef("--gpus %s: --device cpu uses no GPU", &g.Gpus)
		}
	}
	shared := f.Device.Value == "hybrid" || f.Device.Value != "cpu" && len(g.Gpus) > 1
	switch {
	case shared && g.Half():
		return exit.Usagef("--gpu-pattern %s finds each pair once on one GPU that has all rows; for rows shared by several devices there are full and brute", &g.Pattern)
	case !shared && len(g.Traces) > 0:
		return exit.Usagef("--trace %s: it shows a join that several devices share; use --device hybrid, or several of --gpus", g.Traces[0])
	case !shared && g.Partition.Value != "":
		return exit.Usagef("--partition %s: it divides rows among several devices; use --device hybrid, or several of --gpus", &g.Partition)
	}
	return nil
}

// NoDevice returns the error for a device that cannot be used. A request that no GPU
// can carry out is a wrong request; a GPU that fails is not.
func NoDevice(device string, err error) error {
	if errors.Is(err, errors.ErrUnsupported) {
		text := strings.TrimPrefix(err.Error(), errors.ErrUnsupported.Error()+": ")
		return exit.Usagef("--device %s: %s; use --device cpu, or auto", device, text)
	}
	return fmt.Errorf("--device %s: %w; use --device cpu, or auto", device, err)
}

// gpuStart is the time in seconds that it takes to initialise a GPU.
const gpuStart = 0.3

// worthwhile reports whether a join of so many rows should run on a GPU if there is
// one; c is the calibration of the data, or nil.
func worthwhile(f *flags.Run, rows int, eps float64, c *costmodel.Calibration) bool {
	switch {
	case f.Device.Value == "gpu" || f.Device.Value == "hybrid":
		return true
	case f.Device.Value != "auto" || !f.GPU.Registered || f.GPU.Rows == flags.OnlyAsked:
		return false
	case c != nil && eps > 0: // joins for the nearest have no radius
		return c.GPUFaster(eps, gpuStart)
	}
	return rows >= f.GPU.Rows*f.Count()
}

// On carries out work on so many rows with the joiner that --device asks for. With
// auto, a GPU that fails is replaced by the CPU, and the work starts again.
func (j *Job) On(rows int, work func(neighbors.Joiner) error) error {
	cpu := j.Joiner // work may set another
	var c *costmodel.Calibration
	if j.Run.Device.Value != "cpu" {
		c = j.calibration()
	}
	named := j.Run.GPU.Gpus.String()
	if !worthwhile(&j.Run, rows, j.Eps, c) {
		if named != "" {
			j.Sum.OnDevice("cpu", "--gpus "+named+": no GPU is expected to end sooner; --device gpu takes it all the same")
		}
		return work(cpu)
	}
	if !j.roomForCard() {
		j.Sum.OnDevice("cpu", fmt.Sprintf("--memory %s: there may be no room for a GPU beside the rows; --device gpu measures it", size.Text(j.Run.Memory.Bytes)))
		return work(cpu)
	}
	cfg := j.Config()
	if c != nil && c.Batch != nil && j.Eps > 0 {
		cfg.Batch = int(BestBatch(c.Batch, j.Eps))
	}
	err := j.onGPU(cfg, c, work)
	switch {
	case err == nil || !gpu.IsFailure(err):
		return err
	case j.Run.Device.Value != "auto":
		return NoDevice(j.Run.Device.Value, err)
	case !gpu.IsAbsent(err) || named != "":
		j.Sum.OnDevice("cpu", strings.TrimPrefix(exit.Message(err), errors.ErrUnsupported.Error()+": "))
	}
	return work(cpu)
}

// Compute carries out work on so many rows with the joiner that --device asks for,
// and returns its result. Work writes no file.
func Compute[T any](ctx context.Context, j *Job, rows int, work func(neighbors.Joiner) (T, error)) (T, error) {
	result, err := exit.Await(ctx, func() (result T, err error) {
		err = j.On(rows, func(joiner neighbors.Joiner) (err error) {
			result, err = work(joiner)
			return err
		})
		return result, err
	})
	return result, exit.OverMemory(err)
}

// onGPU carries out work on a GPU, or on several devices that share it.
func (j *Job) onGPU(cfg gpu.Config, c *costmodel.Calibration, work func(neighbors.Joiner) error) error {
	var joiner interface {
		neighbors.Joiner
		io.Closer
		Launched() gpu.Launched
	}
	if !j.Run.GPU.Statistic && (j.Run.Device.Value == "hybrid" || len(cfg.Devices) > 1) {
		return j.onSeveral(cfg, c, work)
	}
	err := j.Sum.OpenGPU(func() (err error) {
		if j.Run.GPU.Statistic {
			joiner, err = gpu.OpenCards(cfg)
		} else {
			joiner, err = gpu.Open(cfg)
		}
		return err
	})
	if err != nil {
		return err
	}
	err = work(joiner)
	if gpu.IsFull(err) && !j.Run.GPU.Statistic {
		err = inSlabs(joiner, err, work)
	}
	ran := joiner.Launched()
	closed := joiner.Close()
	if err != nil {
		return err // the error of a GPU is complete
	}
	j.Launched(ran)
	j.Sum.OnDevice("gpu", "")
	return closed
}

// inSlabs restarts work after a GPU could not hold all points, in slabs that it can
// hold. If these do not fit either, it returns full.
func inSlabs(joiner neighbors.Joiner, full error, work func(neighbors.Joiner) error) error {
	err := work(&hybrid.Joiner{GPUs: []neighbors.Joiner{joiner}})
	if errors.Is(err, neighbors.ErrMemory) || errors.Is(err, neighbors.ErrRequest) || gpu.IsFull(err) {
		return full // a half pattern has no slabs
	}
	return err
}

// Config returns the flags as the configuration of package gpu.
func (f *Flags) Config() gpu.Config {
	g := &f.Run.GPU
	threads, _ := strconv.Atoi(g.Threads.Value) // "" is 0
	return gpu.Config{
		Devices: g.Gpus,
		Memory:  f.Run.Memory.Bytes,
		Pattern: gpu.Pattern(g.Pattern.Value),
		Threads: threads,
		Order:   gpu.Order(g.Order.Value),
		Pairs:   gpu.Pairs{Tiling: gpu.Tiling(g.Tiling.Value), Output: gpu.Output(g.Output.Value)},
	}
}
