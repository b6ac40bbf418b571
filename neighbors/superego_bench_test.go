//go:build unix

package neighbors_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"skyjoin/neighbors"
)

// BenchmarkRivals counts all neighbours at S = 60 by every algorithm that finds
// neighbours within a radius. Clock and CPU seconds include the index of the
// algorithm and no other: the grid of the plan, which gives the R-tree the order of
// its queries, is built before the clock starts. Where the name says join, the index
// of the algorithm is left out too.
func BenchmarkRivals(b *testing.B) {
	eachSet(b, func(b *testing.B, p *neighbors.Points, radii [3]float64) {
		count := make([]int64, p.Len())
		q := neighbors.Within{Radius: radii[1]}
		fresh := func(b *testing.B, a neighbors.Algorithm, threads int) *neighbors.Plan {
			plan := prepare(b, p, threads, q)
			if a == neighbors.RTree {
				index(b, threads, plan)
			}
			return plan
		}
		for _, a := range []neighbors.Algorithm{neighbors.Grid, neighbors.NewSuperEGO, neighbors.SuperEGO, neighbors.RTree} {
			for _, threads := range []int{1, 2} {
				j := neighbors.CPU{Threads: threads, Algorithm: a}
				run := func(b *testing.B, plan *neighbors.Plan) (spent time.Duration) {
					before := processorTime()
					if err := j.Count(context.Background(), plan, plan.Work(), count); err != nil {
						b.Fatal(err)
					}
					return processorTime() - before
				}
				b.Run(fmt.Sprintf("%s/threads=%d", a, threads), func(b *testing.B) {
					var spent time.Duration
					for b.Loop() {
						b.StopTimer()
						plan := fresh(b, a, threads)
						b.StartTimer()
						spent += run(b, plan)
					}
					b.ReportMetric(spent.Seconds()/float64(b.N), "cpu-s/op")
					report(b, sum(count))
				})
				b.Run(fmt.Sprintf("%s/join/threads=%d", a, threads), func(b *testing.B) {
					plan := fresh(b, a, threads)
					if err := neighbors.Index(context.Background(), j, plan); err != nil {
						b.Fatal(err)
					}
					var spent time.Duration
					for b.Loop() {
						spent += run(b, plan)
					}
					b.ReportMetric(spent.Seconds()/float64(b.N), "cpu-s/op")
				})
			}
		}
	})
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
