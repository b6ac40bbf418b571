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

// The published kernels on the data sets of Gallet & Gowanlock, Tables III to
// V, and of Gowanlock & Karsin, Table 5: time of the kernel without output, and
// warp execution efficiency: the share of lanes that are active when a candidate
// is compared.
func TestPublishedPatterns(t *testing.T) {
	needCard(t)
	kernels := []Config{
		{Pattern: PatternFull}, {Pattern: PatternUnicomp}, {Pattern: PatternLIDUnicomp},
		{Pattern: PatternFull, Threads: 8}, {Pattern: PatternFull, Order: OrderSortByWL}, {Pattern: PatternFull, Order: OrderWorkQueue},
		{Pattern: PatternLIDUnicomp, Order: OrderWorkQueue, Threads: 8},
	}
	for _, c := range []struct {
		data
		radius float64
	}{{expo2D2M, .002}, {unif2D2M, 1}, {unif5D2M, 8}, {unif6D2M, 8}, {expo6D2M, .012}} {
		plan := publishedPlan(t, c.data, c.radius)
		onCard(t, func(m *memory) error {
			s, err := newSession(m.stream, plan, wide, nil)
			if err != nil {
				return err
			}
			defer s.release()
			rows := plan.Work().Take(plan.Len(), 0)
			q := begin(m.stream)
			own := timed(q, func() { q.do(func() error { return s.take(rows) }) })
			if q.err != nil {
				return q.err
			}
			total := s.offset[plan.Len()]
			fmt.Printf("patterns %s eps %g: |R| %d; own kernels %.1f ms with downloads\n", c.name, c.radius, total+uint64(c.n), own)
			for _, cfg := range kernels {
				if err := cfg.check(); err != nil {
					return err
				}
				lanes, err := s.activeLanes(cfg)
				if err != nil {
					return err
				}
				if lanes.found != total {
					t.Errorf("%s: %+v finds %d neighbours, want %d", c.name, cfg, lanes.found, total)
				}
				fmt.Printf("patterns %-9s eps %-6g %-11s k %d %-9s: %8.1f ms, warp execution efficiency %.1f %%\n", c.name, c.radius, cfg.Pattern, cfg.Threads, cfg.Order,
					lanes.ms, float64(lanes.active)/float64(lanes.steps)/32*100)
			}
			return nil
		})
	}
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
