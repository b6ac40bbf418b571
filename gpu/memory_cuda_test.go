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
