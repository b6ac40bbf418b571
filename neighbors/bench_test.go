//go:build unix

package neighbors_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"skyjoin/neighbors"
)

// benchSets are data like those that other programs have been timed with:
// n rows whose radii give about 10, 60 and 600 neighbours a row.
var benchSets = []struct {
	name  string
	n, d  int
	value func(*rand.Rand) float64
	radii [3]float64
}{
	{"unif2d", 2_000_000, 2, func(r *rand.Rand) float64 { return 100 * r.Float64() }, [3]float64{.127, .31, .981}},
	{"unif3d", 2_000_000, 3, func(r *rand.Rand) float64 { return 100 * r.Float64() }, [3]float64{1.06, 1.94, 4.22}},
	{"unif6d", 1_000_000, 6, func(r *rand.Rand) float64 { return 100 * r.Float64() }, [3]float64{11.6, 15.8, 23.7}},
	{"expo2d", 2_000_000, 2, func(r *rand.Rand) float64 { return r.ExpFloat64() / 40 }, [3]float64{6.24e-5, 1.54e-4, 4.89e-4}},
}

// each runs f as a benchmark for every set.
func eachSet(b *testing.B, f func(b *testing.B, p *neighbors.Points, radii [3]float64)) {
	for _, s := range benchSets {
		var p *neighbors.Points
		b.Run(s.name, func(b *testing.B) {
			if p == nil {
				r := rand.New(rand.NewPCG(202, 0))
				cols := make([]neighbors.Column, s.d)
				for j := range cols {
					v := make([]float64, s.n)
					for i := range v {
						v[i] = s.value(r)
					}
					cols[j] = neighbors.Float64s(v)
				}
				var err error
				if p, err = neighbors.NewPoints(cols...); err != nil {
					b.Fatal(err)
				}
			}
			f(b, p, s.radii)
		})
	}
}

func prepare(b *testing.B, p *neighbors.Points, threads int, q neighbors.Query) *neighbors.Plan {
	plan, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: p, Threads: threads}, q)
	if err != nil {
		b.Fatal(err)
	}
	return plan
}

// index builds the plan's own index.
func index(b *testing.B, threads int, plan *neighbors.Plan) {
	if err := neighbors.Index(context.Background(), neighbors.CPU{Threads: threads}, plan); err != nil {
		b.Fatal(err)
	}
}

// perThreads runs f for 1 and 2 threads.
func perThreads(b *testing.B, name string, f func(b *testing.B, threads int)) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("%s/threads=%d", name, threads), func(b *testing.B) {
			before := processorTime()
			f(b, threads)
			b.ReportMetric((processorTime()-before).Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

// processorTime returns the time that processors have spent on this process:
// on a shared machine it says more than the clock.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCount counts all neighbours, the index included.
func BenchmarkCount(b *testing.B) {
	eachSet(b, func(b *testing.B, p *neighbors.Points, radii [3]float64) {
		for i, name := range []string{"S=10", "S=60", "S=600"} {
			perThreads(b, name, func(b *testing.B, threads int) {
				count := make([]int64, p.Len())
				for b.Loop() {
					plan := prepare(b, p, threads, neighbors.Within{Radius: radii[i]})
					if err := (neighbors.CPU{Threads: threads}).Count(context.Background(), plan, plan.Work(), count); err != nil {
						b.Fatal(err)
					}
				}
				report(b, sum(count))
			})
		}
	})
}

// BenchmarkVisit lists all neighbours and drops them, the index included.
func BenchmarkVisit(b *testing.B) {
	eachSet(b, func(b *testing.B, p *neighbors.Points, radii [3]float64) {
		for i, name := range []string{"S=10", "S=60", "S=600"} {
			perThreads(b, name, func(b *testing.B, threads int) {
				found := make([]int64, threads)
				for b.Loop() {
					clear(found)
					plan := prepare(b, p, threads, neighbors.Within{Radius: radii[i]})
					err := neighbors.CPU{Threads: threads}.Visit(context.Background(), plan, plan.Work(), func(w int, b *neighbors.Batch) error {
						found[w] += int64(len(b.Index))
						return nil
					})
					if err != nil {
						b.Fatal(err)
					}
				}
				report(b, sum(found))
			})
		}
	})
}

// BenchmarkIndex builds the index alone.
func BenchmarkIndex(b *testing.B) {
	eachSet(b, func(b *testing.B, p *neighbors.Points, radii [3]float64) {
		perThreads(b, "grid", func(b *testing.B, threads int) {
			for b.Loop() {
				index(b, threads, prepare(b, p, threads, neighbors.Within{Radius: radii[1]}))
			}
		})
		perThreads(b, "tree", func(b *testing.B, threads int) {
			for b.Loop() {
				index(b, threads, prepare(b, p, threads, neighbors.Nearest{K: 8}))
			}
		})
	})
}

// BenchmarkNearest finds the nearest neighbours of all rows, the index
// included.
func BenchmarkNearest(b *testing.B) {
	eachSet(b, func(b *testing.B, p *neighbors.Points, _ [3]float64) {
		for _, k := range []int{8, 32} {
			perThreads(b, fmt.Sprintf("K=%d", k), func(b *testing.B, threads int) {
				last := make([]float64, threads)
				for b.Loop() {
					clear(last)
					plan := prepare(b, p, threads, neighbors.Nearest{K: k})
					err := neighbors.CPU{Threads: threads}.Visit(context.Background(), plan, plan.Work(), func(w int, b *neighbors.Batch) error {
						for i := k - 1; i < len(b.Dist); i += k {
							last[w] += b.Dist[i]
						}
						return nil
					})
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

// report adds how many neighbours were found.
func report(b *testing.B, found int64) { b.ReportMetric(float64(found), "pairs") }
