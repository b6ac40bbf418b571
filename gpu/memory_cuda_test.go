//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"skyjoin/internal/cuda"
	"skyjoin/internal/pairfunc"
	"skyjoin/neighbors"
)

// setenv sets a variable of the C environment, where the emulator looks.
func setenv(t *testing.T, name, value string) {
	t.Helper()
	if os.Getenv("SKYJOIN_GPU") != "" {
		t.Skip("the emulator alone fails when it is told to")
	}
	t.Setenv(name, value)
}

func clumpPlan(t *testing.T, n int) *neighbors.Plan {
	t.Helper()
	g := rand.New(rand.NewPCG(3, 3))
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = 10*g.Float64(), 10*g.Float64()
		if i < n/4 {
			x[i], y[i] = 5+.01*g.Float64(), 5
		}
	}
	p, err := neighbors.NewPoints(neighbors.Float64s(x), neighbors.Float64s(y))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: p}, neighbors.Within{Radius: .5})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// Whichever allocation of device or pinned memory fails, and however little
// memory there is, every request gives the right answer or an error that says so,
// leaves nothing on the card but what the lanes keep, and if it failed is answered
// when it is made again.
func TestMemoryRunsOut(t *testing.T) {
	allocations, step, finer := 45, 1, 2
	if testing.Short() {
		step, finer = 13, 32
	}
	for _, r := range everyRequest(t) {
		t.Run(r.name, func(t *testing.T) {
			setenv(t, "EMULATOR_FAIL", "")
			want, err := r.ask(context.Background(), opened(t, r.cfg))
			if err != nil {
				t.Fatal(err)
			}
			for nth := 1; nth <= allocations; nth += step {
				r.answers(t, want, "EMULATOR_FAIL", fmt.Sprintf("alloc:%d", nth))
			}
			for nth := 1; nth <= allocations/5; nth += step { // few are pinned
				r.answers(t, want, "EMULATOR_FAIL", fmt.Sprintf("pin:%d", nth))
			}
			full := 0
			for memory := 1 << 10; memory <= 1<<20; memory *= finer {
				if !r.answers(t, want, "EMULATOR_MEMORY", fmt.Sprint(memory)) {
					full++
				}
			}
			if full == 0 {
				t.Error("1 KiB of memory is enough")
			}
		})
	}
}

func opened(t *testing.T, cfg Config) *Joiner {
	t.Helper()
	j, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// answers checks what a request gives on a card that is short of memory in some
// way, and whether that is an answer.
func (r request) answers(t *testing.T, want any, name, value string) (ok bool) {
	t.Helper()
	j := opened(t, r.cfg)
	defer j.Close()
	free := func() int64 {
		n, _, err := j.ctx.Free()
		if err != nil {
			t.Error(err)
		}
		return n
	}
	before := free()
	usual := os.Getenv(name)
	setenv(t, name, value)
	got, err := r.ask(context.Background(), j)
	setenv(t, name, usual)
	switch {
	case err == nil && !reflect.DeepEqual(got, want):
		t.Errorf("%s %s: another answer", name, value)
	case err != nil && !IsFull(err):
		t.Errorf("%s %s: error %v, want one about memory", name, value, err)
	}
	j.shed()
	if after := free(); after != before {
		t.Errorf("%s %s: %d bytes are left on the card", name, value, before-after)
	}
	if err == nil {
		return true
	}
	if again, err := r.ask(context.Background(), j); err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("%s %s: asked again it gives another answer, or the error %v", name, value, err)
	}
	return false
}

// An index that does not fit says what it needs and what there is.
func TestIndexBeyondMemory(t *testing.T) {
	const memory = 300 << 10
	setenv(t, "EMULATOR_MEMORY", fmt.Sprint(memory))
	p := clumpPlan(t, 8000)
	nearest, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: randomPoints(t, 40_000)}, neighbors.Nearest{K: 3})
	if err != nil {
		t.Fatal(err)
	}
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for name, err := range map[string]error{
		"count":   j.Count(context.Background(), p, p.Work(), make([]int64, p.Len())),
		"cluster": j.Cluster(context.Background(), p, 3, false, make([]int32, p.Len()), make([]bool, p.Len()), nil, nil),
		"nearest": j.Visit(context.Background(), nearest, nearest.Work(), func(int, *neighbors.Batch) error { return nil }),
	} {
		if !errors.Is(err, cuda.ErrMemory) || !IsFailure(err) {
			t.Errorf("%s: error %v, want %v, for which the CPU takes over", name, err, cuda.ErrMemory)
			continue
		}
		for _, want := range []string{"points in 2 dimensions can take", "300.0 KiB on Emulated GPU", "are free", "the CPU"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not say %q", name, err, want)
			}
		}
	}
}

func randomPoints(t *testing.T, n int) *neighbors.Points {
	t.Helper()
	g := rand.New(rand.NewPCG(5, 5))
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = g.Float64(), g.Float64()
	}
	p, err := neighbors.NewPoints(neighbors.Float64s(x), neighbors.Float64s(y))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Results many times what the caps allow stream in small batches.
func TestResultsBeyondMemory(t *testing.T) {
	p := clumpPlan(t, 3000)
	want := make([]int64, p.Len())
	if err := (neighbors.CPU{}).Count(context.Background(), p, p.Work(), want); err != nil {
		t.Fatal(err)
	}
	for _, c := range []Config{{Memory: 40 << 10}, {Batch: 100}, {Pattern: PatternFull, Memory: 60 << 10}, {Pattern: PatternFull, Order: OrderWorkQueue, Batch: 100}} {
		j, err := Open(c)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int64, p.Len())
		batches := 0
		for b, err := range j.Join(context.Background(), p, p.Work()) {
			if err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			batches++
			for i, r := range b.Rows {
				got[r] = int64(len(b.List(i)))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: lists have other lengths", c)
		}
		if batches < 20 {
			t.Errorf("%+v: %d batches, want many", c, batches)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Batches that are configured to be larger than memory, or than there are
// neighbours, take no more than these.
func TestBatchesBeyondMemory(t *testing.T) {
	within := clumpPlan(t, 300)
	nearest := prepared(t, neighbors.Input{Query: randomPoints(t, 300)}, neighbors.Nearest{K: 1})
	for _, batch := range []int{1 << 24, math.MaxInt} {
		for _, c := range []struct {
			cfg Config
			p   *neighbors.Plan
		}{
			{Config{}, within}, {Config{Pattern: PatternFull}, within}, {Config{Pattern: PatternUnicomp}, within},
			{Config{Pattern: PatternFull, Order: OrderWorkQueue}, within}, {Config{}, nearest}, {Config{Linear: true}, nearest},
		} {
			want, err := neighbors.Collect(context.Background(), neighbors.CPU{}, c.p, 0)
			if err != nil {
				t.Fatal(err)
			}
			c.cfg.Batch = batch
			setenv(t, "EMULATOR_MEMORY", fmt.Sprint(16<<20))
			got, err := neighbors.Collect(context.Background(), opened(t, c.cfg), c.p, 0)
			if err != nil {
				t.Errorf("%+v: %v", c.cfg, err)
			} else if !slices.Equal(got.Index, want.Index) {
				t.Errorf("%+v: other neighbours than on the CPU", c.cfg)
			}
		}
	}
}

// What lanes keep of one join is there for the next request, whichever it is.
func TestLanesMakeRoom(t *testing.T) {
	setenv(t, "EMULATOR_MEMORY", fmt.Sprint(1<<20))
	lists := clumpPlan(t, 1500)
	few := prepared(t, neighbors.Input{Query: randomPoints(t, 64)}, neighbors.Within{Radius: .005})
	n := opened(t, Config{}).Room(few)
	p := prepared(t, neighbors.Input{Query: randomPoints(t, n)}, neighbors.Within{Radius: .005})
	for name, ask := range map[string]func(j *Joiner) error{
		"clusters": func(j *Joiner) error {
			return j.Cluster(context.Background(), p, 3, false, make([]int32, n), make([]bool, n), nil, nil)
		},
		"counts": func(j *Joiner) error { return j.Count(context.Background(), p, p.Work(), make([]int64, n)) },
	} {
		j := opened(t, Config{})
		if err := j.Visit(context.Background(), lists, lists.Work(), func(int, *neighbors.Batch) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if room := j.Room(few); room > n*3/4 {
			t.Errorf("the lanes keep so little that there is room for %d of %d points", room, n)
		}
		if err := ask(j); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A Joiner that is closed twice leaves others of the same card alone.
func TestCloseTwice(t *testing.T) {
	p := clumpPlan(t, 300)
	other := opened(t, Config{})
	visit := func() error {
		return other.Visit(context.Background(), p, p.Work(), func(int, *neighbors.Batch) error { return nil })
	}
	if err := visit(); err != nil {
		t.Fatal(err)
	}
	j := opened(t, Config{})
	for range 2 {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := visit(); err != nil {
		t.Error(err)
	}
}

// Parts of all pairs are of a size that the fullest of several cards has room for.
func TestPartsFitEveryCard(t *testing.T) {
	const total = 2 << 20
	setenv(t, "EMULATOR_MEMORY", fmt.Sprint(total))
	cards := &Cards{}
	for device := range 2 {
		cards.all = append(cards.all, opened(t, Config{Devices: []int{device}, Streams: 2, Pairs: Pairs{Points: 3000}}))
	}
	cards.Joiner = cards.all[0]
	second := cards.all[1].prepare
	taken := &memory{stream: second}
	err := second.Do(func() error { _, err := alloc[byte](taken, total*15/16); return err })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = second.Do(func() error { taken.release(); return nil }) }()
	in := neighbors.Input{Query: randomPoints(t, 6000)}
	n, err := cards.BinPairs(context.Background(), in, []float64{0, .5, 2})
	if err != nil {
		t.Fatal(err)
	}
	if pairs := uint64(6000 * 5999 / 2); n[0]+n[1] != pairs {
		t.Errorf("%d and %d pairs, together there are %d", n[0], n[1], pairs)
	}
	job := statJob(t, "a.x*a.y*a.z < b.x*b.y*b.z", 6000, 0, pairfunc.Count)
	if _, err := cards.Reduce(context.Background(), job, nil); err != nil {
		t.Error(err)
	}
}
