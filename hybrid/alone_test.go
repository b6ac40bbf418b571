package hybrid

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"testing"

	"skyjoin/neighbors"
)

// An idle joiner takes all rows at once and does nothing with them, so that what
// is left is what the hybrid joiner costs.
type idle struct{}

func (i idle) Join(ctx context.Context, p *neighbors.Plan, work neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	return neighbors.Stream(ctx, i, p, work)
}

func (idle) Workers() int { return 16 }

func (idle) Visit(_ context.Context, _ *neighbors.Plan, work neighbors.Work, _ func(int, *neighbors.Batch) error) error {
	takeAll(work)
	return nil
}

func (idle) Count(_ context.Context, _ *neighbors.Plan, work neighbors.Work, _ []int64) error {
	takeAll(work)
	return nil
}

func evenPoints(tb testing.TB, n, dim int) *neighbors.Points {
	tb.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	cols := make([]neighbors.Column, dim)
	for j := range cols {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.Float64()
		}
		cols[j] = neighbors.Float64s(v)
	}
	p, err := neighbors.NewPoints(cols...)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// loneRuns are runs that one side does by itself, without a trial.
var loneRuns = []struct {
	name  string
	query neighbors.Query
	count bool
	rates Rates
	left  string
}{
	{"lists", neighbors.Within{Radius: 0.002}, false, Rates{}, "gpu 0"},
	{"lists by the CPU", neighbors.Within{Radius: 0.002}, false, Rates{CPU: 1, GPU: 9}, "cpu"},
	{"counts", neighbors.Within{Radius: 0.002}, true, Rates{}, "gpu 0"},
	{"nearest", neighbors.Nearest{K: 128}, false, Rates{}, "gpu 0"},
	{"nearest by the CPU", neighbors.Nearest{K: 8}, false, Rates{CPU: 1, GPU: 9}, "cpu"},
}

// lone carries a run out once, by joiners that do nothing.
func lone(tb testing.TB, j *Joiner, p *neighbors.Plan, rows []uint32, count []int64) {
	work := neighbors.NewWork(rows, nil)
	var err error
	if count != nil {
		err = j.Count(context.Background(), p, work, count)
	} else {
		err = j.Visit(context.Background(), p, work, func(int, *neighbors.Batch) error { return nil })
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// Where one side does it all, the other costs no memory that grows with the rows.
func TestAloneTakesNoMemory(t *testing.T) {
	const n = 1 << 20
	points, rows, count := evenPoints(t, n, 2), places(n), make([]int64, n)
	for _, c := range loneRuns {
		p := plan(t, points, c.query)
		j := &Joiner{CPU: idle{}, GPUs: []neighbors.Joiner{idle{}}, Rates: c.rates}
		counts := count
		if !c.count {
			counts = nil
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		lone(t, j, p, rows, counts)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > n/8 {
			t.Errorf("%s: %d bytes for %d rows, at most %d are fair", c.name, took, n, n/8)
		}
		why := j.Report().Why
		if want := map[string]string{"cpu": cpuAlone, "gpu 0": gpuAlone}[c.left]; why != want {
			t.Errorf("%s: %q, want %q", c.name, why, want)
		}
	}
}

// BenchmarkAlone is what the joiner itself costs where one side does it all.
func BenchmarkAlone(b *testing.B) {
	for _, n := range []int{2_000_000, 10_000_000} {
		for _, dim := range []int{2, 4} {
			points, rows, count := evenPoints(b, n, dim), places(n), make([]int64, n)
			for _, c := range loneRuns {
				p, err := neighbors.Prepare(b.Context(), neighbors.Input{Query: points}, c.query)
				if err != nil {
					b.Fatal(err)
				}
				counts := count
				if !c.count {
					counts = nil
				}
				b.Run(fmt.Sprintf("%dM/%dD/%s", n/1_000_000, dim, c.name), func(b *testing.B) {
					j := &Joiner{CPU: idle{}, GPUs: []neighbors.Joiner{idle{}}, Rates: c.rates}
					b.ReportAllocs()
					for b.Loop() {
						lone(b, j, p, rows, counts)
					}
				})
			}
		}
	}
}
