package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"skyjoin/gpu"
	"skyjoin/neighbors"
)

// defaultThreads is what skyjoin_set_threads was told; 0 is all.
var defaultThreads atomic.Int32

// workers returns the threads that n asks for.
func workers(n C.int32_t) int {
	switch {
	case n > 0:
		return int(n)
	case defaultThreads.Load() > 0:
		return int(defaultThreads.Load())
	}
	return runtime.GOMAXPROCS(0)
}

// inlineRows is up to how many rows a job is done by the thread that starts it:
// starting others takes longer.
const inlineRows = 4096

// gpuRows is from how many rows SKYJOIN_AUTO takes a GPU into use, which costs
// some 0.3 s the first time.
const gpuRows = 2_000_000

// settings are options as the packages take them.
type settings struct {
	threads int
	memory  int64
	device  C.int32_t
	inline  bool // by the caller's thread, alone
}

func readOptions(o *C.skyjoin_options, rows int) (settings, error) {
	s := settings{threads: workers(0), device: C.SKYJOIN_CPU}
	if o != nil {
		if err := checkSize(o.size, unsafe.Sizeof(*o), "options"); err != nil {
			return s, err
		}
		if o.threads < 0 || o.memory < 0 {
			return s, fmt.Errorf("%w: %d threads and %d bytes of memory, neither can be negative", neighbors.ErrRequest, o.threads, o.memory)
		}
		s.threads, s.memory, s.device = workers(o.threads), int64(o.memory), o.device
	}
	if s.device < C.SKYJOIN_CPU || s.device > C.SKYJOIN_AUTO {
		return s, fmt.Errorf("%w: device %d, it must be SKYJOIN_CPU, SKYJOIN_GPU or SKYJOIN_AUTO", neighbors.ErrRequest, s.device)
	}
	if s.inline = rows <= inlineRows && s.device != C.SKYJOIN_GPU; s.inline {
		s.threads = 1
	} else if s.memory == 0 { // few rows cannot take it all
		var err error
		if s.memory, err = availableMemory(); err != nil {
			return s, err
		}
	}
	return s, nil
}

// on carries out work with the joiner of the device.
func (s settings) on(rows int, work func(neighbors.Joiner) error) error {
	cpu := neighbors.CPU{Threads: s.threads, Memory: s.memory}
	if s.device == C.SKYJOIN_CPU || s.device == C.SKYJOIN_AUTO && rows < gpuRows {
		return work(cpu)
	}
	j, err := gpu.Open(gpu.Config{Memory: s.memory})
	if err == nil {
		err = work(j)
		if closed := j.Close(); err == nil {
			err = closed
		}
	}
	if s.device == C.SKYJOIN_AUTO && gpu.IsFailure(err) {
		return work(cpu)
	}
	return err
}

// metricOf returns the metric that a struct describes.
func metricOf(m *C.skyjoin_metric) (neighbors.Metric, error) {
	if m == nil {
		return neighbors.Euclidean(), nil
	}
	if err := checkSize(m.size, unsafe.Sizeof(*m), "metric"); err != nil {
		return neighbors.Metric{}, err
	}
	kinds := neighbors.Metrics() // in the order of enum skyjoin_metric_kind
	if m.kind < 0 || int(m.kind) >= len(kinds) {
		return neighbors.Metric{}, fmt.Errorf("%w: metric %d, it must be one of enum skyjoin_metric_kind", neighbors.ErrRequest, m.kind)
	}
	kind := kinds[m.kind]
	var sides []float64
	if kind.Box {
		sides = doubles(m.sides, C.int64_t(m.nsides))
	}
	metric, err := neighbors.NewMetric(kind.Name, sides...)
	if err == nil && m.scales != nil {
		metric = metric.Scaled(doubles(m.scales, C.int64_t(m.nscales))...)
	}
	return metric, err
}

// doubles is an array of the caller; nil if there is none.
func doubles(p *C.double, n C.int64_t) []float64 {
	if p == nil || n < 0 {
		return nil
	}
	return unsafe.Slice((*float64)(p), int(n))
}

// checkSize refuses a struct that is not as this version has it. A version that
// adds members will take the sizes of older ones.
func checkSize(size C.uint32_t, want uintptr, what string) error {
	if uintptr(size) != want {
		return fmt.Errorf("%w: struct skyjoin_%s has size %d, it must be %d", neighbors.ErrRequest, what, size, want)
	}
	return nil
}
