//go:build cuda && linux

package hybrid_test

import (
	"fmt"
	"math"
	"strings"

	"skyjoin/hybrid"
	"skyjoin/neighbors"
)

// sum is what two that take a and b would take together without any loss.
func sum(a, b float64) float64 { return 1 / (1/a + 1/b) }

func (b *bench) hybrid(p hybrid.Partition, share float64) *hybrid.Joiner {
	return &hybrid.Joiner{CPU: b.cpu, GPUs: b.gpus[:1], Partition: p, Share: share}
}

// beside measures a subject on each side and on both, and prints a row of each
// median and least time. Both are also made to share where that is not what they
// would choose, if the CPU does not take too long.
func (b *bench) beside(name string, s *subject) error {
	_, err := b.besides(name, s)
	return err
}

func (b *bench) besides(name string, s *subject) (sides, error) {
	forced := b.hybrid(hybrid.Adaptive, 0)
	forced.Rates = hybrid.Rates{CPU: 1e3, GPU: 1e3}
	t, err := b.compete(s, rival{name: "CPU", joiner: b.cpu}, rival{name: "GPU", joiner: b.gpus[0]}, rival{name: "adaptive", joiner: b.hybrid(hybrid.Adaptive, 0)}, rival{name: "shared", joiner: forced, optional: true})
	if err != nil {
		return sides{}, err
	}
	cpu, gpu, both, shared := t[0], t[1], t[2], t[3]
	rows, _ := byGPU(both.report)
	all := sum(cpu.median, gpu.median)
	_, lists := byGPU(shared.report)
	r := sides{n: s.points.Len(), cpu: cpu.median, gpu: gpu.median}
	if both.report.Expected != nil {
		r.expected = *both.report.Expected
	}
	e := r.expected
	tried := ""
	if e.Tried {
		tried = " by a trial"
	}
	fmt.Printf("| %s | %d | %v | %v | %v | %.2f (%.2f) | %.2f | %.2f | %.2f | %.3f | %v (%.2f; %.2f) | %.3g, %.3g (%.2f%s) | %.3g, %.3g (%.2f) | %.3g | %.2f | %s |\n", name, s.mean(), cpu, gpu, both,
		min(cpu.median, gpu.median)/both.median, min(cpu.least, gpu.least)/both.least, all/both.median, rows, both.report.Imbalance, both.report.Transfer,
		shared, all/shared.median, lists, e.CPUBegin, e.CPU, e.CPU/cpu.median, tried, e.GPUBegin, e.GPU, e.GPU/gpu.median, e.Both, 1e3*e.After, both.report.Why)
	return r, nil
}

// byGPU returns which part of the rows, and of the neighbours, GPUs found.
func byGPU(r hybrid.Report) (rows, found float64) {
	var all [2]float64
	for _, side := range r.Sides {
		all[0] += float64(side.Rows)
		all[1] += float64(side.Neighbours)
		if side.Device != "cpu" {
			rows += float64(side.Rows)
			found += float64(side.Neighbours)
		}
	}
	return rows / max(all[0], 1), found / max(all[1], 1)
}

const besideHeader = `
| data | S or K | CPU-ONLY s | GPU-ONLY s | adaptive s | better / adaptive | adaptive rate / sum of rates | rows by GPU | imbalance | transfer s | made to share s (rate / sum of rates; neighbours by GPU) | CPU expected: until the first, all s (of measured) | GPU expected | both expected s | found after ms | left to one side |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
`

// joins measures joins within a radius.
func (b *bench) joins() error {
	fmt.Print(besideHeader)
	return b.each(joinCases, b.beside)
}

// each calls f for every case there is time for.
func (b *bench) each(cases []joinCase, f func(name string, s *subject) error) error {
	for _, c := range cases {
		name := fmt.Sprintf("%v %.3g", c.dataset, c.radius)
		if b.late(name) {
			continue
		}
		s, err := b.subject(c.dataset, neighbors.Within{Radius: c.radius})
		if err != nil {
			return err
		}
		if err := f(name, s); err != nil {
			return err
		}
	}
	return nil
}

// nearest measures joins of the K nearest.
func (b *bench) nearest() error {
	fmt.Print(besideHeader)
	var all []unit
	err := b.eachNearest(nearestCases, func(name string, s *subject) error {
		r, err := b.besides(name, s)
		data, _, _ := strings.Cut(name, " ")
		all = append(all, unit{data: data, k: s.query.(neighbors.Nearest).K, sides: r})
		return err
	})
	if err == nil {
		b.units(all)
	}
	return err
}

func (b *bench) eachNearest(cases []nearestCase, f func(name string, s *subject) error) error {
	for _, c := range cases {
		var s *subject
		for _, k := range c.k {
			name := fmt.Sprintf("%v K=%d", c.dataset, k)
			if b.late(name) {
				continue
			}
			if s == nil {
				var err error
				if s, err = b.subject(c.dataset, nil); err != nil {
					return err
				}
			}
			s.query, s.found = neighbors.Nearest{K: k}, 0
			if err := f(name, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// reference is the part of a radius at which HEGJOIN's model is calibrated, the middle
// of the published radii of a data set.
const reference = 0.6

// partitions measures the ways to divide joins within a radius of HEGJOIN, with
// NEW-SUPER-EGO and LBJOIN, and of the nearest that of HYBRIDKNN-JOIN, beside each side
// alone. The shares of SQ and SC are those of a calibration at ε_r.
func (b *bench) partitions() error {
	ego := b.cpu
	ego.Algorithm = neighbors.NewSuperEGO
	published := []hybrid.Partition{hybrid.Dynamic, hybrid.ByRows, hybrid.ByCandidates}
	fmt.Printf("\n| data | S | NEW-SUPER-EGO s | LBJOIN s | HEGJOIN-DYN / SQ / SC s | the model | imbalance | transfer s (DYN) | adaptive s, with our kernels |\n|---|---|---|---|---|---|---|---|---|\n")
	err := b.each(partitionCases, func(name string, s *subject) error {
		sides := []rival{{name: "CPU", joiner: ego}, {name: "GPU", joiner: b.lbjoin}}
		ref := &subject{points: s.points, metric: s.metric, query: neighbors.Within{Radius: reference * s.query.(neighbors.Within).Radius}}
		at, err := b.compete(ref, sides...)
		if err != nil {
			return err
		}
		alone, err := b.compete(s, sides...)
		if err != nil {
			return err
		}
		volume := math.Pow(reference, -float64(s.points.Dim()))
		rates := hybrid.Rates{CPU: at[0].median * volume, GPU: at[1].median * volume}
		var rivals []rival
		for _, p := range published {
			j := b.hybrid(p, rates.CPU/(rates.CPU+rates.GPU))
			j.CPU, j.GPUs, j.Rates = ego, []neighbors.Joiner{b.lbjoin}, rates
			rivals = append(rivals, rival{name: string(p), joiner: j})
		}
		rivals = append(rivals, rival{name: "adaptive", joiner: b.hybrid(hybrid.Adaptive, 0)})
		t, err := b.compete(s, rivals...)
		if err != nil {
			return err
		}
		var times, apart []string
		for _, r := range t[:len(published)] {
			times = append(times, r.String())
			apart = append(apart, fmt.Sprintf("%.2f", r.report.Imbalance))
		}
		fmt.Printf("| %s | %d | %v | %v | %s | %.3g | %s | %.3g | %v |\n", name, s.mean(), alone[0], alone[1], strings.Join(times, " / "), sum(rates.CPU, rates.GPU), strings.Join(apart, " / "), t[0].report.Transfer, t[len(published)])
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Print("\n| data | K | CPU-ONLY s | CPU-ONLY-RR s | GPU-ONLY s | HYBRIDKNN-JOIN s | imbalance | failed | re-indexed | transfer s |\n|---|---|---|---|---|---|---|---|---|---|\n")
	return b.eachNearest(partitionNearest, func(name string, s *subject) error {
		j := b.hybrid(hybrid.Dynamic, 0)
		j.GPUs = []neighbors.Joiner{b.published}
		t, err := b.compete(s, rival{name: "CPU", joiner: b.cpu}, rival{name: "CPU-RR", joiner: b.cpu, work: b.roundRobin}, rival{name: "GPU", joiner: b.published}, rival{name: "DYN", joiner: j})
		if err != nil {
			return err
		}
		r := t[3].report
		fmt.Printf("| %s | %d | %v | %v | %v | %v | %.2f | %d | %d | %.3f |\n", name, s.mean(), t[0], t[1], t[2], t[3], r.Imbalance, r.Failed, r.Reindexed, r.Transfer)
		return nil
	})
}

// several measures lists and counts on growing numbers of GPUs, the CPU left
// out.
func (b *bench) several() error {
	fmt.Print("\n| data | S | what | GPUs: s (least; times one) |\n|---|---|---|---|\n")
	return b.each(severalCases, func(name string, s *subject) error {
		for _, counts := range []bool{true, false} {
			s.counts = counts
			var rivals []rival
			for n := 1; n <= len(b.gpus); n *= 2 {
				rivals = append(rivals, rival{name: fmt.Sprintf("%d", n), joiner: &hybrid.Joiner{GPUs: b.gpus[:n]}})
			}
			t, err := b.compete(s, rivals...)
			if err != nil {
				return err
			}
			text := ""
			for i, r := range t {
				text += fmt.Sprintf("%s: %.3f (%.3f; %.2f) ", rivals[i].name, r.median, r.least, t[0].median/r.median)
			}
			what := "lists"
			if counts {
				what = "counts"
			}
			fmt.Printf("| %s | %d | %s | %s|\n", name, s.mean(), what, text)
		}
		return nil
	})
}
