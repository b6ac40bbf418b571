package hybrid

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

// A slowCPU finds nothing until it is told to stop, or fails.
type slowCPU struct {
	neighbors.CPU
	err error
}

func (c slowCPU) Visit(ctx context.Context, _ *neighbors.Plan, _ neighbors.Work, _ func(int, *neighbors.Batch) error) error {
	if c.err != nil {
		return c.err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

func TestProbeExtrapolates(t *testing.T) {
	p := plan(t, cloud(t, 200_000), neighbors.Nearest{K: 4})
	for _, c := range []struct {
		name string
		cpu  neighbors.Joiner
		ok   bool
		sane func(seconds float64) bool
	}{
		{"sound", neighbors.CPU{Threads: 1}, true, func(s float64) bool { return s > 0 && !math.IsInf(s, 0) }},
		{"not through in time", slowCPU{}, true, func(s float64) bool { return math.IsInf(s, 1) }},
		{"fails", slowCPU{err: errDevice}, false, func(s float64) bool { return s == 0 }},
	} {
		limit := time.Hour
		if c.name == "not through in time" {
			limit = time.Millisecond
		}
		seconds, ok := (&Joiner{CPU: c.cpu}).probe(context.Background(), p, limit)
		if ok != c.ok || !c.sane(seconds) {
			t.Errorf("%s: %v seconds, %v", c.name, seconds, ok)
		}
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, ok := (&Joiner{CPU: neighbors.CPU{}}).probe(ended, p, time.Hour); ok {
		t.Error("a probe that was broken off says something")
	}
}

// A triedCPU remembers that it was asked for neighbours.
type triedCPU struct {
	neighbors.CPU
	tried *atomic.Bool
	slow  bool
}

func (c triedCPU) Visit(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(int, *neighbors.Batch) error) error {
	c.tried.Store(true)
	if c.slow {
		return slowCPU{}.Visit(ctx, p, work, visit)
	}
	return c.CPU.Visit(ctx, p, work, visit)
}

// openThreads is a number of threads with which it is open who finds the nearest
// sooner.
func openThreads(t *testing.T, p *neighbors.Plan) int {
	t.Helper()
	for n := 1; n <= 1<<12; n++ {
		if !sure((&Joiner{}).forecasts(p, false, float64(n))) {
			return n
		}
	}
	t.Fatalf("%d nearest of %d points: it is clear for any number of threads who is faster", p.Nearest().K, p.Len())
	return 0
}

// The CPU is tried only where guesses leave it open who is faster, and what a
// trial says decides.
func TestTrialsDecide(t *testing.T) {
	large, small := cloud(t, worthProbing), cloud(t, 20_000)
	open := openThreads(t, plan(t, large, neighbors.Nearest{K: 32}))
	few := openThreads(t, plan(t, small, neighbors.Nearest{K: 128}))
	for _, c := range []struct {
		name    string
		points  *neighbors.Points
		threads int
		slow    bool
		gpus    int
		query   neighbors.Query
		counts  bool
		rates   Rates
		later   bool
		tried   bool
		left    string // the only side; "": who knows
	}{
		{"open", large, open, false, 1, neighbors.Nearest{K: 32}, false, Rates{}, true, true, ""},
		{"slow", large, open, true, 1, neighbors.Nearest{K: 32}, false, Rates{}, true, true, "gpu 0"},
		{"one thread", large, 1, false, 1, neighbors.Nearest{K: 32}, false, Rates{}, false, false, "gpu 0"},
		{"open, but small", small, few, false, 1, neighbors.Nearest{K: 128}, false, Rates{}, false, false, ""},
		{"nothing to speak of", cloud(t, 500), 8, false, 1, neighbors.Nearest{K: 8}, false, Rates{}, false, false, "cpu"},
		{"measured before", large, open, false, 1, neighbors.Nearest{K: 32}, false, Rates{CPU: 1, GPU: 9}, false, false, "cpu"},
		{"within a radius", large, 1, false, 1, neighbors.Within{Radius: 1e-4}, false, Rates{}, false, false, ""},
		{"within a radius, several", large, 1, false, 2, neighbors.Within{Radius: 1e-4}, false, Rates{}, false, false, ""},
		{"counts", large, 1, false, 1, neighbors.Within{Radius: 1e-4}, true, Rates{}, false, false, ""},
	} {
		tried := &atomic.Bool{}
		j := &Joiner{CPU: triedCPU{neighbors.CPU{Threads: c.threads}, tried, c.slow}, Rates: c.rates}
		for range c.gpus {
			j.GPUs = append(j.GPUs, &standIn{})
		}
		chosen := j.choose(plan(t, c.points, c.query), j.sides(), c.counts)
		if (chosen.later != nil) != c.later {
			t.Errorf("%s: decided later %v, want %v", c.name, chosen.later != nil, c.later)
			continue
		}
		if c.later {
			chosen = chosen.later(context.Background())
		}
		if tried.Load() != c.tried || (chosen.by == nil) != (c.name == "nothing to speak of") {
			t.Errorf("%s: tried %v, want %v, by %v", c.name, tried.Load(), c.tried, chosen.by)
		}
		if c.left != "" && (len(chosen.active) != 1 || chosen.active[0].name() != c.left || chosen.why == "") {
			t.Errorf("%s: %d sides, %q, want %s alone (%+v)", c.name, len(chosen.active), chosen.why, c.left, chosen.by)
		}
	}
}

func TestPick(t *testing.T) {
	for _, c := range []struct {
		name     string
		cpu, gpu forecast
		want     string
	}{
		{"alike", forecast{0.1, 2}, forecast{0.1, 2}, "gpu 0 cpu"},
		{"alike, little to gain", forecast{0.04, 0.06}, forecast{0.03, 0.06}, "gpu 0"},
		{"a CPU a bit ahead, little to gain", forecast{0.04, 0.055}, forecast{0.03, 0.06}, "cpu"},
		{"a CPU too slow to help", forecast{0.1, 90}, forecast{0.1, 2}, "gpu 0"},
		{"a GPU too slow to help", forecast{0.1, 2}, forecast{0.1, 90}, "cpu"},
		{"an index that takes longer than the other side", forecast{3, 4}, forecast{0.1, 2}, "gpu 0"},
		{"a CPU of half the rate", forecast{0.1, 4}, forecast{0.1, 2}, "gpu 0 cpu"},
		{"a CPU of a third of the rate", forecast{0.1, 6}, forecast{0.1, 2}, "gpu 0"},
		{"a trial that did not end", forecast{0.1, math.Inf(1)}, forecast{0.1, 2}, "gpu 0"},
	} {
		sides := []*side{{gpu: true}, {}}
		chosen := pick(sides, c.cpu, c.gpu)
		got := ""
		for _, s := range chosen.active {
			if got != "" {
				got += " "
			}
			got += s.name()
		}
		if got != c.want || (chosen.why == "") != (len(chosen.active) == 2) {
			t.Errorf("%s: %s (%s), want %s", c.name, got, chosen.why, c.want)
		}
	}
}

// who are choices by the sides that stay.
var who = map[string]func(sides []*side) []*side{
	"both": func(sides []*side) []*side { return sides },
	"gpu":  func(sides []*side) []*side { return sides[:len(sides)-1] },
	"cpu":  func(sides []*side) []*side { return sides[len(sides)-1:] },
}

// deciding returns a joiner of stand-ins whose sides are chosen while they
// begin: by stay, after wait.
func deciding(gpus int, stay string, wait func(ctx context.Context), shape func(i int, s *standIn)) *Joiner {
	j := joiner(Adaptive, gpus, true, shape)
	j.chosen = func(sides []*side) choice {
		return choice{active: sides, later: func(ctx context.Context) choice {
			wait(ctx)
			return choice{active: who[stay](sides), why: stay}
		}}
	}
	return j
}

func atOnce(context.Context) {}

// quickDeciding are the runs of the fast suite.
var quickDeciding = []string{"gpu/misses", "cpu/out of memory", "both/lost"}

// Whoever is chosen during the run, and whatever fails, the answer is the same.
func TestDecidingConforms(t *testing.T) {
	for stay := range who {
		for _, f := range faults {
			name := stay + "/" + f.name
			if !f.cpu || testing.Short() && !slices.Contains(quickDeciding, name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				jointest.Run(t, func() neighbors.Joiner { return deciding(1, stay, atOnce, f.shape) })
			})
		}
	}
}

func TestDecidedSides(t *testing.T) {
	p := plan(t, cloud(t, 20_000), neighbors.Nearest{K: 3})
	until := func(ctx context.Context) { <-ctx.Done() } // a trial that ends only when it is told to
	for _, c := range []struct {
		name  string
		gpus  int
		stay  string
		wait  func(ctx context.Context)
		shape func(i int, s *standIn)
		alone string // did it all
	}{
		{"GPU alone", 1, "gpu", atOnce, nil, "gpu 0"},
		{"CPU alone", 1, "cpu", atOnce, nil, "cpu"},
		{"CPU alone, several GPUs", 3, "cpu", atOnce, nil, "cpu"},
		{"the GPU fails while the CPU is tried", 1, "gpu", until, func(_ int, s *standIn) { s.atOnce = true }, "cpu"},
		{"all GPUs fail while the CPU is tried", 2, "both", until, func(_ int, s *standIn) { s.atOnce = true }, "cpu"},
		{"the GPU fails after it was chosen", 1, "gpu", atOnce, func(_ int, s *standIn) { s.failAfter = 1 }, ""},
	} {
		j := deciding(c.gpus, c.stay, c.wait, c.shape)
		done := make([]bool, p.Len())
		again := 0
		err := neighbors.Visit(context.Background(), oneByOne{j}, p, p.Work(), func(_ int, b *neighbors.Batch) error {
			for _, r := range b.Rows {
				if done[r] {
					again++
				}
				done[r] = true
			}
			return nil
		})
		if err != nil || again > 0 || slices.Contains(done, false) {
			t.Errorf("%s: %v, %d rows twice", c.name, err, again)
		}
		for _, s := range j.Report().Sides {
			if c.alone != "" && (s.Device == c.alone) != (s.Rows == int64(p.Len())) {
				t.Errorf("%s: %s did %d rows", c.name, s.Device, s.Rows)
			}
		}
	}
}

// oneByOne hides that a joiner can visit with several workers.
type oneByOne struct{ neighbors.Joiner }

// A run that is broken off while the CPU is tried ends.
func TestBrokenOffUndecided(t *testing.T) {
	p := plan(t, cloud(t, 5000), neighbors.Nearest{K: 3})
	ctx, cancel := context.WithCancel(context.Background())
	j := deciding(1, "gpu", func(ctx context.Context) { cancel(); <-ctx.Done() }, nil)
	work := p.Work()
	if err := j.Visit(ctx, p, work, func(int, *neighbors.Batch) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if rows := takeAll(work); len(rows) != p.Len() {
		t.Errorf("%d rows came back, want all %d", len(rows), p.Len())
	}
}
