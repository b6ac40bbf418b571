package table

import (
	"encoding/binary"
	"math"
	"testing"

	"path/filepath"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"pgregory.net/rapid"

	"skyjoin/io/catalog"
)

// What the writer has in a page, and in a dictionary, at most.
const pageRows, maxDictionary = 1 << 17, 1 << 14

// TestColumnsReadBack writes random columns and reads them with the Arrow
// library: with and without nulls, few and many distinct values, over pages
// and row groups.
func TestColumnsReadBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom([]int{1, 7, 8, 9, 1000, pageRows - 1, pageRows + 1, 2*pageRows + 5}).Draw(rt, "rows")
		distinct := rapid.SampledFrom([]int{1, 2, 3, 200, maxDictionary, maxDictionary + 1, math.MaxInt}).Draw(rt, "distinct")
		every := rapid.SampledFrom([]int{0, 1, 2, 9, 10_000}).Draw(rt, "null every")
		value := func(i int) int64 { return int64(i%distinct)*-7919 + 3 }
		var null []bool
		if every > 0 {
			null = make([]bool, n)
			for i := range null {
				null[i] = i%every == 0
			}
		}
		ints, floats, strings, flags := make([]int64, n), make([]float64, n), make([]string, n), make([]bool, n)
		for i := range ints {
			v := value(i)
			ints[i], floats[i], strings[i], flags[i] = v, float64(v)/3, string(binary.AppendVarint(nil, v)), v%2 == 0
		}
		field := func(name string, typ catalog.Type) catalog.Field { return catalog.Field{Name: name, Type: typ} }
		out := filepath.Join(t.TempDir(), "t.parquet")
		err := Write(ctx, out, []catalog.Column{
			{Field: field("i", catalog.Int64), Int64: ints, Null: null}, {Field: field("f", catalog.Float64), Float64: floats, Null: null},
			{Field: field("s", catalog.String), String: strings, Null: null}, {Field: field("b", catalog.Bool), Bool: flags, Null: null},
		}, Options{})
		if err != nil {
			rt.Fatal(err)
		}
		gi, nulls := readColumn[int64](t, out, "i")
		gf, _ := readColumn[float64](t, out, "f")
		gs, _ := readColumn[parquet.ByteArray](t, out, "s")
		gb, _ := readColumn[bool](t, out, "b")
		if len(gi) != n || len(gf) != n || len(gs) != n || len(gb) != n {
			rt.Fatalf("%d, %d, %d, %d rows of %d", len(gi), len(gf), len(gs), len(gb), n)
		}
		for i := range n {
			if isNull := null != nil && null[i]; isNull != nulls[i] {
				rt.Fatalf("row %d: null is %v", i, nulls[i])
			} else if !isNull && (gi[i] != ints[i] || gf[i] != floats[i] || string(gs[i]) != strings[i] || gb[i] != flags[i]) {
				rt.Fatalf("row %d: %d %v %q %v", i, gi[i], gf[i], gs[i], gb[i])
			}
		}
	})
}

func TestStatistics(t *testing.T) {
	nan := math.NaN()
	out := filepath.Join(t.TempDir(), "t.parquet")
	f := func(name string, typ catalog.Type) catalog.Field {
		return catalog.Field{Name: name, Type: typ, Nullable: true}
	}
	err := Write(ctx, out, []catalog.Column{
		{Field: f("nan", catalog.Float64), Float64: []float64{nan, 2, -1, 99}, Null: []bool{false, false, false, true}},
		{Field: f("only nan", catalog.Float64), Float64: []float64{nan, nan, nan, nan}},
		{Field: f("zero", catalog.Float64), Float64: []float64{0, 0, 0, 0}},
		{Field: f("null", catalog.Float64), Float64: make([]float64, 4), Null: []bool{true, true, true, true}},
		{Field: f("int8", catalog.Int8), Int64: []int64{-128, 5, 127, 0}},
		{Field: f("string", catalog.String), String: []string{"b", "", "ba", "a"}},
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.OpenParquetFile(out, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	stats := func(leaf int) metadata.TypedStatistics {
		cc, err := r.RowGroup(0).MetaData().ColumnChunk(leaf)
		if err != nil {
			t.Fatal(err)
		}
		st, err := cc.Statistics()
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	if st := stats(0).(*metadata.Float64Statistics); st.Min() != -1 || st.Max() != 2 || st.NullCount() != 1 {
		t.Errorf("with NaN: %v to %v, %d nulls", st.Min(), st.Max(), st.NullCount())
	}
	for _, leaf := range []int{1, 3} {
		if st := stats(leaf); st.HasMinMax() {
			t.Errorf("column %d has bounds without values", leaf)
		}
	}
	if st := stats(2).(*metadata.Float64Statistics); !math.Signbit(st.Min()) || math.Signbit(st.Max()) {
		t.Errorf("zeros: %v to %v, want -0 to +0", st.Min(), st.Max())
	}
	if st := stats(4).(*metadata.Int32Statistics); st.Min() != -128 || st.Max() != 127 {
		t.Errorf("int8: %v to %v", st.Min(), st.Max())
	}
	if st := stats(5).(*metadata.ByteArrayStatistics); string(st.Min()) != "" || string(st.Max()) != "ba" {
		t.Errorf("strings: %q to %q", st.Min(), st.Max())
	}
}
