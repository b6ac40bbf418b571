package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"skyjoin/gpu"
	"skyjoin/hybrid"
	"skyjoin/internal/costmodel"
	"skyjoin/io/figure"
	"skyjoin/neighbors"
)

// onSeveral carries out work shared by the GPUs of --gpus and, with --device
// hybrid, the CPU.
func (j *job) onSeveral(cfg gpu.Config, c *costmodel.Calibration, work func(neighbors.Joiner) error) (err error) {
	h := &hybrid.Joiner{Partition: hybrid.Partition(j.run.gpu.partition.value)}
	if j.run.device.value == "hybrid" {
		h.CPU = j.run.cpu()
		cfg.Yield = true
		cfg.Linear = h.Partition == hybrid.Dynamic
	}
	if err := j.calibrate(h, c); err != nil {
		return err
	}
	devices := cfg.Devices
	if len(devices) == 0 {
		devices = []int{0}
	}
	cards, err := openAll(cfg, devices)
	for _, g := range cards {
		defer func() { err = firstError(err, g.Close()) }()
		h.GPUs = append(h.GPUs, g)
	}
	if err != nil {
		return err
	}
	var events []hybrid.Event
	if len(j.run.gpu.traces) > 0 {
		h.Trace = func(e hybrid.Event) { events = append(events, e) }
	}
	if err := work(h); err != nil {
		return err
	}
	r := h.Report()
	device := "gpu"
	if h.CPU != nil {
		device = "hybrid"
	}
	var lost []string
	var parts []string
	for _, s := range r.Sides {
		if s.Lost != "" {
			lost = append(lost, s.Device+": "+s.Lost)
		}
		parts = append(parts, fmt.Sprintf("%s %s", s.Device, plural(s.Rows, "row", "rows")))
	}
	j.sum.onDevice(device, strings.Join(lost, "; "))
	j.sum.Hybrid = r
	text := strings.Join(parts, ", ")
	if r.Joins > 1 { // such as one that counts before one that lists
		text += fmt.Sprintf(" of %d joins", r.Joins)
	}
	if r.Seconds == 0 { // forClustering has given it all to the first
		text = fmt.Sprintf("nothing, gpu %d clusters alone, without lists of neighbours", devices[0])
	}
	if r.Why != "" {
		text += ": " + r.Why
	}
	j.sum.note("shared", "%s", text)
	return j.run.gpu.writeTraces(events)
}

// openAll takes GPUs into use, all at the same time: each takes a tenth of a
// second or two. It returns those that it has opened, and the first error.
func openAll(cfg gpu.Config, devices []int) ([]*gpu.Joiner, error) {
	cards, errs := make([]*gpu.Joiner, len(devices)), make([]error, len(devices))
	var all sync.WaitGroup
	for i, d := range devices {
		own := cfg
		own.Devices = []int{d}
		all.Go(func() { cards[i], errs[i] = gpu.Open(own) })
	}
	all.Wait()
	return slices.DeleteFunc(cards, func(g *gpu.Joiner) bool { return g == nil }), firstError(errs...)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// calibrate tells the joiner what was measured of the data, without which fixed
// shares cannot be.
func (j *job) calibrate(h *hybrid.Joiner, c *costmodel.Calibration) error {
	fixed := h.Partition == hybrid.ByRows || h.Partition == hybrid.ByCandidates
	switch {
	case c != nil && c.GPU != nil:
		h.Share = c.Share()
		v := math.Pow(j.eps/c.Epsilon, float64(c.Dim))
		h.Rates = hybrid.Rates{CPU: c.CPU.Seconds * v, GPU: c.GPU.Seconds * v}
	case fixed && h.CPU != nil:
		return usagef("--partition %s: the shares come from a calibration with a GPU, of which there is none for these data; run 'cluster calibrate' on them first", h.Partition)
	}
	return nil
}

// forClustering returns the joiner that DBSCAN is given.
func forClustering(joiner neighbors.Joiner) neighbors.Joiner {
	if h, ok := joiner.(*hybrid.Joiner); ok {
		return h.ForClustering()
	}
	return joiner
}

// checkTraces refuses traces that cannot be written.
func (f *gpuFlags) checkTraces() error {
	for _, path := range f.traces {
		switch filepath.Ext(path) {
		case ".json", ".csv":
			if _, err := os.Stat(path); err == nil && !f.force() {
				return usagef("%s exists; --force replaces it", path)
			}
			if err := writable(path); err != nil {
				return err
			}
		default:
			if _, err := figure.Format(path); err != nil {
				return usagef("--trace %s: it is written as .json, .csv, .png, .svg or .pdf", path)
			}
			if err := checkPlot(path, nil, f.force()); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeTraces writes the events to all files of --trace.
func (f *gpuFlags) writeTraces(events []hybrid.Event) error {
	for _, path := range f.traces {
		var err error
		switch filepath.Ext(path) {
		case ".json":
			err = replace(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(events) })
		case ".csv":
			err = replace(path, func(w io.Writer) error { return writeEvents(w, events) })
		default:
			err = plotEvents(path, events, f.look())
		}
		if err != nil {
			return fmt.Errorf("cannot write %s: %w", path, bare(err))
		}
	}
	return nil
}

func writeEvents(w io.Writer, events []hybrid.Event) error {
	var b strings.Builder
	b.WriteString("device,worker,start,end,rows,neighbours\n")
	for _, e := range events {
		number := func(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }
		fmt.Fprintf(&b, "%s,%d,%s,%s,%d,%d\n", e.Device, e.Worker, number(e.Start), number(e.End), e.Rows, e.Neighbours)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func plotEvents(path string, events []hybrid.Event, look figure.Style) error {
	t := figure.Timeline{Title: "batches", Style: look}
	for _, e := range events {
		t.Bars = append(t.Bars, figure.Bar{Worker: e.Worker, Group: e.Device, Start: e.Start, End: e.End})
	}
	fig, err := t.Figure()
	if err != nil {
		return err
	}
	return fig.Save(path)
}

// replace writes a file whole or not at all.
func replace(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".cluster-*.tmp")
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
