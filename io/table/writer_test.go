package table

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"

	"encoding/base64"

	"skyjoin/io/catalog"
)

var ctx = context.Background()

// everyType has one column of each type that can be written, with its ends.
func everyType() []catalog.Column {
	null := []bool{false, true, false, false}
	field := func(name string, t catalog.Type) catalog.Field {
		return catalog.Field{Name: name, Type: t, Nullable: true}
	}
	unit := field("f64", catalog.Float64)
	unit.Unit, unit.UCD, unit.Description = "mas.yr**-1", "pos.pm", "proper motion"
	return []catalog.Column{
		{Field: unit, Float64: []float64{0.1, 0, math.NaN(), -math.MaxFloat64}, Null: null},
		{Field: field("f32", catalog.Float32), Float32: []float32{0.1, 0, float32(math.Inf(1)), math.SmallestNonzeroFloat32}, Null: null},
		{Field: field("i64", catalog.Int64), Int64: []int64{math.MinInt64, 0, math.MaxInt64, 5188146736371635584}, Null: null},
		{Field: field("i32", catalog.Int32), Int64: []int64{math.MinInt32, 0, math.MaxInt32, -1}, Null: null},
		{Field: field("i16", catalog.Int16), Int64: []int64{math.MinInt16, 0, math.MaxInt16, -1}, Null: null},
		{Field: field("i8", catalog.Int8), Int64: []int64{math.MinInt8, 0, math.MaxInt8, -1}, Null: null},
		{Field: field("u64", catalog.Uint64), Uint64: []uint64{math.MaxUint64, 0, 1, 1 << 63}, Null: null},
		{Field: field("u32", catalog.Uint32), Uint64: []uint64{math.MaxUint32, 0, 1, 1 << 31}, Null: null},
		{Field: field("u16", catalog.Uint16), Uint64: []uint64{math.MaxUint16, 0, 1, 2}, Null: null},
		{Field: field("u8", catalog.Uint8), Uint64: []uint64{math.MaxUint8, 0, 1, 2}, Null: null},
		{Field: field("bool", catalog.Bool), Bool: []bool{true, false, false, true}, Null: null},
		{Field: field("str", catalog.String), String: []string{"NGC 103", "", "", "a, \"b\"\nα"}, Null: null},
		{Field: field("time", catalog.Timestamp), Float64: []float64{946728000, 0, 1.25, -1}, Null: null},
	}
}

func TestWriteParquetTypes(t *testing.T) {
	out := filepath.Join(t.TempDir(), "t.parquet")
	if err := Write(ctx, out, everyType(), Options{Metadata: []catalog.KeyValue{{Key: "skyjoin.k", Value: "5"}}}); err != nil {
		t.Fatal(err)
	}
	checkFooter(t, out)
	f64, null := readColumn[float64](t, out, "f64")
	if !slices.Equal(null, []bool{false, true, false, false}) {
		t.Errorf("nulls %v", null)
	}
	if f64[0] != 0.1 || !math.IsNaN(f64[2]) || f64[3] != -math.MaxFloat64 {
		t.Errorf("f64 %v", f64)
	}
	f32, _ := readColumn[float32](t, out, "f32")
	if want := []float32{0.1, 0, float32(math.Inf(1)), math.SmallestNonzeroFloat32}; !slices.Equal(f32, want) {
		t.Errorf("f32 %v", f32)
	}
	for _, c := range []struct {
		name string
		want []int64
	}{
		{"i64", []int64{math.MinInt64, 0, math.MaxInt64, 5188146736371635584}},
		{"u64", []int64{-1, 0, 1, math.MinInt64}},
		{"time", []int64{946728000e6, 0, 1250000, -1e6}},
	} {
		if got, _ := readColumn[int64](t, out, c.name); !slices.Equal(got, c.want) {
			t.Errorf("%s %v, want %v", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		name string
		want []int32
	}{
		{"i32", []int32{math.MinInt32, 0, math.MaxInt32, -1}}, {"i16", []int32{math.MinInt16, 0, math.MaxInt16, -1}},
		{"i8", []int32{math.MinInt8, 0, math.MaxInt8, -1}}, {"u32", []int32{-1, 0, 1, math.MinInt32}},
		{"u16", []int32{math.MaxUint16, 0, 1, 2}}, {"u8", []int32{math.MaxUint8, 0, 1, 2}},
	} {
		if got, _ := readColumn[int32](t, out, c.name); !slices.Equal(got, c.want) {
			t.Errorf("%s %v, want %v", c.name, got, c.want)
		}
	}
	if got, _ := readColumn[bool](t, out, "bool"); !slices.Equal(got, []bool{true, false, false, true}) {
		t.Errorf("bool %v", got)
	}
	str, _ := readColumn[parquet.ByteArray](t, out, "str")
	for i, want := range []string{"NGC 103", "", "", "a, \"b\"\nα"} {
		if string(str[i]) != want {
			t.Errorf("str %q, want %q", str[i], want)
		}
	}

	r, err := file.OpenParquetFile(out, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	kv := r.MetaData().KeyValueMetadata()
	if v := kv.FindValue("skyjoin.k"); v == nil || *v != "5" {
		t.Errorf("metadata %v", kv)
	}
	raw, err := base64.StdEncoding.DecodeString(*kv.FindValue("ARROW:schema"))
	if err != nil {
		t.Fatal(err)
	}
	ir, err := ipc.NewReader(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	defer ir.Release()
	if got := fmt.Sprint(ir.Schema().Field(0).Metadata); got != `["unit": "mas.yr**-1", "ucd": "pos.pm", "description": "proper motion"]` {
		t.Errorf("metadata of f64: %s", got)
	}
	if got := ir.Schema().Field(8).Type.Name(); got != "uint16" {
		t.Errorf("u16 is a %s", got)
	}
	// Unsigned minima and maxima go by unsigned order.
	cc, err := r.RowGroup(0).MetaData().ColumnChunk(6)
	if err != nil {
		t.Fatal(err)
	}
	st, err := cc.Statistics()
	if err != nil || string(st.EncodeMax()) != "\xff\xff\xff\xff\xff\xff\xff\xff" {
		t.Errorf("u64: maximum %x, %v", st.EncodeMax(), err)
	}
}

func TestWriteCSV(t *testing.T) {
	out := filepath.Join(t.TempDir(), "t.csv")
	if err := Write(ctx, out, everyType(), Options{}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want := `f64,f32,i64,i32,i16,i8,u64,u32,u16,u8,bool,str,time
0.1,0.1,-9223372036854775808,-2147483648,-32768,-128,18446744073709551615,4294967295,65535,255,true,NGC 103,2000-01-01T12:00:00Z
,,,,,,,,,,,,
nan,inf,9223372036854775807,2147483647,32767,127,1,1,1,1,false,"",1970-01-01T00:00:01.25Z
-1.7976931348623157e+308,1e-45,5188146736371635584,-1,-1,-1,9223372036854775808,2147483648,2,2,true,"a, ""b""
α",1969-12-31T23:59:59Z
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestWriterBlocks checks that a table does not depend on how its rows are
// divided among calls, nor on threads.
func TestWriterBlocks(t *testing.T) {
	const n = 2_200_000
	fields := []catalog.Field{{Name: "row", Type: catalog.Int64}, {Name: "x", Type: catalog.Float64, Nullable: true, Unit: "deg"}}
	row, x, null := make([]int64, n), make([]float64, n), make([]bool, n)
	for i := range row {
		row[i], x[i], null[i] = int64(i/3), float64(i)/7, i > n/2 && i%11 == 0
	}
	write := func(opt Options, block int) string {
		out := filepath.Join(t.TempDir(), "t.parquet")
		w, err := NewWriter(out, fields, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		for lo := 0; lo < n; lo += block {
			hi := min(n, lo+block)
			b := []catalog.Column{{Field: fields[0], Int64: row[lo:hi]}, {Field: fields[1], Float64: x[lo:hi]}}
			if slices.Contains(null[lo:hi], true) { // else nil: no nulls
				b[1].Null = null[lo:hi]
			}
			if err := w.WriteRows(ctx, b); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		checkFooter(t, out)
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	one := write(Options{Threads: 1}, n)
	for _, block := range []int{700_001, 1 << 20, 1<<20 + 1} {
		if write(Options{Threads: 3}, block) != one {
			t.Errorf("blocks of %d rows give other bytes", block)
		}
	}
}

func TestWriteNoRows(t *testing.T) {
	for _, name := range []string{"t.parquet", "t.csv"} {
		out := filepath.Join(t.TempDir(), name)
		cols := []catalog.Column{{Field: catalog.Field{Name: "a", Type: catalog.Float64}}}
		if err := Write(ctx, out, cols, Options{}); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if name == "t.csv" {
			if string(b) != "a\n" {
				t.Errorf("%q", b)
			}
			continue
		}
		checkFooter(t, out)
		r, err := file.OpenParquetFile(out, false)
		if err != nil {
			t.Fatal(err)
		}
		if r.NumRows() != 0 || r.MetaData().Schema.NumColumns() != 1 {
			t.Errorf("%d rows, %d columns", r.NumRows(), r.MetaData().Schema.NumColumns())
		}
		r.Close()
	}
}

func TestWriterRefuses(t *testing.T) {
	dir := t.TempDir()
	real := catalog.Field{Name: "a", Type: catalog.Float64}
	for _, c := range []struct {
		what   string
		out    string
		cols   []catalog.Column
		asked  bool // ErrRequest
		reason string
	}{
		{"two columns of a name", "t.csv", []catalog.Column{{Field: real}, {Field: real}}, true, `two columns named "a"`},
		{"an extension", "t.xls", nil, true, ".parquet, .csv"},
		{"a list", "t.parquet", []catalog.Column{{Field: catalog.Field{Name: "l", Type: catalog.List, Text: "list<float>"}}}, true, "list<float>"},
		{"lengths", "t.csv", []catalog.Column{{Field: real, Float64: []float64{1}}, {Field: catalog.Field{Name: "b", Type: catalog.Bool}, Bool: []bool{true, true}}}, false, `"b" has 2 values`},
		{"values of another type", "t.csv", []catalog.Column{{Field: real, Int64: []int64{1}}}, false, "not of its type"},
	} {
		err := Write(ctx, filepath.Join(dir, c.out), c.cols, Options{})
		if err == nil || errors.Is(err, catalog.ErrRequest) != c.asked || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	w, err := NewWriter(filepath.Join(dir, "n.csv"), []catalog.Field{real}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteRows(ctx, []catalog.Column{{Field: real, Float64: []float64{1}, Null: []bool{true}}}); err == nil {
		t.Error("a null in a column that has none is accepted")
	}
	if err := w.Commit(ctx); err == nil {
		t.Error("a table is committed after an error")
	}
	w.Abort()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
