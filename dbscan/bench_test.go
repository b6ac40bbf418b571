package dbscan

import (
	"context"
	"testing"

	"skyjoin/internal/mock"
	"skyjoin/neighbors"
)

// cloud returns a synthetic catalog in float64.
func cloud(b testing.TB, kind string, dim int, rows int64, seed uint64) *neighbors.Points {
	b.Helper()
	c, err := mock.New(kind, mock.Options{Rows: rows, Seed: seed, Dim: dim, Float32: true})
	if err != nil {
		b.Fatal(err)
	}
	cols := c.Fill(0, rows)
	coords := make([]neighbors.Column, dim)
	for j := range coords {
		coords[j] = neighbors.Float32s(cols[j].Float32)
	}
	p, err := neighbors.NewPoints(coords...)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// BenchmarkRun clusters 2 million points. The pairs are those that published
// programs find on the same data.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		name  string
		kind  string
		dim   int
		seed  uint64
		eps   float64
		pairs int64 // 0 where nobody has published them
	}{
		{"Unif2D2M/S=51", "uniform", 2, 1, .282, (101696704 - 2000000) / 2},
		{"Unif2D2M/S=497", "uniform", 2, 1, .892, (994308118 - 2000000) / 2},
		{"Expo2D2M/S=494", "expo", 2, 4, 4.46e-4, (988259062 - 2000000) / 2},
		{"Unif3D2M/S=67", "uniform", 3, 8, 2, 0},
		{"Unif6D2M/S=26", "uniform", 6, 3, 12, (51817750 - 2000000) / 2},
	} {
		b.Run(c.name, func(b *testing.B) {
			points := cloud(b, c.kind, c.dim, 2e6, c.seed)
			b.ReportAllocs()
			for b.Loop() {
				r, err := Run(context.Background(), points, neighbors.Euclidean(), c.eps, Options{MinPoints: 10})
				if err != nil {
					b.Fatal(err)
				}
				if c.pairs > 0 && r.Pairs != c.pairs {
					b.Fatalf("%d pairs, want %d", r.Pairs, c.pairs)
				}
				b.ReportMetric(r.Index.Seconds(), "index-s")
				b.ReportMetric(r.Join.Seconds(), "join-s")
				b.ReportMetric(r.Cluster.Seconds(), "cluster-s")
			}
		})
	}
}
