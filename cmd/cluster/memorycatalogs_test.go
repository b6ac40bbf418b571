package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	arrowmemory "github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"

	"skyjoin/io/catalog"
	written "skyjoin/io/table"
)

// A shape is how a catalog of random rows is stored: columns x, y, z and label,
// and others beside them.
type shape struct {
	rows     int
	reals    int    // columns r0, r1, …
	texts    int    // columns t0, t1, …
	width    int    // letters of a text
	distinct int    // texts that there are; 0: as many as rows
	nulls    bool   // in the columns beside
	single   bool   // x, y, z are float32
	format   string // extension
	group    int    // rows of a row group of another writer, with dictionaries; 0 for ours
	page     int64  // bytes of a page of that writer
	scatter  string // a filter
}

func (s shape) String() string {
	parts := []string{fmt.Sprintf("%d rows", s.rows), fmt.Sprintf("%d reals", s.reals)}
	if s.texts > 0 {
		parts = append(parts, fmt.Sprintf("%d texts of %d letters, %d distinct", s.texts, s.width, s.distinct))
	}
	if s.group > 0 {
		parts = append(parts, fmt.Sprintf("row groups of %d, pages of %d KiB", s.group, s.page>>10))
	}
	for text, is := range map[string]bool{"nulls": s.nulls, "float32": s.single, s.scatter: s.scatter != ""} {
		if is {
			parts = append(parts, text)
		}
	}
	return s.format + ", " + strings.Join(parts, ", ")
}

// randomShape draws a shape of so many rows.
func randomShape(r *rand.Rand, rows int) shape {
	s := shape{rows: rows, reals: r.IntN(4), format: []string{".parquet", ".parquet", ".parquet", ".fits", ".csv", ".vot", ".csv.gz"}[r.IntN(7)]}
	if r.IntN(4) == 0 {
		s.reals = 10 + r.IntN(60)
	}
	if r.IntN(2) == 0 {
		s.texts, s.width = 1+r.IntN(4), 1+r.IntN(60)
		if r.IntN(2) == 0 {
			s.distinct = 1 + r.IntN(30)
		}
	}
	s.nulls, s.single = r.IntN(2) == 0, r.IntN(3) == 0
	if s.format == ".parquet" && r.IntN(2) == 0 {
		s.group, s.page = []int{1000, 50_000, 1 << 30}[r.IntN(3)], []int64{64 << 10, 1 << 20, 1 << 30}[r.IntN(3)]
	}
	if r.IntN(2) == 0 {
		s.scatter = "x > 20"
		if s.texts > 0 && r.IntN(2) == 0 {
			s.scatter = "t0 != 'a' and y < 90"
		}
	}
	return s
}

// columns are n rows of the shape.
func (s shape) columns(r *rand.Rand, n int) []catalog.Column {
	real := func(name string, single, nulls bool) catalog.Column {
		c := catalog.Column{Field: catalog.Field{Name: name, Type: catalog.Float64, Nullable: nulls}}
		if single {
			c.Field.Type, c.Float32 = catalog.Float32, make([]float32, n)
		} else {
			c.Float64 = make([]float64, n)
		}
		if nulls {
			c.Null = make([]bool, n)
		}
		for i := range n {
			v := r.Float64() * 100
			if nulls {
				c.Null[i] = r.IntN(10) == 0
			}
			if single {
				c.Float32[i] = float32(v)
			} else {
				c.Float64[i] = v
			}
		}
		return c
	}
	cols := []catalog.Column{real("x", s.single, false), real("y", s.single, false), real("z", s.single, false)}
	label := catalog.Column{Field: catalog.Field{Name: "label", Type: catalog.Int32}, Int64: make([]int64, n)}
	for i := range label.Int64 {
		label.Int64[i] = int64(r.IntN(6))
	}
	cols = append(cols, label)
	for k := range s.reals {
		cols = append(cols, real(fmt.Sprintf("r%d", k), false, s.nulls))
	}
	words := make([]string, s.distinct)
	word := func() string {
		b := make([]byte, s.width)
		for i := range b {
			b[i] = 'a' + byte(r.IntN(26))
		}
		return string(b)
	}
	for i := range words {
		words[i] = word()
	}
	for k := range s.texts {
		c := catalog.Column{Field: catalog.Field{Name: fmt.Sprintf("t%d", k), Type: catalog.String, Nullable: s.nulls}, String: make([]string, n)}
		if s.nulls {
			c.Null = make([]bool, n)
		}
		for i := range n {
			if s.nulls && r.IntN(10) == 0 {
				c.Null[i] = true
			} else if s.distinct > 0 {
				c.String[i] = words[r.IntN(len(words))]
			} else {
				c.String[i] = word()
			}
		}
		cols = append(cols, c)
	}
	return cols
}

// write writes a catalog of the shape into the folder.
func (s shape) write(t *testing.T, r *rand.Rand, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name+s.format)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if s.group > 0 {
		s.writeOther(t, r, path)
		return path
	}
	plain := strings.TrimSuffix(path, ".gz")
	const block = 1 << 16
	var w *written.Writer
	for lo := 0; lo < s.rows; lo += block {
		cols := s.columns(r, min(block, s.rows-lo))
		if w == nil {
			var fields []catalog.Field
			for _, c := range cols {
				fields = append(fields, c.Field)
			}
			var err error
			if w, err = written.NewWriter(plain, fields, written.Options{}); err != nil {
				t.Fatal(err)
			}
			defer w.Abort()
		}
		if err := w.WriteRows(context.Background(), cols); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(context.Background()); err != nil {
		t.Fatal(err)
	}
	if plain != path {
		compressFile(t, plain, path)
	}
	return path
}

func compressFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer os.Remove(from)
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	z, _ := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if _, err := io.Copy(z, in); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// writeOther writes the catalog as the Arrow library does, whose row groups and
// pages can have any size and whose texts are in dictionaries.
func (s shape) writeOther(t *testing.T, r *rand.Rand, path string) {
	t.Helper()
	cols := s.columns(r, s.rows)
	var fields []arrow.Field
	var values []arrow.Array
	for i := range cols {
		c := &cols[i]
		var valid []bool
		if c.Null != nil {
			valid = make([]bool, len(c.Null))
			for i, null := range c.Null {
				valid[i] = !null
			}
		}
		var typ arrow.DataType
		var v arrow.Array
		switch {
		case c.Float64 != nil:
			b := array.NewFloat64Builder(arrowmemory.DefaultAllocator)
			b.AppendValues(c.Float64, valid)
			typ, v = arrow.PrimitiveTypes.Float64, b.NewArray()
		case c.Float32 != nil:
			b := array.NewFloat32Builder(arrowmemory.DefaultAllocator)
			b.AppendValues(c.Float32, valid)
			typ, v = arrow.PrimitiveTypes.Float32, b.NewArray()
		case c.Int64 != nil:
			b := array.NewInt64Builder(arrowmemory.DefaultAllocator)
			b.AppendValues(c.Int64, valid)
			typ, v = arrow.PrimitiveTypes.Int64, b.NewArray()
		default:
			b := array.NewStringBuilder(arrowmemory.DefaultAllocator)
			b.AppendValues(c.String, valid)
			typ, v = arrow.BinaryTypes.String, b.NewArray()
		}
		fields, values = append(fields, arrow.Field{Name: c.Field.Name, Type: typ, Nullable: c.Field.Nullable}), append(values, v)
	}
	schema := arrow.NewSchema(fields, nil)
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := pqarrow.NewFileWriter(schema, out, parquet.NewWriterProperties(
		parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryDefault(true), parquet.WithDataPageSize(s.page), parquet.WithMaxRowGroupLength(int64(s.group)),
	), pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	table := array.NewTableFromRecords(schema, []arrow.Record{array.NewRecord(schema, values, int64(s.rows))})
	if err := w.WriteTable(table, int64(min(s.group, s.rows))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
