//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

// everyConfig is every pattern in every order with every number of threads,
// in batches so small that some overflow.
func everyConfig() (configs []Config) {
	for _, p := range []Pattern{PatternFull, PatternUnicomp, PatternLIDUnicomp, PatternBrute} {
		for _, o := range []Order{OrderNone, OrderSortByWL, OrderWorkQueue} {
			for k := 1; k <= 32; k *= 2 {
				configs = append(configs, Config{Pattern: p, Order: o, Threads: k, Batch: 20000})
			}
		}
	}
	return configs
}

// Every kernel of every dimension finds what the CPU finds, in an open space, a
// periodic box, and a join of two sets. On the emulator a few of the patterns
// must do, and under a checker.
func TestEveryKernel(t *testing.T) {
	configs, n := append(everyConfig(), Config{}), 1500
	if os.Getenv("SKYJOIN_GPU") == "" || testing.Short() {
		configs, n = []Config{{}, {Pattern: PatternFull, Threads: 4}, {Pattern: PatternLIDUnicomp, Order: OrderSortByWL}}, 120
	}
	type join struct {
		name string
		plan *neighbors.Plan
		want *neighbors.Table
	}
	var joins []join
	const side = 10
	g := rand.New(rand.NewPCG(8, 8))
	for dim := 1; dim <= maxDim; dim++ {
		points := func(n int) *neighbors.Points {
			cols := make([]neighbors.Column, dim)
			for c := range cols {
				v := make([]float64, n)
				for i := range v {
					v[i] = side * g.Float64()
					if i%2 == 0 {
						v[i] = side / 2 * (1 + .1*g.NormFloat64())
					}
				}
				cols[c] = neighbors.Float64s(v)
			}
			p, err := neighbors.NewPoints(cols...)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		box := make([]float64, dim)
		for c := range box {
			box[c] = side
		}
		a, b := points(n), points(n/2)
		radius := []float64{.1, .1, .4, .8, 1, 1.4, 1.8, 2, 2.2}[dim]
		for name, in := range map[string]neighbors.Input{"open": {Query: a}, "box": {Query: a, Metric: neighbors.Periodic(box...)}, "two": {Query: a, Data: b}} {
			p, err := neighbors.Prepare(context.Background(), in, neighbors.Within{Radius: radius})
			if err != nil {
				t.Fatal(err)
			}
			want, err := neighbors.Collect(context.Background(), neighbors.CPU{}, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(want.Index) < n/4 {
				t.Fatalf("%s, %d dimensions: %d neighbours are too few to test with", name, dim, len(want.Index))
			}
			joins = append(joins, join{fmt.Sprintf("%s, %d dimensions", name, dim), p, want})
		}
	}
	keep, err := Open(Config{}) // the context, which takes long to make
	if err != nil {
		t.Fatal(err)
	}
	defer keep.Close()
	for _, c := range configs {
		j, err := Open(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range joins {
			got, err := neighbors.Collect(context.Background(), j, n.plan, 0)
			if err != nil || !slices.Equal(got.Index, n.want.Index) || !slices.Equal(got.Offset, n.want.Offset) {
				t.Errorf("%s, %+v: another table, or error %v", n.name, c, err)
			}
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The corpus, with every pattern in every order, and every number of threads in
// one of them; on a card with every number in all.
func TestPatternsConform(t *testing.T) {
	var configs []Config
	for i, p := range []Pattern{PatternFull, PatternUnicomp, PatternLIDUnicomp, PatternBrute} {
		for k, o := range []Order{OrderNone, OrderSortByWL, OrderWorkQueue} {
			configs = append(configs, Config{Pattern: p, Order: o, Threads: 1 << ((i + 2*k) % 6), Batch: 20000})
		}
	}
	for i, k := range []int{1, 2, 4, 8, 16, 32} {
		configs = append(configs, Config{Pattern: []Pattern{PatternFull, PatternUnicomp, PatternLIDUnicomp}[i%3], Threads: k})
	}
	if os.Getenv("SKYJOIN_GPU") != "" {
		configs = everyConfig()
	}
	if testing.Short() {
		configs = configs[7:8] // a half pattern, which other joins run in full; sorted by work
	}
	for _, c := range configs {
		t.Run(fmt.Sprintf("%s %s %d", c.Pattern, c.Order, c.Threads), func(t *testing.T) {
			j, err := Open(c)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			jointest.RunFor(t, func() neighbors.Joiner { return j }, func(p *neighbors.Plan) bool { return p.Within() != nil && supports(p) == nil })
		})
	}
}

// Batches of the work queue have about equal results, though the first rows
// have many times those of the last.
func TestWorkQueueBatches(t *testing.T) {
	p := clumpPlan(t, 2000)
	want := make([]int64, p.Len())
	if err := (neighbors.CPU{}).Count(context.Background(), p, p.Work(), want); err != nil {
		t.Fatal(err)
	}
	for _, c := range []Config{{Order: OrderWorkQueue, Batch: 20000}, {Pattern: PatternLIDUnicomp, Order: OrderWorkQueue, Threads: 8, Batch: 20000}} {
		j, err := Open(c)
		if err != nil {
			t.Fatal(err)
		}
		err = j.prepare.Do(func() error {
			s, err := newSession(j.prepare, p, wide, nil)
			if err != nil {
				return err
			}
			defer s.release()
			if err := s.hand(p.Work().Take(p.Len(), 0)); err != nil {
				return err
			}
			pt, err := s.newPattern(j.cfg)
			if err != nil {
				return err
			}
			defer pt.release()
			spans, capacity, err := pt.batches(len(j.lanes))
			if err != nil {
				return err
			}
			var most, total int64
			for _, sp := range spans {
				var sum int64
				for _, r := range pt.rows[sp.lo:sp.hi] {
					sum += want[r]
				}
				most, total = max(most, sum), total+sum
			}
			first, last := spans[0], spans[len(spans)-1]
			if len(spans) < 4 || most > int64(capacity)*3/2 || most*int64(len(spans)) > 2*total || last.hi-last.lo < 2*(first.hi-first.lo) || last.hi != p.Len() {
				t.Errorf("%+v: %d batches of room for %d, the largest of %d neighbours of %d; rows [%d, %d) to [%d, %d)", c, len(spans), capacity, most, total, first.lo, first.hi, last.lo, last.hi)
			}
			return nil
		})
		if err := errors.Join(err, j.Close()); err != nil {
			t.Error(err)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, c := range []Config{{Pattern: "half"}, {Order: "random"}, {Threads: 3}, {Threads: 64}, {Streams: -1}, {Batch: -1}, {Memory: -1}, {Devices: []int{0, 1}}} {
		if _, err := Open(c); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("%+v: error %v, want %v", c, err, neighbors.ErrRequest)
		}
	}
}
