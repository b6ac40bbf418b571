//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"skyjoin/internal/cuda"
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

// A failing allocation, whichever it is, gives the right table or an error
// that says so, and no row is lost.
func TestMemoryRunsOut(t *testing.T) {
	p := clumpPlan(t, 800)
	want, err := neighbors.Collect(context.Background(), neighbors.CPU{}, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Config{{}, {Pattern: PatternFull}, {Pattern: PatternLIDUnicomp}} {
		failed, passed := 0, 0
		for nth := 1; nth <= 60; nth++ {
			setenv(t, "EMULATOR_FAIL", "")
			j, err := Open(c)
			if err != nil {
				t.Fatal(err)
			}
			setenv(t, "EMULATOR_FAIL", fmt.Sprintf("alloc:%d", nth))
			got, err := neighbors.Collect(context.Background(), j, p, 0)
			switch {
			case err == nil:
				passed++
				if !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Offset, want.Offset) {
					t.Fatalf("%+v, allocation %d fails: another table", c, nth)
				}
			case errors.Is(err, cuda.ErrMemory):
				failed++
			default:
				t.Fatalf("%+v, allocation %d fails: %v", c, nth, err)
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if passed == 0 {
			t.Errorf("%+v: no join lived through a failed allocation", c)
		}
	}
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

// A failing allocation, whichever it is, is an error of the nearest and of pairs,
// or none.
func TestMemoryRunsOutOfOthers(t *testing.T) {
	ctx, points := context.Background(), randomPoints(t, 100)
	nearest := func(j *Joiner) error {
		p, err := neighbors.Prepare(ctx, neighbors.Input{Query: points}, neighbors.Nearest{K: 3})
		if err != nil {
			t.Fatal(err)
		}
		return j.Visit(ctx, p, p.Work(), func(int, *neighbors.Batch) error { return nil })
	}
	pairs := func(j *Joiner) error {
		_, err := j.ListPairs(ctx, neighbors.Input{Query: points}, .01)
		return err
	}
	for _, c := range []struct {
		Config
		run func(*Joiner) error
	}{
		{Config{}, nearest},
		{Config{Linear: true}, nearest},
		{Config{Pairs: Pairs{Output: OutputBuffer, Points: 40}}, pairs},
		{Config{Pairs: Pairs{Output: OutputTwoPass, Points: 40}}, pairs},
	} {
		failed := 0
		for nth := 1; nth <= 30; nth++ {
			setenv(t, "EMULATOR_FAIL", "")
			j, err := Open(c.Config)
			if err != nil {
				t.Fatal(err)
			}
			setenv(t, "EMULATOR_FAIL", fmt.Sprintf("alloc:%d", nth))
			err = c.run(j)
			if err != nil {
				failed++
			}
			if err != nil && !errors.Is(err, cuda.ErrMemory) {
				t.Fatalf("%+v, allocation %d fails: %v", c.Config, nth, err)
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if failed == 0 {
			t.Errorf("%+v: no allocation failed", c.Config)
		}
	}
}
