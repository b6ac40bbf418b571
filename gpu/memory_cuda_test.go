//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// setenv sets a variable of the C environment, where the emulator looks.
func setenv(t *testing.T, name, value string) {
	t.Helper()
	emulatorOnly(t)
	t.Setenv(name, value)
}

func emulatorOnly(t *testing.T) {
	t.Helper()
	if os.Getenv("SKYJOIN_GPU") != "" {
		t.Skip("the emulator alone fails when it is told to")
	}
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
