package job

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/gpu"
	"skyjoin/hybrid"
	"skyjoin/internal/costmodel"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// onSeveral carries out work that the GPUs of --gpus and, with --device hybrid, the
// CPU share.
func (j *Job) onSeveral(cfg gpu.Config, c *costmodel.Calibration, work func(neighbors.Joiner) error) (err error) {
	h := &hybrid.Joiner{Partition: cmp.Or(hybrid.Partition(j.Run.GPU.Partition.Value), hybrid.Adaptive)}
	if j.Run.Device.Value == "hybrid" {
		h.CPU = j.CPU()
		cfg.Yield = true
		cfg.Linear = h.Partition == hybrid.Dynamic
	}
	if err := j.calibrate(h, c); err != nil {
		return err
	}
	var cards []*gpu.Joiner
	err = j.Sum.OpenGPU(func() (err error) {
		cards, err = openAll(cfg)
		return err
	})
	for _, g := range cards {
		defer func() { err = exit.First(err, g.Close()) }()
		h.GPUs = append(h.GPUs, g)
	}
	if err != nil {
		return err
	}
	if j.events, j.traced = nil, len(j.Run.GPU.Traces) > 0; j.traced {
		h.Trace = func(e hybrid.Event) { j.events = append(j.events, e) }
	}
	if err := work(h); err != nil {
		return err
	}
	for _, g := range cards {
		j.Launched(g.Launched())
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
		parts = append(parts, fmt.Sprintf("%s %s", s.Device, human.Plural(s.Rows, "row", "rows")))
	}
	j.Sum.OnDevice(device, strings.Join(lost, "; "))
	j.Sum.Hybrid = r
	text := strings.Join(parts, ", ")
	if r.Joins > 1 { // such as one that counts before one that lists
		text += fmt.Sprintf(" of %d joins", r.Joins)
	}
	if r.Seconds == 0 { // ForClustering has given everything to the first GPU
		text = fmt.Sprintf("nothing, gpu %d clusters alone, without lists of neighbours", numbers(cfg)[0])
	}
	if r.Why != "" {
		text += ": " + r.Why
	}
	j.Sum.Note("shared", "%s", text)
	return nil
}

// openAll opens GPUs, all at the same time, as each takes a tenth of a second or
// two. It returns those that it has opened, and the first error.
func openAll(cfg gpu.Config) ([]*gpu.Joiner, error) {
	devices := numbers(cfg)
	cards, errs := make([]*gpu.Joiner, len(devices)), make([]error, len(devices))
	var all par.Group
	for i, d := range devices {
		own := cfg
		own.Devices = []int{d}
		all.Go(func() { cards[i], errs[i] = gpu.Open(own) })
	}
	all.Wait()
	return slices.DeleteFunc(cards, func(g *gpu.Joiner) bool { return g == nil }), exit.First(errs...)
}

// numbers returns those of the GPUs to use.
func numbers(cfg gpu.Config) []int {
	if len(cfg.Devices) == 0 {
		return []int{0}
	}
	return cfg.Devices
}

// calibrate gives the joiner the measurements of the data, which fixed shares
// require.
func (j *Job) calibrate(h *hybrid.Joiner, c *costmodel.Calibration) error {
	fixed := h.Partition == hybrid.ByRows || h.Partition == hybrid.ByCandidates
	switch {
	case c != nil && c.GPU != nil:
		h.Share = c.Share()
		h.Rates.CPU, h.Rates.GPU, _ = c.Predict(j.Eps)
	case fixed && h.CPU != nil:
		return exit.Usagef("--partition %s: the shares come from a calibration with a GPU, and there is none for these data; run 'cluster calibrate' on them first", h.Partition)
	}
	return nil
}

// ForClustering returns the joiner to use for DBSCAN.
func ForClustering(joiner neighbors.Joiner) neighbors.Joiner {
	if h, ok := joiner.(*hybrid.Joiner); ok {
		return h.ForClustering()
	}
	return joiner
}
