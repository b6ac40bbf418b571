package parquet

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"skyjoin/internal/format"
	"skyjoin/internal/format/parquet/thrift"
)

// A page that a few bytes expand to hundreds of megabytes is refused, by every
// codec, before memory is made for it.
func TestBombs(t *testing.T) {
	zeros := make([]byte, largePage+1)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(zeros)
	z.Close()
	var brotlied bytes.Buffer
	b := brotli.NewWriterLevel(&brotlied, 1)
	b.Write(zeros)
	b.Close()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for codec, src := range map[Codec][]byte{Gzip: packed.Bytes(), Brotli: brotlied.Bytes(), Zstd: enc.EncodeAll(zeros, nil), Snappy: snappy.Encode(nil, zeros)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := codec.decompress(nil, src, len(zeros))
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil != (codec == Snappy) || codec != Snappy && took > 1<<20 { // 1 in 21 at best
			t.Errorf("%v: %d bytes of %d took %d, error %v", codec, len(zeros), len(src), took, err)
		}
	}
}

// footerOnly is a file of a footer.
func footerOnly(t *testing.T, meta *fileMeta) string {
	t.Helper()
	footer := thrift.Append(nil, *meta)
	text := binary.LittleEndian.AppendUint32(append([]byte("PAR1"), footer...), uint32(len(footer)))
	path := filepath.Join(t.TempDir(), "f.parquet")
	if err := os.WriteFile(path, append(text, "PAR1"...), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Footers of very many columns or row groups are refused.
func TestLargeFooters(t *testing.T) {
	root := schemaElement{Name: "schema", Children: ptr(int32(format.MostColumns + 1))}
	wide := &fileMeta{Version: 1, Schema: []schemaElement{root}}
	for i := range format.MostColumns + 1 {
		wide.Schema = append(wide.Schema, schemaElement{Name: string(rune(i + 1)), Physical: ptr(int32(Double))})
	}
	if _, err := Input.Open(t.Context(), footerOnly(t, wide), format.Options{}); err == nil || !strings.Contains(err.Error(), "more than 32768 columns") {
		t.Errorf("%d columns: %v", format.MostColumns+1, err)
	}
	long := &fileMeta{Version: 1, Schema: []schemaElement{{Name: "schema", Children: ptr(int32(1))}, {Name: "x", Physical: ptr(int32(Double))}}, Rows: mostGroups + 1}
	chunk := &chunkMeta{Physical: int32(Double), Path: []string{"x"}, Values: 1, Uncompressed: 30, Compressed: 30, DataPage: 4}
	for range mostGroups + 1 {
		long.Groups = append(long.Groups, groupMeta{Rows: 1, Columns: []columnMeta{{Meta: chunk}}})
	}
	path := footerOnly(t, long)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Input.Open(t.Context(), path, format.Options{})
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err == nil || !strings.Contains(err.Error(), "131073 row groups") || took > 16<<20 {
		t.Errorf("%d bytes taken, error %v", took, err)
	}
}
