package catalog

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"

	"skyjoin/internal/each"
)

// BenchmarkRead reads 10 million rows × 4 columns of float64 (320 MB of column
// data) and reports MB/s of that per processor second, and the peak of the
// heap as a multiple of it.
func BenchmarkRead(b *testing.B) {
	const groups, size = 10, 1_000_000
	path := filepath.Join(b.TempDir(), "ten.parquet")
	r := rand.New(rand.NewPCG(1, 1))
	names := []string{"ra", "dec", "pmra", "pmdec"}
	var cols []writtenColumn
	for i, n := range names {
		v := make([]float64, groups*size)
		for k := range v {
			v[k] = r.NormFloat64()
		}
		if i < 2 {
			cols = append(cols, float64Column(n, v...))
		} else {
			cols = append(cols, nullableColumn(n, v...))
		}
	}
	sizes := make([]int, groups)
	for i := range sizes {
		sizes[i] = size
	}
	writeParquet(b, path, sizes, cols, parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryDefault(false))
	cols = nil
	c := open(b, path)
	runtime.GC() // so that what was written does not count
	peak := watchHeap()
	cpu := 0.0
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		runtime.GC() // so that the columns of the last round do not count
		before := cpuSeconds(b)
		b.StartTimer()
		if _, err := c.Read(context.Background(), names, nil); err != nil {
			b.Fatal(err)
		}
		cpu += cpuSeconds(b) - before
	}
	b.StopTimer()
	const megabytes = groups * size * 4 * 8 / 1e6
	b.ReportMetric(float64(b.N)*megabytes/cpu, "MB/cpu-s")
	b.ReportMetric(float64(peak())/1e6/megabytes, "peak/columns")
}

// BenchmarkReadCSV reads a table of 12 columns of text by one thread: opening finds
// the types of all, then two columns or all are read. The rates are megabytes of the
// file per second of CPU time.
func BenchmarkReadCSV(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	text := []byte("id,ra,dec,plx,e_plx,pmra,e_pmra,pmdec,e_pmdec,g,bp_rp,label\n")
	for range 400_000 {
		text = fmt.Appendf(text, "%d,%v,%v,%v,%v,%v,%v,%v,%v,%v,%v,%d\n", r.Uint64()>>1, 360*r.Float64(), 90*r.NormFloat64(), r.NormFloat64(), r.Float32(),
			r.NormFloat64(), r.Float32(), r.NormFloat64(), r.Float32(), 20*r.Float32(), r.Float32(), r.IntN(9)-1)
	}
	path := writeFile(b, "t.csv", text)
	rate := func(b *testing.B, do func() error) {
		begin := cpuSeconds(b)
		for range b.N {
			if err := do(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(text)*b.N)/1e6/(cpuSeconds(b)-begin), "MB/cpu-s")
	}
	c, err := Open(b.Context(), []string{path}, Options{Threads: 1})
	if err != nil {
		b.Fatal(err)
	}
	all := each.Of(c.Fields(), func(f Field) string { return f.Name })
	b.Run("open", func(b *testing.B) {
		rate(b, func() error { _, err := Open(b.Context(), []string{path}, Options{Threads: 1}); return err })
	})
	for what, columns := range map[string][]string{"two": {"ra", "dec"}, "all": all} {
		b.Run(what, func(b *testing.B) {
			rate(b, func() error { _, err := c.Read(b.Context(), columns, nil); return err })
		})
	}
}

// watchHeap samples the heap until the function it returns is called, which
// returns the largest size seen.
func watchHeap() func() uint64 {
	done := make(chan struct{})
	var most uint64
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	})
	return func() uint64 {
		close(done)
		wg.Wait()
		return most
	}
}

// FuzzOpen opens and reads damaged files: an error or a table, no panic.
func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	path := filepath.Join(dir, "seed.parquet")
	writeParquet(f, path, []int{3, 2}, []writtenColumn{
		nullableColumn("x", sequence(5)...), int64Column("id", 1, 2, 3, 4, 5),
		{node: listNode("v", primitive("element", optional, nil, parquet.Types.Float, -1)), values: []float32{1, 2}, def: []int16{3, 3, 0, 1, 2, 1}, rep: []int16{0, 1, 0, 0, 0, 0}},
	})
	seed, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte("PAR1\x15\x00\x00\x00\x00PAR1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "f.parquet")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := Open(context.Background(), []string{path}, Options{Threads: 1})
		if err != nil || c.Rows() > 1e5 {
			return
		}
		for _, field := range c.Fields() {
			name := field.Name
			if field.Type == List {
				name += "[1]"
			}
			cols, err := c.Read(context.Background(), []string{name}, nil)
			if err == nil && int64(cols[0].Len()) != c.Rows() {
				t.Errorf("%s: %d of %d rows", name, cols[0].Len(), c.Rows())
			}
		}
		if _, err := c.Summary(context.Background()); err != nil && c.Rows() == 0 {
			t.Errorf("an empty table has no summary: %v", err)
		}
	})
}

// BenchmarkManyFiles opens and reads ten million rows × 4 columns as one file
// and as a thousand.
func BenchmarkManyFiles(b *testing.B) {
	const files, rows = 1_000, 10_000
	names := []string{"ra", "dec", "pmra", "pmdec"}
	write := func(b *testing.B, path string, n int) {
		r := rand.New(rand.NewPCG(1, 1))
		var cols []writtenColumn
		for _, name := range names {
			v := make([]float64, n)
			for k := range v {
				v[k] = r.NormFloat64()
			}
			cols = append(cols, nullableColumn(name, v...))
		}
		writeParquet(b, path, groups(n), cols, parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryDefault(false))
	}
	for _, c := range []struct {
		name  string
		write func(b *testing.B, dir string)
	}{
		{"one", func(b *testing.B, dir string) { write(b, filepath.Join(dir, "0.parquet"), files*rows) }},
		{"many", func(b *testing.B, dir string) {
			first := filepath.Join(dir, "0.parquet")
			write(b, first, rows)
			for i := 1; i < files; i++ {
				if err := os.Link(first, filepath.Join(dir, strconv.Itoa(i)+".parquet")); err != nil {
					b.Fatal(err)
				}
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			dir := b.TempDir()
			c.write(b, dir)
			b.SetBytes(files * rows * 4 * 8)
			b.ResetTimer()
			for range b.N {
				cat, err := Open(context.Background(), []string{dir}, Options{})
				if err != nil {
					b.Fatal(err)
				}
				cols, err := cat.Read(context.Background(), names, nil)
				if err != nil {
					b.Fatal(err)
				}
				if cols[0].Len() != files*rows {
					b.Fatalf("%d rows", cols[0].Len())
				}
				cat.Close()
			}
		})
	}
}

// groups divides rows into row groups of a million.
func groups(rows int) (sizes []int) {
	for ; rows > 1_000_000; rows -= 1_000_000 {
		sizes = append(sizes, 1_000_000)
	}
	return append(sizes, rows)
}
