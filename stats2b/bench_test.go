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

// BenchmarkTally counts the pairs of a million points within 5 in 20 bins, by
// patch, with weights and in two dimensions, one thread.
func BenchmarkTally(b *testing.B) {
	s := uniform(1_000_000, 3)
	weights, patch := make([]float64, s.Points.Len()), make([]int32, s.Points.Len())
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range weights {
		weights[i], patch[i] = rng.Float64(), int32(s.Points.Column(0).At(i)/5)
	}
	log := must(LogBins(0.1, 5, 20))
	for _, c := range []struct {
		name    string
		weights []float64
		patches int
		binning Binning
	}{
		{"patches", nil, 20, Binning{Bins: log}},
		{"weights", weights, 0, Binning{Bins: log}},
		{"rppi", nil, 0, Binning{Bins: log, Plane: RpPi, Across: must(LinearBins(0, 3, 30))}},
		{"smu", nil, 0, Binning{Bins: log, Plane: SMu, Across: must(LinearBins(0, 1, 20)), Axis: 3}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := &Sample{Points: s.Points, Weights: c.weights}
			if c.patches > 0 {
				s.Patch = patch
			}
			for b.Loop() {
				if _, err := CountPatches(context.Background(), s, nil, neighbors.Euclidean(), c.binning, c.patches, Options{Threads: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
