package main

import (
	"fmt"
	"strings"

	"skyjoin/hybrid"
	"skyjoin/neighbors"
)

// sum is what two that take a and b would take together without any loss.
func sum(a, b float64) float64 { return 1 / (1/a + 1/b) }

func (b *bench) hybrid(p hybrid.Partition, share float64) *hybrid.Joiner {
	return &hybrid.Joiner{CPU: b.cpu, GPUs: b.gpus[:1], Partition: p, Share: share}
}

const header = `| data | S or K | CPU-ONLY s | CPU-ONLY-RR s | GPU-ONLY s | hybrid s | better / hybrid | hybrid rate / sum of rates | rows by GPU | DYN / SQ / SC s | imbalance adaptive / DYN / SQ / SC | failed / re-indexed (DYN) | transfer s | left to one side |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
`

// all measures a subject on each side and on both, and prints a row.
func (b *bench) all(name string, s *subject) error {
	near, isNear := s.query.(neighbors.Nearest)
	cpu, err := b.time(s, b.cpu, nil)
	if err != nil {
		return err
	}
	rr := notRun
	if isNear && !cpu.about && cpu.seconds < b.limit.Seconds()/2 {
		if rr, err = b.time(s, b.cpu, b.roundRobin); err != nil {
			return err
		}
	}
	gpu, err := b.time(s, b.gpus[0], nil)
	if err != nil {
		return err
	}
	both, err := b.time(s, b.hybrid(hybrid.Adaptive, 0), nil)
	if err != nil {
		return err
	}
	rows := int64(s.points.Len())
	done := int64(0)
	for _, side := range both.report.Sides {
		if side.Device != "cpu" {
			done += side.Rows
		}
	}
	times := []string{}
	apart := []string{fmt.Sprintf("%.2f", both.report.Imbalance)}
	published := both.report
	for _, p := range hybrid.Partitions[1:] {
		r := notRun
		if !b.adaptive && !cpu.about && sum(cpu.seconds, gpu.seconds) < b.limit.Seconds()/2 {
			j := b.hybrid(p, cpu.seconds/(cpu.seconds+gpu.seconds))
			if isNear && p == hybrid.Dynamic {
				j.GPUs = []neighbors.Joiner{b.published}
			}
			if r, err = b.time(s, j, nil); err != nil {
				return err
			}
		}
		times = append(times, r.String())
		if r.report.Seconds == 0 {
			apart = append(apart, "–")
			continue
		}
		apart = append(apart, fmt.Sprintf("%.2f", r.report.Imbalance))
		if p == hybrid.Dynamic {
			published = r.report
		}
	}
	what := int64(near.K)
	if !isNear {
		what = s.neighbours() / max(rows, 1)
	}
	fmt.Printf("| %s | %d | %v | %v | %v | %v | %.2f | %.2f | %.2f | %s | %s | %d / %d | %.3f | %s |\n",
		name, what, cpu, rr, gpu, both, min(cpu.seconds, gpu.seconds)/both.seconds, sum(cpu.seconds, gpu.seconds)/both.seconds,
		float64(done)/float64(max(rows, 1)), strings.Join(times, " / "), strings.Join(apart, " / "), published.Failed, published.Reindexed, both.report.Transfer, both.report.Why)
	return nil
}

// joins measures joins within a radius.
func (b *bench) joins() error {
	fmt.Print("\n", header)
	return b.each(joinCases, func(name string, s *subject) error { return b.all(name, s) })
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
	fmt.Print("\n", header)
	for _, dim := range []int{2, 4, 6} {
		for _, kind := range []string{"Unif", "Expo"} {
			d := dataset{kind, dim, 10_000_000}
			var s *subject
			for _, k := range []int{8, 32, 128} {
				name := fmt.Sprintf("%v K=%d", d, k)
				if b.late(name) {
					continue
				}
				if s == nil {
					var err error
					if s, err = b.subject(d, nil); err != nil {
						return err
					}
				}
				s.query, s.found = neighbors.Nearest{K: k}, 0
				if err := b.all(name, s); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// several measures lists and counts on growing numbers of GPUs, the CPU left
// out.
func (b *bench) several() error {
	fmt.Print("\n| data | S | what | GPUs: s (times one) |\n|---|---|---|---|\n")
	return b.each(severalCases, func(name string, s *subject) error {
		for _, counts := range []bool{true, false} {
			s.counts = counts
			one := result{}
			text := ""
			for n := 1; n <= len(b.gpus); n *= 2 {
				r, err := b.time(s, &hybrid.Joiner{GPUs: b.gpus[:n]}, nil)
				if err != nil {
					return err
				}
				if n == 1 {
					one = r
				}
				text += fmt.Sprintf("%d: %v (%.2f) ", n, r, one.seconds/r.seconds)
			}
			what := "lists"
			if counts {
				what = "counts"
			}
			fmt.Printf("| %s | %d | %s | %s|\n", name, s.neighbours()/int64(s.points.Len()), what, text)
		}
		return nil
	})
}
