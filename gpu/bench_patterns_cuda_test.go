//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"skyjoin/neighbors"
)

// publishedPoints returns the points of a data set.
func publishedPoints(t testing.TB, d data) *neighbors.Points {
	t.Helper()
	var cols []neighbors.Column
	for _, c := range published(d.expo, d.dim, d.n, d.seed) {
		cols = append(cols, neighbors.Float64s(c.f64))
	}
	p, err := neighbors.NewPoints(cols...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func publishedPlan(t *testing.T, d data, radius float64) *neighbors.Plan {
	t.Helper()
	p := publishedPoints(t, d)
	start := time.Now()
	plan, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: p}, neighbors.Within{Radius: radius})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("plan %-10s eps %-8g: %v on the CPU\n", d.name, radius, time.Since(start))
	return plan
}

// Host to host: whole lists in pinned memory, the arena there already.
func TestPublishedStreams(t *testing.T) {
	needCard(t)
	for _, c := range []struct {
		data
		radius float64
		want   int64
		cfgs   []Config
	}{
		{expo2D2M, 4.46e-4, 988259062, []Config{{}, {Streams: 6}, {Batch: 8 << 20}, {Pattern: PatternFull}, {Pattern: PatternUnicomp}, {Pattern: PatternLIDUnicomp}, {Pattern: PatternFull, Threads: 8, Order: OrderWorkQueue}}},
		{unif2D2M, 2.82, 9759275310, []Config{{Memory: 4 << 30}}},
	} {
		plan := publishedPlan(t, c.data, c.radius)
		for _, cfg := range c.cfgs {
			j, err := Open(cfg)
			if err != nil {
				t.Fatal(err)
			}
			for rep := range 3 {
				var pairs atomic.Int64
				start := time.Now()
				err := j.Visit(context.Background(), plan, plan.Work(), func(_ int, b *neighbors.Batch) error {
					pairs.Add(b.Offset[len(b.Rows)] + int64(len(b.Rows)))
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if pairs.Load() != c.want {
					t.Errorf("%s: |R| = %d, want %d", c.name, pairs.Load(), c.want)
				}
				fmt.Printf("stream %-9s eps %-8g %+v rep %d: %.1f ms\n", c.name, c.radius, cfg, rep, time.Since(start).Seconds()*1e3)
			}
			if err := j.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// The K nearest, host to host. The index of the plan, which the GPU does not
// use, is timed apart.
func TestPublishedNearest(t *testing.T) {
	needCard(t)
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, c := range []struct {
		data
		k []int
	}{{unif2D2M, []int{8, 32, 128}}, {expo2D2M, []int{8, 32, 128}}, {unif6D2M, []int{8, 32}}, {unif2D10M, []int{8}}} {
		for _, k := range c.k {
			p := publishedPoints(t, c.data)
			start := time.Now()
			plan, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: p}, neighbors.Nearest{K: k})
			if err != nil {
				t.Fatal(err)
			}
			prepared := time.Since(start)
			join := func(j neighbors.Joiner) (time.Duration, float64) {
				start := time.Now()
				sums := make([]float64, neighbors.Workers(j)*8)
				err := neighbors.Visit(context.Background(), j, plan, plan.Work(), func(w int, b *neighbors.Batch) error {
					for i := range b.Rows { // a checksum that no order changes
						sums[w*8] += float64(float32(b.Dists(i)[k-1])) + float64(b.List(i)[k-1])
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				took, sum := time.Since(start), 0.0
				for _, s := range sums {
					sum += s
				}
				return took, sum
			}
			first, _ := join(j)
			again, got := join(j)
			cpu, want := join(neighbors.CPU{})
			if off := (got - want) / want; off > 1e-9 || off < -1e-9 {
				t.Errorf("%s k %d: checksum %v, on the CPU %v", c.name, k, got, want)
			}
			fmt.Printf("nearest %-9s k %-3d: GPU %v, again %v; CPU %v after %v of index\n", c.name, k, first, again, cpu, prepared)
		}
	}
}
