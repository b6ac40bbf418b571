package text

import (
	"math/rand/v2"
	"testing"

	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
)

// BenchmarkPairsCSV writes pairs of rows and their distances; lines/s are of one
// thread.
func BenchmarkPairsCSV(b *testing.B) {
	const n = 1 << 18
	rng := rand.New(rand.NewPCG(1, 2))
	row, near, dist := make([]int64, n), make([]int64, n), make([]float64, n)
	for i := range row {
		row[i], near[i], dist[i] = int64(i/7), rng.Int64N(2_000_000), rng.Float64()
	}
	e := &encoder{comma: ','}
	fields := []format.Field{{Name: "row", Type: format.Int64}, {Name: "neighbor", Type: format.Int64}, {Name: "distance", Type: format.Float64}}
	cols := []format.Column{{Int64: row}, {Int64: near}, {Float64: dist}}
	for _, f := range fields {
		text, err := cell.Of(f, ',')
		if err != nil {
			b.Fatal(err)
		}
		e.cell = append(e.cell, text)
	}
	for b.Loop() {
		e.buf, e.start = e.buf[:0], 0
		e.lines(cols, 0, n)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
