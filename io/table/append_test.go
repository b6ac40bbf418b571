package table

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/file"

	"skyjoin/io/catalog"
)

// testData returns the path of a file of the test catalogs, and skips the
// test where there are none.
func testData(t *testing.T, elem ...string) string {
	t.Helper()
	dir := os.Getenv("SKYJOIN_TESTDATA")
	if dir == "" {
		t.Skip("SKYJOIN_TESTDATA is not set: no catalogs to test with")
	}
	return filepath.Join(append([]string{dir}, elem...)...)
}

// rowsOf counts the rows of Parquet files.
func rowsOf(t *testing.T, paths ...string) (rows int64) {
	t.Helper()
	for _, path := range paths {
		rows += openArrow(t, path).NumRows()
	}
	return rows
}

func openArrow(t *testing.T, path string) *file.Reader {
	t.Helper()
	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// appendFiles adds columns to Parquet files and returns the output's name.
func appendFiles(t *testing.T, add []Column, opt Options, paths ...string) string {
	t.Helper()
	cat, err := catalog.Open(ctx, paths, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.parquet")
	if _, err := Append(ctx, out, cat, add, opt); err != nil {
		t.Fatal(err)
	}
	checkFooter(t, out)
	return out
}

// chunkAt returns where a column chunk is.
func chunkAt(r *file.Reader, group, leaf int) (start, size int64) {
	m := r.MetaData().FileMetaData.RowGroups[group].Columns[leaf].MetaData
	start = m.DataPageOffset
	if m.DictionaryPageOffset != nil && *m.DictionaryPageOffset > 0 {
		start = min(start, *m.DictionaryPageOffset)
	}
	return start, m.TotalCompressedSize
}

// checkFooter checks that the numbers in a footer fit each other and the file.
func checkFooter(t *testing.T, path string) {
	t.Helper()
	r := openArrow(t, path)
	md := r.MetaData()
	var rows, end int64 = 0, 4
	for i, g := range md.FileMetaData.RowGroups {
		rows += g.NumRows
		if off := g.GetFileOffset(); off != end {
			t.Errorf("row group %d starts at %d, the data before it end at %d", i, off, end)
		}
		var all, plain int64
		for j, c := range g.Columns {
			start, size := chunkAt(r, i, j)
			if start != end && size > 0 {
				t.Errorf("row group %d: chunk %d starts at %d, the one before ends at %d", i, j, start, end)
			}
			if c.FileOffset != start {
				t.Errorf("row group %d: chunk %d starts at %d, file_offset is %d", i, j, start, c.FileOffset)
			}
			end += size
			all += size
			plain += c.MetaData.TotalUncompressedSize
		}
		if g.GetTotalCompressedSize() != all {
			t.Errorf("row group %d: total_compressed_size is %d, chunks have %d", i, g.GetTotalCompressedSize(), all)
		}
		if g.TotalByteSize < plain {
			t.Errorf("row group %d: total_byte_size is %d, chunks have %d", i, g.TotalByteSize, plain)
		}
		if g.Ordinal == nil || int(*g.Ordinal) != i {
			t.Errorf("row group %d has ordinal %v", i, g.Ordinal)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if start := info.Size() - 8 - int64(md.Size()); end != start {
		t.Errorf("chunks end at %d, the footer starts at %d", end, start)
	}
	if rows != md.NumRows {
		t.Errorf("row groups have %d rows, the file says %d", rows, md.NumRows)
	}
	if by := md.GetCreatedBy(); by != "skyjoin" {
		t.Errorf("created_by = %q", by)
	}
}

// checkCopied checks that out has the chunks of the inputs byte for byte.
func checkCopied(t *testing.T, out string, inputs ...string) {
	t.Helper()
	got := openArrow(t, out)
	n := 0
	for _, in := range inputs {
		want := openArrow(t, in)
		for i := range want.NumRowGroups() {
			for j := range want.MetaData().Schema.NumColumns() {
				if !bytes.Equal(chunkBytes(t, want, in, i, j), chunkBytes(t, got, out, n, j)) {
					t.Fatalf("%s: row group %d, chunk %d: bytes differ", in, i, j)
				}
			}
			n++
		}
		for i, e := range want.MetaData().FileMetaData.Schema[1:] {
			if !reflect.DeepEqual(e, got.MetaData().FileMetaData.Schema[1+i]) {
				t.Errorf("%s: schema element %d differs", in, i)
			}
		}
	}
	if n != got.NumRowGroups() {
		t.Errorf("%d row groups, want %d", got.NumRowGroups(), n)
	}
}

func chunkBytes(t *testing.T, r *file.Reader, path string, group, leaf int) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	start, size := chunkAt(r, group, leaf)
	b := make([]byte, size)
	if _, err := f.ReadAt(b, start); err != nil {
		t.Fatal(err)
	}
	return b
}

// readColumn reads a column of a type T with the Arrow library: values, and
// which rows are null.
func readColumn[T any](t *testing.T, path, name string) (values []T, null []bool) {
	t.Helper()
	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	leaf := r.MetaData().Schema.ColumnIndexByName(name)
	if leaf < 0 {
		t.Fatalf("%s has no column %q", path, name)
	}
	for i := range r.NumRowGroups() {
		cr, err := r.RowGroup(i).Column(leaf)
		if err != nil {
			t.Fatal(err)
		}
		b, ok := cr.(interface {
			ReadBatch(int64, []T, []int16, []int16) (int64, int, error)
		})
		if !ok {
			t.Fatalf("%s: column %q is a %T", path, name, cr)
		}
		n := r.RowGroup(i).NumRows()
		vals, levels := make([]T, n), make([]int16, n)
		var rows int64
		var got int
		for rows < n {
			k, v, err := b.ReadBatch(n-rows, vals[got:], levels[rows:], nil)
			if err != nil {
				t.Fatal(err)
			}
			if k == 0 {
				t.Fatalf("%s: column %q: row group %d has %d of %d rows", path, name, i, rows, n)
			}
			rows, got = rows+k, got+v
		}
		at := 0
		optional := r.MetaData().Schema.Column(leaf).MaxDefinitionLevel() > 0
		for _, l := range levels {
			isNull := optional && l == 0
			null = append(null, isNull)
			var v T
			if !isNull {
				v = vals[at]
				at++
			}
			values = append(values, v)
		}
	}
	return values, null
}

// labels makes columns as dbscan does: three of a cluster, noise, and rows
// left out.
func labels(rows int64) []Column {
	cluster, core, neighbours := []int32{}, []bool{}, []int64{}
	used := []uint32{}
	for i := range uint32(rows) {
		if i%7 == 3 {
			continue
		}
		used = append(used, i)
		cluster = append(cluster, int32(i%5)-1)
		core = append(core, i%3 == 0)
		neighbours = append(neighbours, int64(i)*1_000_000_007)
	}
	return []Column{
		{Name: "cluster", Int32: cluster, Rows: used},
		{Name: "core", Bool: core, Rows: used},
		{Name: "neighbors", Int64: neighbours, Rows: used},
	}
}

// checkLabels checks what labels wrote.
func checkLabels(t *testing.T, path string, rows int64) {
	t.Helper()
	cluster, null := readColumn[int32](t, path, "cluster")
	core, coreNull := readColumn[bool](t, path, "core")
	neighbours, _ := readColumn[int64](t, path, "neighbors")
	if int64(len(cluster)) != rows || !slices.Equal(null, coreNull) {
		t.Fatalf("%d rows, want %d; nulls of cluster and core agree: %v", len(cluster), rows, slices.Equal(null, coreNull))
	}
	for i := range cluster {
		if null[i] != (i%7 == 3) {
			t.Fatalf("row %d: null is %v", i, null[i])
		}
		if !null[i] && (cluster[i] != int32(i%5)-1 || core[i] != (i%3 == 0) || neighbours[i] != int64(i)*1_000_000_007) {
			t.Fatalf("row %d: %d %v %d", i, cluster[i], core[i], neighbours[i])
		}
	}
}

func TestAppendCopiesChunks(t *testing.T) {
	writers := testData(t, "gaia_dr3_cone_writers")
	inputs, err := filepath.Glob(filepath.Join(writers, "*.parquet"))
	if err != nil || len(inputs) < 4 {
		t.Fatalf("%d files in %s", len(inputs), writers)
	}
	for _, in := range append(inputs, testData(t, "gaia_dr3_cone.parquet"), testData(t, "gcvs.parquet"), testData(t, "spicy_yso.parquet")) {
		t.Run(filepath.Base(in), func(t *testing.T) {
			rows := rowsOf(t, in)
			out := appendFiles(t, labels(rows), Options{Metadata: []catalog.KeyValue{{Key: "skyjoin.eps", Value: "1 arcsec"}}}, in)
			checkCopied(t, out, in)
			checkLabels(t, out, rows)
		})
	}
}

func TestAppendReadsBack(t *testing.T) {
	in := testData(t, "gaia_dr3_cone.parquet")
	out := appendFiles(t, labels(2390), Options{}, in)
	for _, name := range []string{"source_id"} {
		a, _ := readColumn[int64](t, in, name)
		b, _ := readColumn[int64](t, out, name)
		if !slices.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
	}
	a, an := readColumn[float64](t, in, "parallax")
	b, bn := readColumn[float64](t, out, "parallax")
	if !slices.Equal(a, b) || !slices.Equal(an, bn) {
		t.Error("parallax differs")
	}
	r, err := file.OpenParquetFile(out, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n := r.MetaData().Schema.NumColumns(); n != 156 {
		t.Errorf("%d columns, want 153 + 3", n)
	}
	for i, name := range []string{"cluster", "core", "neighbors"} {
		col := r.MetaData().Schema.Column(153 + i)
		if col.Name() != name || col.MaxDefinitionLevel() != 1 {
			t.Errorf("column %d is %v", 153+i, col)
		}
		cc, err := r.RowGroup(0).MetaData().ColumnChunk(153 + i)
		if err != nil {
			t.Fatal(err)
		}
		st, err := cc.Statistics()
		if err != nil || st == nil || !st.HasMinMax() || st.NullCount() != 341 {
			t.Errorf("%s: statistics %v, %v", name, st, err)
		}
	}
}
