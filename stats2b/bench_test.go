package stats2b

import (
	"context"
	"math/rand/v2"
	"testing"

	"skyjoin/neighbors"
)

func uniform(n, dim int) *Sample {
	rng := rand.New(rand.NewPCG(5, 6))
	cols := make([]neighbors.Column, dim)
	for c := range cols {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.Float64() * 100
		}
		cols[c] = neighbors.Float64s(v)
	}
	return &Sample{Points: must(neighbors.NewPoints(cols...))}
}

// BenchmarkHistogram counts all pairs of 100,000 points in 100 bins, and the
// pairs of a million within 5 in 20, one thread.
func BenchmarkHistogram(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
		bins Bins
	}{
		{"all-100k", 100_000, must(LinearBins(0, 173.3, 100))},
		{"log-1M", 1_000_000, must(LogBins(0.1, 5, 20))},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := uniform(c.n, 3)
			for b.Loop() {
				if _, err := Count(context.Background(), s, nil, neighbors.Euclidean(), c.bins, Options{Threads: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
