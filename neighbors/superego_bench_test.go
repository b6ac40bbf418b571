//go:build unix

package neighbors_test

import (
	"context"
	"testing"

	"skyjoin/neighbors"
)

// BenchmarkRivals counts all neighbours at S = 60 by every algorithm that
// finds neighbours within a radius. The index of the plan is not timed; that
// of the algorithm is, unless the name says join.
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
					b.StartTimer()
					run(b, a, plan, threads)
				}
				report(b, sum(count))
			})
			perThreads(b, string(a)+"/join", func(b *testing.B, threads int) {
				plan := prepare(b, p, threads, q)
				run(b, a, plan, threads)
				for b.Loop() {
					run(b, a, plan, threads)
				}
			})
		}
	})
}
