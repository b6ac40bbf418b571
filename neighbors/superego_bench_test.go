//go:build unix

package neighbors_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"skyjoin/neighbors"
)

// BenchmarkRivals counts all neighbours at S = 60 by every algorithm that
// finds neighbours within a radius. The wall clock leaves out the index of the
// plan and includes that of the algorithm; where the name says join, both are
// left out.
func BenchmarkRivals(b *testing.B) {
	eachSet(b, func(b *testing.B, p *neighbors.Points, radii [3]float64) {
		count := make([]int64, p.Len())
		q := neighbors.Within{Radius: radii[1]}
		run := func(b *testing.B, a neighbors.Algorithm, plan *neighbors.Plan, threads int) {
			if err := (neighbors.CPU{Threads: threads, Algorithm: a}).Count(context.Background(), plan, plan.Work(), count); err != nil {
				b.Fatal(err)
			}
		}
		for _, a := range []neighbors.Algorithm{neighbors.Grid, neighbors.NewSuperEGO, neighbors.SuperEGO, neighbors.RTree} {
			perThreads(b, string(a), func(b *testing.B, threads int) {
				for b.Loop() {
					b.StopTimer()
					plan := prepare(b, p, threads, q)
					index(b, threads, plan)
					b.StartTimer()
					run(b, a, plan, threads)
				}
				report(b, sum(count))
			})
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/join/threads=%d", a, threads), func(b *testing.B) {
					plan := prepare(b, p, 2, q)
					index(b, 2, plan)
					run(b, a, plan, 2)
					before := processorTime()
					for b.Loop() {
						run(b, a, plan, threads)
					}
					b.ReportMetric((processorTime()-before).Seconds()/float64(b.N), "cpu-s/op")
				})
			}
		}
	})
}

// BenchmarkCandidates counts the pairs that the grid and the epsilon grid
// order leave to be compared, on the exponential data of HEGJoin's Table 3 with
// a tenth of the rows and radii that keep the selectivity: those of the table
// times 10^(1/d).
func BenchmarkCandidates(b *testing.B) {
	for _, s := range []struct {
		name   string
		n, d   int
		radius float64
	}{
		{"expo2d2m", 200_000, 2, .002},
		{"expo2d10m", 1_000_000, 2, .0004},
		{"expo4d2m", 200_000, 4, .01},
		{"expo4d10m", 1_000_000, 4, .004},
		{"expo8d2m", 200_000, 8, .015},
		{"expo8d10m", 1_000_000, 8, .012},
	} {
		b.Run(s.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(240, 0))
			cols := make([]neighbors.Column, s.d)
			for j := range cols {
				v := make([]float64, s.n)
				for i := range v {
					v[i] = r.ExpFloat64() / 40
				}
				cols[j] = neighbors.Float64s(v)
			}
			points, err := neighbors.NewPoints(cols...)
			if err != nil {
				b.Fatal(err)
			}
			plan := prepare(b, points, 2, neighbors.Within{Radius: s.radius * math.Pow(10, 1/float64(s.d))})
			for b.Loop() {
				for _, a := range []neighbors.Algorithm{neighbors.Grid, neighbors.NewSuperEGO, neighbors.SuperEGO} {
					n, err := (neighbors.CPU{Threads: 2, Algorithm: a}).Candidates(context.Background(), plan)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(n), string(a)+"-pairs")
				}
			}
		})
	}
}

// BenchmarkWorkOrder counts with rows in the order of the index, by about
// falling work, and by exactly falling work. Making the deque is timed, the
// index is not.
func BenchmarkWorkOrder(b *testing.B) {
	eachSet(b, func(b *testing.B, p *neighbors.Points, radii [3]float64) {
		count := make([]int64, p.Len())
		for _, a := range []neighbors.Algorithm{neighbors.Grid, neighbors.NewSuperEGO} {
			for name, work := range map[string]func(*neighbors.Plan) neighbors.Work{
				"index": (*neighbors.Plan).Work,
				"about": func(p *neighbors.Plan) neighbors.Work { return dequeOf(p, indexOrder(p), false).Front() },
				"exact": func(p *neighbors.Plan) neighbors.Work { return dequeOf(p, indexOrder(p), true).Front() },
			} {
				b.Run(fmt.Sprintf("%s/%s", a, name), func(b *testing.B) {
					plan := prepare(b, p, 2, neighbors.Within{Radius: radii[1]})
					j := neighbors.CPU{Threads: 2, Algorithm: a}
					if err := j.Count(context.Background(), plan, plan.Work(), count); err != nil {
						b.Fatal(err)
					}
					before := processorTime()
					for b.Loop() {
						if err := j.Count(context.Background(), plan, work(plan), count); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric((processorTime()-before).Seconds()/float64(b.N), "cpu-s/op")
				})
			}
		}
	})
}

// BenchmarkDeque makes the deque of a plan.
func BenchmarkDeque(b *testing.B) {
	eachSet(b, func(b *testing.B, p *neighbors.Points, radii [3]float64) {
		plan := prepare(b, p, 2, neighbors.Within{Radius: radii[1]})
		for b.Loop() {
			dequeOf(plan, indexOrder(plan), false)
		}
	})
}
