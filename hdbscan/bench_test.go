package hdbscan

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"skyjoin/internal/linkage"
	"skyjoin/internal/mst"
	"skyjoin/neighbors"
)

// clouds are what peers are timed on.
var clouds = []struct {
	name   string
	n, dim int
	value  func(rng *rand.Rand) float64
}{
	{"Normal3D", 1000000, 3, (*rand.Rand).NormFloat64},
	{"Normal5D", 500000, 5, (*rand.Rand).NormFloat64},
	{"Unif2D", 2000000, 2, (*rand.Rand).Float64},
	{"Expo2D", 2000000, 2, (*rand.Rand).ExpFloat64},
}

func cloud(b *testing.B, n, dim int, value func(rng *rand.Rand) float64) *neighbors.Points {
	cols := make([][]float64, dim)
	rng := rand.New(rand.NewPCG(1, 2))
	for j := range cols {
		cols[j] = make([]float64, n)
		for i := range cols[j] {
			cols[j][i] = value(rng)
		}
	}
	return columns(b, cols...)
}

// The tree of m = 10.
func BenchmarkBuild(b *testing.B) {
	for _, c := range clouds {
		p := cloud(b, c.n, c.dim, c.value)
		for _, threads := range []int{1, runtime.GOMAXPROCS(0)} {
			b.Run(fmt.Sprintf("%s/%d", c.name, threads), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					build(b, p, neighbors.Euclidean(), Options{MinSamples: 10, Threads: threads})
				}
			})
		}
	}
}

// What follows the spanning tree.
func BenchmarkParts(b *testing.B) {
	for _, c := range clouds {
		t := build(b, cloud(b, c.n, c.dim, c.value), neighbors.Euclidean(), Options{MinSamples: 10, Threads: 1})
		edges := t.edges
		b.Run(c.name+"/sort", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				mixed := append([]mst.Edge(nil), edges...)
				rand.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
				b.StartTimer()
				mst.SortEdges(mixed, t.rows, 1)
			}
		})
		b.Run(c.name+"/link", func(b *testing.B) {
			for b.Loop() {
				linkage.New(edges, t.Len(), true)
			}
		})
		b.Run(c.name+"/visit", func(b *testing.B) {
			for b.Loop() {
				linkage.Visit(edges, t.Len(), 0)
			}
		})
		var condensed *Condensed
		b.Run(c.name+"/condense", func(b *testing.B) {
			for b.Loop() {
				condensed = condense(b, t, 20)
			}
		})
		b.Run(c.name+"/select", func(b *testing.B) {
			for b.Loop() {
				choose(b, condensed, Selection{})
			}
		})
	}
}

// A walk of all rows, as scikit-learn's ties need one.
func BenchmarkWalk(b *testing.B) {
	p := cloud(b, 200000, 2, (*rand.Rand).NormFloat64)
	for b.Loop() {
		if _, err := Build(context.Background(), p, neighbors.Euclidean(), Options{MinSamples: 10, Ties: TiesSklearn, Threads: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
