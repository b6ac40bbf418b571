package catalog

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"
)

// arrowFile is a file of two batches of three rows, as pyarrow, pandas and polars
// write them: with words in a dictionary, times, lists and nulls.
func arrowFile(t *testing.T, opts ...ipc.Option) []byte {
	t.Helper()
	note := arrow.NewMetadata([]string{"unit", "ucd"}, []string{"deg", "pos.eq.ra"})
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	meta := arrow.NewMetadata([]string{"unit.dec"}, []string{"deg"})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "ra", Type: arrow.PrimitiveTypes.Float64, Metadata: note},
		{Name: "dec", Type: arrow.PrimitiveTypes.Float32, Nullable: true},
		{Name: "id", Type: arrow.PrimitiveTypes.Uint64},
		{Name: "kind", Type: words, Nullable: true},
		{Name: "name", Type: arrow.BinaryTypes.LargeString, Nullable: true},
		{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Millisecond}},
		{Name: "day", Type: arrow.FixedWidthTypes.Date32},
		{Name: "ok", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "mags", Type: arrow.ListOf(arrow.PrimitiveTypes.Int16), Nullable: true},
		{Name: "pair", Type: arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float64)},
	}, &meta)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	var out bytes.Buffer
	w, err := ipc.NewFileWriter(&writeSeeker{Buffer: &out}, append(opts, ipc.WithSchema(schema))...)
	if err != nil {
		t.Fatal(err)
	}
	for batch := range 2 {
		for i := range 3 {
			n := 3*batch + i
			b.Field(0).(*array.Float64Builder).Append(float64(n) + 0.5)
			b.Field(2).(*array.Uint64Builder).Append(1<<63 + uint64(n))
			if err := b.Field(3).(*array.BinaryDictionaryBuilder).AppendString([]string{"QSO", "GAL"}[n%2]); err != nil {
				t.Fatal(err)
			}
			b.Field(5).(*array.TimestampBuilder).Append(arrow.Timestamp(1500 * n))
			b.Field(6).(*array.Date32Builder).Append(arrow.Date32(n - 1))
			b.Field(7).(*array.BooleanBuilder).Append(n%2 == 0)
			b.Field(9).(*array.FixedSizeListBuilder).Append(true)
			b.Field(9).(*array.FixedSizeListBuilder).ValueBuilder().(*array.Float64Builder).AppendValues([]float64{float64(n), -float64(n)}, nil)
			if n == 1 {
				b.Field(1).AppendNull()
				b.Field(4).AppendNull()
				b.Field(8).AppendNull()
				continue
			}
			b.Field(1).(*array.Float32Builder).Append(-float32(n) / 4)
			b.Field(4).(*array.LargeStringBuilder).Append("é" + strings.Repeat("x", n))
			b.Field(8).(*array.ListBuilder).Append(true)
			b.Field(8).(*array.ListBuilder).ValueBuilder().(*array.Int16Builder).AppendValues([]int16{1, 2, 3}[:n%3+1], nil)
		}
		if err := w.Write(b.NewRecord()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// writeSeeker is a file in memory of which only the place is asked.
type writeSeeker struct{ *bytes.Buffer }

func (w *writeSeeker) Seek(int64, int) (int64, error) { return int64(w.Len()), nil }

// Files of Arrow and Feather are read, compressed or not.
func TestArrow(t *testing.T) {
	want := lines("ra float64 [deg]: 0.5 1.5 2.5 3.5 4.5 5.5", "dec float32? [deg]: -0 · -0.5 -0.75 -1 -1.25",
		"id uint64: 9223372036854775808 9223372036854775809 9223372036854775810 9223372036854775811 9223372036854775812 9223372036854775813",
		`kind string?: "QSO" "GAL" "QSO" "GAL" "QSO" "GAL"`, `name string?: "é" · "éxx" "éxxx" "éxxxx" "éxxxxx"`,
		"at timestamp: 1970-01-01T00:00:00Z 1970-01-01T00:00:01.5Z 1970-01-01T00:00:03Z 1970-01-01T00:00:04.5Z 1970-01-01T00:00:06Z 1970-01-01T00:00:07.5Z",
		"day timestamp: 1969-12-31T00:00:00Z 1970-01-01T00:00:00Z 1970-01-02T00:00:00Z 1970-01-03T00:00:00Z 1970-01-04T00:00:00Z 1970-01-05T00:00:00Z", "ok bool: true false true false true false")
	padded := arrowFile(t)
	short := bytes.Clone(padded[:8]) // as C++ pads the magic
	short = append(short, padded[bytes.Index(padded, []byte("\xff\xff\xff\xff")):]...)
	for kind, text := range map[string][]byte{"plain": padded, "of C++": short, "lz4": arrowFile(t, ipc.WithLZ4()), "zstd": arrowFile(t, ipc.WithZstd())} {
		c := open(t, writeFile(t, "t.feather", text))
		got := ""
		for _, line := range strings.SplitAfter(table(t, c), "\n") {
			if !strings.HasPrefix(line, "mags") && !strings.HasPrefix(line, "pair") {
				got += line
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", kind, d)
		}
		if ra, err := c.Field("ra"); err != nil || ra.UCD != "pos.eq.ra" {
			t.Errorf("%s: %+v, %v", kind, ra, err)
		}
		elements := read(t, c, "mags[1]", "pair[1]")
		for row, want := range [][2]string{{"", "-0"}, {"", "-1"}, {"2", "-2"}, {"", "-3"}, {"2", "-4"}, {"2", "-5"}} {
			if a, b := elements[0].text(row), elements[1].text(row); a != want[0] || b != want[1] {
				t.Errorf("%s: row %d: %q and %q, want %q", kind, row, a, b, want)
			}
		}
	}
}

// Files that are cut or damaged are an error of one line, or a table.
func TestArrowDamaged(t *testing.T) {
	whole := arrowFile(t, ipc.WithLZ4())
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 150 {
		text := bytes.Clone(whole)
		if i < 50 {
			text = text[:len(text)*i/55]
		} else {
			for range 1 + i%3 {
				text[8+r.IntN(len(text)-8)] = byte(r.Uint32())
			}
		}
		path := t.TempDir() + "/t.arrow"
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := Open(t.Context(), []string{path}, Options{})
		if err == nil && c.Rows() < 1000 {
			_, err = c.Summary(t.Context())
		}
		if i < 50 && err == nil {
			t.Errorf("%d of %d bytes are read", len(text), len(whole))
		} else if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q", err)
		}
	}
}
