package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/gpu"
	"skyjoin/hybrid"
	"skyjoin/internal/costmodel"
	"skyjoin/io/figure"
	"skyjoin/neighbors"
)

// gpuFlags choose the GPUs, and the kernels, of a command whose join can run
// on them.
type gpuFlags struct {
	registered bool
	statistic  bool // of pairs, which GPUs share and the CPU has no part in
	rows       int  // for each CPU thread that make --device auto look for a GPU, or onlyAsked
	gpus       indexes
	pattern    choice
	threads    choice
	order      choice
	tiling     choice
	output     choice
	partition  choice
	traces     []string
	force      func() bool         // replace existing files
	look       func() figure.Style // of figures of --trace
}

const gpusHelp = "which GPUs, as in 0,1; 'cluster devices' numbers them (default the first)"

// onlyAsked, for rows, leaves the work to the CPU under --device auto: it has
// not been seen to end sooner on a GPU.
const onlyAsked = 0

// nearestRows is for how many rows a CPU thread finds the 8 nearest while a GPU
// starts, in even points of 2-D; others take it longer.
const nearestRows = 800_000

// register adds the flags. rows is how many rows a CPU thread does of the
// command's work while a GPU starts, which takes gpuStart; measured with 500
// neighbours a row on a processor with AVX-512.
func (f *gpuFlags) register(cmd *cobra.Command, rows int) {
	f.registered, f.rows = true, rows
	f.pattern = choice{"", []string{string(gpu.PatternFull), string(gpu.PatternUnicomp), string(gpu.PatternLIDUnicomp), string(gpu.PatternBrute)}}
	f.threads = choice{"", []string{"1", "2", "4", "8", "16", "32"}}
	f.order = choice{"", []string{string(gpu.OrderNone), string(gpu.OrderSortByWL), string(gpu.OrderWorkQueue)}}
	fs := cmd.Flags()
	fs.Var(&f.gpus, "gpus", gpusHelp)
	var partitions []string
	for _, p := range hybrid.Partitions {
		partitions = append(partitions, string(p))
	}
	f.partition = newChoice(partitions...)
	fs.Var(&f.partition, "partition", "how GPUs and CPU divide the rows with --device hybrid: "+strings.Join(f.partition.values, ", "))
	fs.StringArrayVar(&f.traces, "trace", nil, "`file` for what each device did when, of a join shared by several: .json or .csv, or a figure; may be given several times")
	f.look = lookOf(fs)
	f.force = func() bool {
		force := fs.Lookup("force")
		return force != nil && force.Value.String() == "true"
	}
	fs.Var(&f.pattern, "gpu-pattern", "a published GPU kernel instead of the fastest: "+strings.Join(f.pattern.values, ", ")+"; all give the same answer")
	fs.Var(&f.threads, "gpu-threads", "GPU threads for each row, of the published kernels (default 1)")
	fs.Var(&f.order, "gpu-order", "order of the rows, of the published kernels (default none)")
	complete(cmd, "partition", f.partition.values)
	complete(cmd, "gpu-pattern", f.pattern.values)
	complete(cmd, "gpu-threads", f.threads.values)
	complete(cmd, "gpu-order", f.order.values)
}

// registerPairs adds the flags of a command whose statistic of all pairs can
// run on a GPU; rows is as for register.
func (f *gpuFlags) registerPairs(cmd *cobra.Command, rows int) {
	f.registerStatistic(cmd, rows)
	f.tiling = choice{"", []string{string(gpu.TilingNaive), string(gpu.TilingBoth), string(gpu.TilingShared), string(gpu.TilingRoC), string(gpu.TilingShuffle)}}
	f.output = choice{"", []string{string(gpu.OutputGlobal), string(gpu.OutputBlock), string(gpu.OutputLanes)}}
	fs := cmd.Flags()
	fs.Var(&f.tiling, "gpu-tiling", "where a GPU holds the points that meet, a published way: "+strings.Join(f.tiling.values, ", ")+"; all pairs are met then, and all give the same answer")
	fs.Var(&f.output, "gpu-output", "where a GPU counts, a published way: "+strings.Join(f.output.values, ", "))
	complete(cmd, "gpu-tiling", f.tiling.values)
	complete(cmd, "gpu-output", f.output.values)
}

// registerStatistic adds the flags of a command whose statistic of pairs can
// run on GPUs.
func (f *gpuFlags) registerStatistic(cmd *cobra.Command, rows int) {
	f.registered, f.statistic, f.rows = true, true, rows
	cmd.Flags().Var(&f.gpus, "gpus", gpusHelp)
}

// config is what the flags say to package gpu.
func (f *runFlags) config() gpu.Config {
	threads, _ := strconv.Atoi(f.gpu.threads.value) // "" is 0
	return gpu.Config{
		Devices: f.gpu.gpus,
		Memory:  f.memory.bytes,
		Pattern: gpu.Pattern(f.gpu.pattern.value),
		Threads: threads,
		Order:   gpu.Order(f.gpu.order.value),
		Pairs:   gpu.Pairs{Tiling: gpu.Tiling(f.gpu.tiling.value), Output: gpu.Output(f.gpu.output.value)},
	}
}

// check refuses a device that cannot be, before anything is read.
func (f *runFlags) check() error {
	if err := f.checkUse(); err != nil {
		return err
	}
	if err := f.gpu.checkTraces(); err != nil {
		return err
	}
	device := f.device.value
	if device != "gpu" && device != "hybrid" {
		return nil
	}
	if device == "hybrid" && f.gpu.statistic {
		return usagef("--device hybrid: pairs are counted by the CPU or by GPUs, not by both; use --device gpu, or auto")
	}
	found, err := gpu.Devices()
	switch {
	case err != nil:
		return noDevice(device, err)
	case !f.gpu.registered:
		return usagef("--device %s: this command runs on the CPU; use --device cpu, or auto", device)
	}
	for _, i := range f.gpu.gpus {
		if i >= len(found) {
			return usagef("--gpus %s: the machine has %s, numbered from 0; see 'cluster devices'", &f.gpu.gpus, plural(int64(len(found)), "GPU", "GPUs"))
		}
	}
	return nil
}

// checkUse refuses flags that say nothing of the devices asked for.
func (f *runFlags) checkUse() error {
	g := &f.gpu
	if f.device.value == "cpu" {
		for _, x := range []struct{ flag, value string }{
			{"gpus", g.gpus.String()}, {"gpu-pattern", g.pattern.value}, {"gpu-threads", g.threads.value}, {"gpu-order", g.order.value},
			{"gpu-tiling", g.tiling.value}, {"gpu-output", g.output.value},
		} {
			if x.value != "" {
				return usagef("--%s %s: --device cpu uses no GPU", x.flag, x.value)
			}
		}
	}
	shared := f.device.value == "hybrid" || f.device.value != "cpu" && len(g.gpus) > 1
	switch {
	case !shared && len(g.traces) > 0:
		return usagef("--trace %s: it is of a join that several devices share; use --device hybrid, or several of --gpus", g.traces[0])
	case !shared && g.partition.value != "" && g.partition.value != string(hybrid.Adaptive):
		return usagef("--partition %s: it divides rows among several devices; use --device hybrid, or several of --gpus", &g.partition)
	}
	return nil
}

// noDevice says why the device that was asked for is not to be had. What the
// GPU does not do is the fault of the request, a GPU that fails is not.
func noDevice(device string, err error) error {
	if errors.Is(err, errors.ErrUnsupported) {
		text := strings.TrimPrefix(err.Error(), errors.ErrUnsupported.Error()+": ")
		return usagef("--device %s: %s; use --device cpu, or auto", device, text)
	}
	return fmt.Errorf("--device %s: %w; use --device cpu, or auto", device, err)
}

// gpuStart is the seconds that taking a GPU into use costs.
const gpuStart = 0.3

// worthwhile reports whether a join of so many rows is to run on a GPU if
// there is one; c is the calibration of the data, or nil.
func (f *runFlags) worthwhile(rows int, eps float64, c *costmodel.Calibration) bool {
	switch {
	case f.device.value == "gpu" || f.device.value == "hybrid":
		return true
	case f.device.value != "auto" || !f.gpu.registered || f.gpu.rows == onlyAsked:
		return false
	case c != nil && eps > 0: // which the nearest have not
		return c.GPUFaster(eps, gpuStart)
	}
	return rows >= f.gpu.rows*f.count()
}

// cpu returns the joiner of the CPU.
func (f *runFlags) cpu() neighbors.CPU {
	return neighbors.CPU{Threads: f.count(), Memory: f.memory.bytes}
}

// on carries out work of so many rows with the joiner that --device asks for.
// Under auto a GPU that fails is replaced by the CPU, and work begins anew.
func (j *job) on(rows int, work func(neighbors.Joiner) error) error {
	cpu := j.joiner // work may set another
	var c *costmodel.Calibration
	if j.run.device.value != "cpu" {
		c = j.calibration()
	}
	if !j.run.worthwhile(rows, j.eps, c) {
		return work(cpu)
	}
	cfg := j.run.config()
	if c != nil && c.Batch != nil && j.eps > 0 {
		cfg.Batch = int(bestBatch(c.Batch, j.eps))
	}
	err := j.onGPU(cfg, c, work)
	switch {
	case err == nil || !gpu.IsFailure(err):
		return err
	case j.run.device.value != "auto":
		return noDevice(j.run.device.value, err)
	case !gpu.IsAbsent(err):
		j.sum.onDevice("cpu", strings.TrimPrefix(message(err), errors.ErrUnsupported.Error()+": "))
	}
	return work(cpu)
}

// onGPU carries out work on a GPU, or shared by several and the CPU.
func (j *job) onGPU(cfg gpu.Config, c *costmodel.Calibration, work func(neighbors.Joiner) error) error {
	var joiner interface {
		neighbors.Joiner
		io.Closer
	}
	var err error
	switch {
	case j.run.gpu.statistic:
		joiner, err = gpu.OpenCards(cfg)
	case j.run.device.value == "hybrid" || len(cfg.Devices) > 1:
		return j.onSeveral(cfg, c, work)
	default:
		joiner, err = gpu.Open(cfg)
	}
	if err != nil {
		return err
	}
	err = work(joiner)
	if gpu.IsFull(err) && !j.run.gpu.statistic {
		err = inSlabs(joiner, err, work)
	}
	closed := joiner.Close()
	if err != nil {
		return err // that of a GPU that failed already says all
	}
	j.sum.onDevice("gpu", "")
	return closed
}

// inSlabs begins work anew, after a GPU could not hold all points, with as many
// at a time as it can. What does not fit that way either is what full says.
func inSlabs(joiner neighbors.Joiner, full error, work func(neighbors.Joiner) error) error {
	err := work(&hybrid.Joiner{GPUs: []neighbors.Joiner{joiner}})
	if errors.Is(err, neighbors.ErrMemory) || gpu.IsFull(err) {
		return full
	}
	return err
}

// indexes is a flag that lists numbers from 0.
type indexes []int

func (x *indexes) String() string {
	var items []string
	for _, i := range *x {
		items = append(items, strconv.Itoa(i))
	}
	return strings.Join(items, ",")
}
func (x *indexes) Type() string { return "list" }

func (x *indexes) Set(s string) error {
	items, err := splitList(s)
	if err != nil {
		return err
	}
	*x = nil
	seen := map[int]bool{}
	for _, item := range items {
		i, err := strconv.ParseUint(item, 10, 31)
		if err != nil {
			return fmt.Errorf("%q is not a number from 0 on; write it as in 0,1", item)
		}
		if seen[int(i)] {
			return fmt.Errorf("%d is there twice", i)
		}
		seen[int(i)] = true
		*x = append(*x, int(i))
	}
	return nil
}
