package table

import (
	"path/filepath"
	"strconv"
	"testing"

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
