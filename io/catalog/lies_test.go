package catalog

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

// Footers that lie are found out before memory is allocated for what they
// claim, in one line that says what is wrong.
func TestLyingFooters(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "true.parquet")
	writeParquet(t, path, []int{3, 2}, []writtenColumn{float64Column("x", 1, 2, 3, 4, 5), int64Column("n", 1, 2, 3, 4, 5)})
	for name, lie := range map[string]struct {
		tell func(m *metadata.FileMetaData)
		want string
	}{
		"rows of the file": {func(m *metadata.FileMetaData) { m.FileMetaData.NumRows = 6 }, "the row groups have 5 rows"},
		"more rows": {func(m *metadata.FileMetaData) {
			m.RowGroups[0].NumRows, m.FileMetaData.NumRows = 1<<50, 1<<50+2
		}, "the footer says 3 values for 1125899906842624 rows"},
		"more rows and values": {func(m *metadata.FileMetaData) {
			m.RowGroups[0].NumRows, m.FileMetaData.NumRows = 1<<50, 1<<50+2
			m.RowGroups[0].Columns[0].MetaData.NumValues = 1 << 50
		}, "values cannot be in"},
		"one row more": {func(m *metadata.FileMetaData) {
			m.RowGroups[0].NumRows, m.FileMetaData.NumRows = 4, 6
			m.RowGroups[0].Columns[0].MetaData.NumValues = 4
		}, "it ends 1 values early"},
		"one row less": {func(m *metadata.FileMetaData) {
			m.RowGroups[0].NumRows, m.FileMetaData.NumRows = 2, 4
			m.RowGroups[0].Columns[0].MetaData.NumValues = 2
		}, "2 are left of the chunk"},
		"negative rows": {func(m *metadata.FileMetaData) { m.RowGroups[0].NumRows = -1 }, "row group 0 has -1 rows"},
		"rows beyond int64": {func(m *metadata.FileMetaData) {
			m.RowGroups[0].NumRows, m.RowGroups[1].NumRows = math.MaxInt64, math.MaxInt64
		}, "row group 1 has"},
		"a place after the end": {func(m *metadata.FileMetaData) {
			m.RowGroups[1].Columns[0].MetaData.DataPageOffset = 1 << 40
			m.RowGroups[1].Columns[0].MetaData.DictionaryPageOffset = nil
		}, "outside the file"},
		"a negative place": {func(m *metadata.FileMetaData) { m.RowGroups[1].Columns[0].MetaData.DataPageOffset = -5 }, "outside the file"},
		"more bytes":       {func(m *metadata.FileMetaData) { m.RowGroups[1].Columns[0].MetaData.TotalCompressedSize = 1 << 40 }, "outside the file"},
		"another file":     {func(m *metadata.FileMetaData) { s := "other"; m.RowGroups[0].Columns[0].FilePath = &s }, "in another file, other"},
		"another type":     {func(m *metadata.FileMetaData) { m.RowGroups[0].Columns[0].MetaData.Type = 1 }, "not that of the schema"},
		"fewer columns":    {func(m *metadata.FileMetaData) { m.RowGroups[0].Columns = m.RowGroups[0].Columns[:1] }, "has 1 columns, the schema has 2"},
		"LZO":              {func(m *metadata.FileMetaData) { m.RowGroups[0].Columns[0].MetaData.Codec = 3 }, "codec LZO is not supported; write the file again with ZSTD or SNAPPY"},
		"another codec":    {func(m *metadata.FileMetaData) { m.RowGroups[0].Columns[0].MetaData.Codec = 6 }, "ZSTD"},
	} {
		bad := filepath.Join(dir, "lie.parquet")
		rewriteFooter(t, path, bad, lie.tell)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := Open(context.Background(), []string{bad}, Options{})
		if err == nil {
			_, err = c.Read(context.Background(), []string{"x"}, nil)
		}
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), lie.want) || strings.Contains(err.Error(), "\n") || name != "another file" && !strings.Contains(err.Error(), "lie.parquet") {
			t.Errorf("%s: %v, want %q", name, err, lie.want)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
			t.Errorf("%s: %d bytes were allocated", name, n)
		}
	}
}

// rewriteFooter copies a Parquet file with another footer.
func rewriteFooter(t *testing.T, from, to string, change func(m *metadata.FileMetaData)) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m := r.MetaData()
	body := b[:len(b)-8-int(binary.LittleEndian.Uint32(b[len(b)-8:]))]
	change(m)
	var out bytes.Buffer
	out.Write(body)
	n, err := m.WriteTo(&out, nil)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(n)))
	out.WriteString("PAR1")
	if err := os.WriteFile(to, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
