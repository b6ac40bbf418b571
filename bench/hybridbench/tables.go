package main

import (
	"fmt"
	"math"

	"skyjoin/hybrid"
	"skyjoin/neighbors"
)

// joinCases have S at the ends of the ranges of HEGJOIN's Table 2.
var joinCases = []struct {
	dataset
	radius float64
}{
	{dataset{"Expo", 2, 2_000_000}, 4.1e-4},
	{dataset{"Expo", 2, 2_000_000}, 0.002},
	{dataset{"Expo", 4, 2_000_000}, 0.01},
	{dataset{"Expo", 6, 2_000_000}, 0.012},
	{dataset{"Expo", 8, 2_000_000}, 0.015},
	{dataset{"Expo", 2, 10_000_000}, 0.0004},
	{dataset{"Expo", 4, 10_000_000}, 0.004},
	{dataset{"Sky", 2, 10_000_000}, 0.1 * math.Pi / 180},
	{dataset{"Expo", 6, 10_000_000}, 0.008},
	{dataset{"Expo", 8, 10_000_000}, 0.009},
}

// sum is what two that take a and b would take together without any loss.
func sum(a, b float64) float64 { return 1 / (1/a + 1/b) }

func (b *bench) hybrid(p hybrid.Partition, share float64) *hybrid.Joiner {
	return &hybrid.Joiner{CPU: b.cpu, GPUs: b.gpus[:1], Partition: p, Share: share}
}

// all measures a subject on each side and on both, and prints a row.
func (b *bench) all(name string, s *subject, rows int64) error {
	cpu, _, err := b.time(s, b.cpu, nil)
	if err != nil {
		return err
	}
	rr := math.NaN()
	if s.query != nil {
		if n, ok := s.query.(neighbors.Nearest); ok && cpu < 3 && n.K > 0 {
			if rr, _, err = b.time(s, b.cpu, b.roundRobin); err != nil {
				return err
			}
		}
	}
	gpu, _, err := b.time(s, b.gpus[0], nil)
	if err != nil {
		return err
	}
	both, r, err := b.time(s, b.hybrid(hybrid.Adaptive, 0), nil)
	if err != nil {
		return err
	}
	part := 0.0
	for _, side := range r.Sides {
		if side.Device != "cpu" {
			part += float64(side.Rows) / float64(max(rows, 1))
		}
	}
	apart := []float64{r.Imbalance}
	times := []float64{}
	for _, p := range hybrid.Partitions[1:] {
		if cpu+gpu > 12 {
			apart, times = append(apart, math.NaN()), append(times, math.NaN())
			continue
		}
		j := b.hybrid(p, cpu/(cpu+gpu))
		if _, near := s.query.(neighbors.Nearest); near && p == hybrid.Dynamic {
			j.GPUs = []neighbors.Joiner{b.published}
		}
		t, pr, err := b.time(s, j, nil)
		if err != nil {
			return err
		}
		apart, times = append(apart, pr.Imbalance), append(times, t)
		if p == hybrid.Dynamic {
			r.Failed, r.Reindexed = pr.Failed, pr.Reindexed
		}
	}
	fmt.Printf("| %s | %d | %.3f | %.3f | %.3f | %.3f | %.2f | %.2f | %.2f | %.3f / %.3f / %.3f | %.2f / %.2f / %.2f / %.2f | %d / %d | %.3f |\n",
		name, s.found/max(rows, 1), cpu, rr, gpu, both, min(cpu, gpu)/both, sum(cpu, gpu)/both, part, times[0], times[1], times[2],
		apart[0], apart[1], apart[2], apart[3], r.Failed, r.Reindexed, r.Transfer)
	return nil
}

const header = `| data | S or K | CPU s | CPU-RR s | GPU s | hybrid s | better / hybrid | hybrid rate / sum of rates | GPU rows | DYN / SQ / SC s | imbalance adaptive / DYN / SQ / SC | failed / re-indexed (DYN) | transfer s |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
`

func (b *bench) joins() error {
	fmt.Print("\n", header)
	for _, c := range joinCases {
		name := fmt.Sprintf("%v %.2g", c.dataset, c.radius)
		if b.late(name) {
			continue
		}
		s, err := b.subject(c.dataset, neighbors.Within{Radius: c.radius})
		if err != nil {
			return err
		}
		if err := b.all(name, s, int64(s.points.Len())); err != nil {
			return err
		}
	}
	return nil
}

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
				if err := b.all(name, s, int64(s.points.Len())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// severalCases are heavy enough for several GPUs.
var severalCases = []struct {
	dataset
	radius float64
}{
	{dataset{"Expo", 2, 2_000_000}, 0.002},
	{dataset{"Expo", 6, 2_000_000}, 0.012},
	{dataset{"Expo", 8, 2_000_000}, 0.015},
	{dataset{"Expo", 4, 10_000_000}, 0.004},
	{dataset{"Expo", 8, 10_000_000}, 0.009},
}

func (b *bench) several() error {
	fmt.Print("\n| data | S | GPUs: s (times one) |\n|---|---|---|\n")
	for _, c := range severalCases {
		name := fmt.Sprintf("%v %.2g", c.dataset, c.radius)
		if b.late(name) {
			continue
		}
		s, err := b.subject(c.dataset, neighbors.Within{Radius: c.radius})
		if err != nil {
			return err
		}
		one := 0.0
		text := ""
		for n := 1; n <= len(b.gpus); n *= 2 {
			t, _, err := b.time(s, &hybrid.Joiner{GPUs: b.gpus[:n]}, nil)
			if err != nil {
				return err
			}
			if n == 1 {
				one = t
			}
			text += fmt.Sprintf("%d: %.3f (%.2f) ", n, t, one/t)
		}
		fmt.Printf("| %s | %d | %s|\n", name, s.found/int64(s.points.Len()), text)
	}
	return nil
}
