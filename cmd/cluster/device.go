package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/gpu"
	"skyjoin/neighbors"
)

// gpuFlags choose the GPUs of a command whose join can run on them.
type gpuFlags struct {
	registered bool
	gpus       indexes
}

func (f *gpuFlags) register(cmd *cobra.Command) {
	f.registered = true
	cmd.Flags().Var(&f.gpus, "gpus", "which GPUs, as 'cluster devices' numbers them (default the first)")
}

// config is what the flags say to package gpu.
func (f *gpuFlags) config() gpu.Config { return gpu.Config{Devices: f.gpus} }

// check refuses a device that cannot be, before anything is read.
func (f *runFlags) check() error {
	device := f.device.value
	if device != "gpu" && device != "hybrid" {
		return nil
	}
	found, err := gpu.Devices()
	switch {
	case err != nil:
		return noDevice(device, err)
	case !f.gpu.registered:
		return usagef("--device %s: this command runs on the CPU; use --device cpu, or auto", device)
	case device == "hybrid":
		return usagef("--device hybrid: this command does not share its join between GPU and CPU; use --device gpu, cpu or auto")
	}
	for _, i := range f.gpu.gpus {
		if i >= len(found) {
			return usagef("--gpus %s: the machine has %s, numbered from 0; see 'cluster devices'", &f.gpu.gpus, plural(int64(len(found)), "GPU", "GPUs"))
		}
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

// rowsPerThread is how many rows for each CPU thread make --device auto look
// for a GPU. Taking one into use takes about 0.3 s, in which a thread joins
// some 50,000 rows with 500 neighbours each.
const rowsPerThread = 50_000

// worthwhile reports whether a join of so many rows is to run on a GPU if
// there is one.
func (f *runFlags) worthwhile(rows int) bool {
	switch f.device.value {
	case "gpu":
		return true
	case "auto":
		return f.gpu.registered && rows >= rowsPerThread*f.count()
	}
	return false
}

// cpu returns the joiner of the CPU.
func (f *runFlags) cpu() neighbors.CPU {
	return neighbors.CPU{Threads: f.count(), Memory: f.memory.bytes}
}

// on carries out work of so many rows with the joiner that --device asks for.
// Under auto a GPU that fails is replaced by the CPU, and work begins anew.
func (j *job) on(rows int, work func(neighbors.Joiner) error) error {
	if !j.run.worthwhile(rows) {
		return work(j.run.cpu())
	}
	err := j.onGPU(work)
	switch {
	case err == nil || !gpu.IsFailure(err):
		return err
	case j.run.device.value == "gpu":
		return noDevice("gpu", err)
	case !gpu.IsAbsent(err):
		j.sum.onDevice("cpu", strings.TrimPrefix(message(err), errors.ErrUnsupported.Error()+": "))
	}
	return work(j.run.cpu())
}

func (j *job) onGPU(work func(neighbors.Joiner) error) error {
	joiner, err := gpu.Open(j.run.gpu.config())
	if err != nil {
		return err
	}
	err = work(joiner)
	closed := joiner.Close()
	if err != nil {
		return err // that of a GPU that failed already says all
	}
	j.sum.onDevice("gpu", "")
	return closed
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
