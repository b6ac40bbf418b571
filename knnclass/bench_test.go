package knnclass

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkPredict classifies 100,000 rows by 100,000 training rows of five
// features, k = 15.
func BenchmarkPredict(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	normal := func(n int) [][]float64 {
		cols := make([][]float64, 5)
		for j := range cols {
			cols[j] = make([]float64, n)
			for i := range cols[j] {
				cols[j][i] = r.NormFloat64()
			}
		}
		return cols
	}
	train := points(b, normal(100_000)...)
	labels := make([]int32, train.Len())
	for i := range labels {
		labels[i] = int32(i % 3)
	}
	m := classifier(b, train, labels, nil)
	query := points(b, normal(100_000)...)
	for b.Loop() {
		if _, err := m.Predict(b.Context(), query, Options{K: 15}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(query.Len()*b.N)/b.Elapsed().Seconds(), "rows/s")
}
