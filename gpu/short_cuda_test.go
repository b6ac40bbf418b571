//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"skyjoin/internal/pairfunc"
	"skyjoin/neighbors"
)

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
		if room := j.Room(few); room >= n { // how many lanes had work depends on time
			t.Errorf("the lanes keep nothing: there is room for %d of %d points", room, n)
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
		cards.all = append(cards.all, opened(t, Config{Devices: []int{device}, Streams: 2, Pairs: Pairs{points: 3000}}))
	}
	cards.Joiner = cards.all[0]
	second := cards.all[1].prepare
	taken := begin(second)
	err := second.Do(func() error { temp[byte](taken, total*15/16); return taken.err })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = second.Do(func() error { taken.end(); return nil }) }()
	in := neighbors.Input{Query: randomPoints(t, 6000)}
	n, err := cards.BinPairs(context.Background(), in, []float64{0, .5, 2})
	if err != nil {
		t.Fatal(err)
	}
	if pairs := uint64(6000 * 5999 / 2); n[0]+n[1] != pairs {
		t.Errorf("%d and %d pairs, together there are %d", n[0], n[1], pairs)
	}
	job := functionJob(t, "a.x*a.y*a.z < b.x*b.y*b.z", 6000, 0, pairfunc.Count)
	if _, err := cards.reduce(context.Background(), job, nil); err != nil {
		t.Error(err)
	}
}
