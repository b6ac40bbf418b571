//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/hybrid"
	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// roomy are joins of n points of both sides together.
func roomy(t *testing.T, n int) map[string]neighbors.Input {
	g := rand.New(rand.NewPCG(2, 9))
	uniform := func(int, int) float64 { return 10 * g.Float64() }
	lattice := func(int, int) float64 { return float64(g.IntN(30)) / 3 }
	return map[string]neighbors.Input{
		"one dimension":   {Query: pointsOf(t, n, 1, false, uniform)},
		"open":            {Query: pointsOf(t, n, 2, false, lattice)},
		"float32":         {Query: pointsOf(t, n, 3, true, uniform)},
		"five dimensions": {Query: pointsOf(t, n, 5, false, uniform)},
		"box":             {Query: pointsOf(t, n, 2, false, lattice), Metric: neighbors.Periodic(10, 0)},
		"sky":             {Query: pointsOf(t, n, 2, false, uniform), Metric: neighbors.Sky()},
		"few queries":     {Query: pointsOf(t, n/8, 3, false, uniform), Data: pointsOf(t, n-n/8, 3, false, uniform)},
		"many queries":    {Query: pointsOf(t, n-n/8, 3, false, uniform), Data: pointsOf(t, n/8, 3, false, uniform)},
	}
}

// As many points as Room says do fit, and not many times as many would.
func TestRoomIsThere(t *testing.T) {
	setenv(t, "EMULATOR_MEMORY", fmt.Sprint(256<<10))
	for name := range roomy(t, 64) {
		for _, q := range []neighbors.Query{neighbors.Nearest{K: 3}, neighbors.Within{Radius: .005}} {
			t.Run(fmt.Sprintf("%s/%T", name, q), func(t *testing.T) {
				run := func(n func(room int) int) error {
					j, err := Open(Config{Streams: 1})
					if err != nil {
						t.Fatal(err)
					}
					defer j.Close()
					p := prepared(t, roomy(t, 64)[name], q)
					p = prepared(t, roomy(t, n(j.Room(p)))[name], q)
					return j.Visit(context.Background(), p, p.Work(), func(int, *neighbors.Batch) error { return nil })
				}
				if err := run(func(room int) int { return room }); err != nil {
					t.Error(err)
				}
				if err := run(func(room int) int { return 3 * room }); !errors.Is(err, cuda.ErrMemory) {
					t.Errorf("three times as many points as there is room for: error %v, want %v", err, cuda.ErrMemory)
				}
			})
		}
	}
}

func prepared(t *testing.T, in neighbors.Input, q neighbors.Query) *neighbors.Plan {
	t.Helper()
	p, err := neighbors.Prepare(context.Background(), in, q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The nearest of more points than a card holds are found on the card, slab by
// slab, and are those of the CPU.
func TestNearestBeyondMemory(t *testing.T) {
	setenv(t, "EMULATOR_MEMORY", fmt.Sprint(256<<10))
	for name, in := range roomy(t, 4500) {
		t.Run(name, func(t *testing.T) {
			j, err := Open(Config{Streams: 2, Linear: name == "open"})
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			p := prepared(t, in, neighbors.Nearest{K: 5})
			if room := j.Room(p); room >= int(bothSides(p)) {
				t.Fatalf("room for %d points", room)
			}
			want, err := neighbors.Collect(context.Background(), neighbors.CPU{}, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			h := &hybrid.Joiner{GPUs: []neighbors.Joiner{j}}
			got, err := neighbors.Collect(context.Background(), h, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
				t.Error("other neighbours than on the CPU")
			}
		})
	}
}
