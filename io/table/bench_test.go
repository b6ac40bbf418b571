package table

import (
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"skyjoin/internal/format/cell"
	"skyjoin/io/catalog"
)

// BenchmarkAppend adds the columns of dbscan to a table of 2 million rows and
// 40 columns, by copying its chunks.
func BenchmarkAppend(b *testing.B) {
	const rows, columns = 2_000_000, 40
	dir := b.TempDir()
	in := filepath.Join(dir, "in.parquet")
	var fields []catalog.Field
	for i := range columns {
		fields = append(fields, catalog.Field{Name: "x" + strconv.Itoa(i), Type: catalog.Float64})
	}
	w, err := NewWriter(in, fields, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abort()
	block := make([]catalog.Column, columns)
	for i := range block {
		block[i] = catalog.Column{Field: fields[i], Float64: make([]float64, 100_000)}
	}
	for lo := 0; lo < rows; lo += 100_000 {
		for i := range block {
			for j := range block[i].Float64 {
				block[i].Float64[j] = float64((lo+j)*(i+1)) / 7
			}
		}
		if err := w.WriteRows(ctx, block); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		b.Fatal(err)
	}
	cat, err := catalog.Open(ctx, []string{in}, catalog.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer cat.Close()
	add := labels(rows)
	b.SetBytes(cat.Files()[0].Bytes)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Append(ctx, filepath.Join(dir, "out.parquet"), cat, add, Options{Force: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPairsCSV writes pairs of rows and their distances; lines/s are of one
// thread.
func BenchmarkPairsCSV(b *testing.B) {
	const n = 1 << 18
	rng := rand.New(rand.NewPCG(1, 2))
	row, near, dist := make([]int64, n), make([]int64, n), make([]float64, n)
	for i := range row {
		row[i], near[i], dist[i] = int64(i/7), rng.Int64N(2_000_000), rng.Float64()
	}
	e := &csvEncoder{}
	fields := []catalog.Field{{Name: "row", Type: catalog.Int64}, {Name: "neighbor", Type: catalog.Int64}, {Name: "distance", Type: catalog.Float64}}
	cols := []catalog.Column{{Int64: row}, {Int64: near}, {Float64: dist}}
	for _, f := range fields {
		text, err := cell.Of(rawField(f), ',')
		if err != nil {
			b.Fatal(err)
		}
		e.cell = append(e.cell, text)
	}
	raw := rawColumns(cols)
	for b.Loop() {
		e.buf, e.start = e.buf[:0], 0
		e.lines(raw, 0, n)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
