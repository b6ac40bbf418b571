package table

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// writeLeaf writes a Parquet file of one column with the Arrow library.
func writeLeaf(t *testing.T, n schema.Node, opts []parquet.WriterProperty, write func(file.ColumnChunkWriter) error) string {
	t.Helper()
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{n}, -1)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "leaf.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := file.NewParquetWriter(f, root, file.WithWriterProps(parquet.NewWriterProperties(append(opts, parquet.WithVersion(parquet.V2_LATEST))...)))
	g := w.AppendRowGroup()
	cw, err := g.NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(write(cw), cw.Close(), g.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// cells returns the lines of a Parquet file's text, without that of names.
func cells(t *testing.T, path string) []string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.csv")
	if _, err := Append(ctx, out, open(t, path), nil, Options{}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")[1:]
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestLeafTexts(t *testing.T) {
	logical := func(typ parquet.Type, length int, l schema.LogicalType) schema.Node {
		return must[*schema.PrimitiveNode](t)(schema.NewPrimitiveNodeLogical("x", parquet.Repetitions.Optional, l, typ, length, -1))
	}
	i32 := func(v ...int32) func(file.ColumnChunkWriter) error {
		return func(cw file.ColumnChunkWriter) error {
			_, err := cw.(*file.Int32ColumnChunkWriter).WriteBatch(v, append(levelsOf(len(v)), 0), nil)
			return err
		}
	}
	i64 := func(v ...int64) func(file.ColumnChunkWriter) error {
		return func(cw file.ColumnChunkWriter) error {
			_, err := cw.(*file.Int64ColumnChunkWriter).WriteBatch(v, append(levelsOf(len(v)), 0), nil)
			return err
		}
	}
	bytes := func(v ...string) func(file.ColumnChunkWriter) error {
		return func(cw file.ColumnChunkWriter) (err error) {
			levels := append(levelsOf(len(v)), 0)
			var vals []parquet.ByteArray
			var fixed []parquet.FixedLenByteArray
			for _, s := range v {
				vals, fixed = append(vals, []byte(s)), append(fixed, []byte(s))
			}
			switch w := cw.(type) {
			case *file.ByteArrayColumnChunkWriter:
				_, err = w.WriteBatch(vals, levels, nil)
			case *file.FixedLenByteArrayColumnChunkWriter:
				_, err = w.WriteBatch(fixed, levels, nil)
			case *file.Int96ColumnChunkWriter:
				var times []parquet.Int96
				for _, s := range v {
					times = append(times, parquet.Int96([]byte(s)))
				}
				_, err = w.WriteBatch(times, levels, nil)
			}
			return err
		}
	}
	ts := func(utc bool, u schema.TimeUnitType) schema.LogicalType {
		return schema.NewTimestampLogicalTypeForce(utc, u)
	}
	for _, c := range []struct {
		what  string
		node  schema.Node
		write func(file.ColumnChunkWriter) error
		want  []string // and an empty line for the null at the end
	}{
		{"int8", logical(parquet.Types.Int32, 0, schema.NewIntLogicalType(8, true)), i32(-128, 127), []string{"-128", "127"}},
		{"uint32", logical(parquet.Types.Int32, 0, schema.NewIntLogicalType(32, false)), i32(-1, 1), []string{"4294967295", "1"}},
		{"uint64", logical(parquet.Types.Int64, 0, schema.NewIntLogicalType(64, false)), i64(-1, 1), []string{"18446744073709551615", "1"}},
		{"decimal(9,2)", logical(parquet.Types.Int32, 0, schema.NewDecimalLogicalType(9, 2)), i32(1234, -5, 100, 0), []string{"12.34", "-0.05", "1.00", "0.00"}},
		{"decimal(38,10)", logical(parquet.Types.FixedLenByteArray, 16, schema.NewDecimalLogicalType(38, 10)),
			bytes("\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01", strings.Repeat("\xff", 16)), []string{"1844674407.3709551617", "-0.0000000001"}},
		{"date", logical(parquet.Types.Int32, 0, schema.DateLogicalType{}), i32(0, -1, 19157), []string{"1970-01-01", "1969-12-31", "2022-06-14"}},
		{"time", logical(parquet.Types.Int32, 0, schema.NewTimeLogicalType(true, schema.TimeUnitMillis)), i32(43200001), []string{"12:00:00.001"}},
		{"timestamp[ns, UTC]", logical(parquet.Types.Int64, 0, ts(true, schema.TimeUnitNanos)), i64(946728000000000001, -1), []string{"2000-01-01T12:00:00.000000001Z", "1969-12-31T23:59:59.999999999Z"}},
		{"timestamp[ms]", logical(parquet.Types.Int64, 0, ts(false, schema.TimeUnitMillis)), i64(946728000000), []string{"2000-01-01T12:00:00"}},
		{"int96", must[*schema.PrimitiveNode](t)(schema.NewPrimitiveNode("x", parquet.Repetitions.Optional, parquet.Types.Int96, -1, 0)),
			bytes("\x00\x80\xa7\x48\x4a\x27\x00\x00\x59\x68\x25\x00",
				"\x00\x00\x00\x00\x00\x00\x00\x00\x2c\xfe\x51\x00", // beyond what nanoseconds in 64 bits hold
				"\xff\xff\xff\xff\xff\xff\xff\xff\x8c\x3d\x25\x00", // a nanosecond before the day
				"\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\x7f"), []string{"2000-01-01T12:00:00Z", "9999-12-31T00:00:00Z", "1969-12-31T23:59:59.999999999Z", "5874898-06-03T00:00:00Z"}},
		{"float16", logical(parquet.Types.FixedLenByteArray, 2, schema.Float16LogicalType{}), bytes("\x00\x3c", "\x01\x80", "\x00\xfc"), []string{"1", "-5.9604645e-08", "-inf"}},
		{"uuid", logical(parquet.Types.FixedLenByteArray, 16, schema.UUIDLogicalType{}), bytes("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"), []string{"00010203-0405-0607-0809-0a0b0c0d0e0f"}},
		{"binary", must[*schema.PrimitiveNode](t)(schema.NewPrimitiveNode("x", parquet.Repetitions.Optional, parquet.Types.ByteArray, -1, 0)),
			bytes("text", "\xff\x00"), []string{"text", "0xff00"}},
	} {
		got := cells(t, writeLeaf(t, c.node, nil, c.write))
		if want := append(c.want, `""`); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: %q, want %q", c.what, got, want)
		}
	}
}

func levelsOf(n int) []int16 {
	levels := make([]int16, n)
	for i := range levels {
		levels[i] = 1
	}
	return levels
}

// TestNestedLists writes the levels of lists of lists by hand.
func TestNestedLists(t *testing.T) {
	// optional list (1) of repeated (2) optional list (3) of repeated (4) optional int32 (5)
	leaf := must[*schema.PrimitiveNode](t)(schema.NewPrimitiveNode("element", parquet.Repetitions.Optional, parquet.Types.Int32, -1, 0))
	group := func(name string, r parquet.Repetition, n schema.Node, l schema.LogicalType) schema.Node {
		if l == nil {
			return must[*schema.GroupNode](t)(schema.NewGroupNode(name, r, schema.FieldList{n}, -1))
		}
		return must[*schema.GroupNode](t)(schema.NewGroupNodeLogical(name, r, schema.FieldList{n}, l, -1))
	}
	list := schema.NewListLogicalType()
	inner := group("element", parquet.Repetitions.Optional, group("list", parquet.Repetitions.Repeated, leaf, nil), list)
	outer := group("x", parquet.Repetitions.Optional, group("list", parquet.Repetitions.Repeated, inner, nil), list)
	def := []int16{5, 5, 4, 5, 0, 1, 2, 3, 5}
	rep := []int16{0, 2, 2, 1, 0, 0, 0, 1, 1}
	path := writeLeaf(t, outer, nil, func(cw file.ColumnChunkWriter) error {
		_, err := cw.(*file.Int32ColumnChunkWriter).WriteBatch([]int32{1, 2, 3, 4}, def, rep)
		return err
	})
	got := cells(t, path)
	want := []string{`"[[1,2,null],[3]]"`, `""`, `[]`, `"[null,[],[4]]"`}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOldWriters checks that statistics that readers distrust by the writer's
// name do not get a name that they trust.
func TestOldWriters(t *testing.T) {
	n := must[*schema.PrimitiveNode](t)(schema.NewPrimitiveNodeLogical("x", parquet.Repetitions.Optional, schema.StringLogicalType{}, parquet.Types.ByteArray, 0, -1))
	for by, want := range map[string]struct {
		statistics bool
		err        string
	}{
		"parquet-mr version 1.8.1 (build abc)":  {false, ""},
		"parquet-mr version 1.13.1 (build abc)": {true, ""},
		"parquet-cpp version 1.2.0":             {false, ""},
		"parquet-cpp-arrow version 15.0.0":      {true, ""},
		"parquet-mr version 1.2.8":              {false, "wrong sizes"},
	} {
		in := writeLeaf(t, n, []parquet.WriterProperty{parquet.WithCreatedBy(by)}, func(cw file.ColumnChunkWriter) error {
			_, err := cw.(*file.ByteArrayColumnChunkWriter).WriteBatch([]parquet.ByteArray{[]byte("a"), []byte("b")}, []int16{1, 1}, nil)
			return err
		})
		out := filepath.Join(t.TempDir(), "out.parquet")
		_, err := Append(ctx, out, open(t, in), []Column{{Name: "y", Int32: []int32{1, 2}}}, Options{})
		if want.err != "" {
			if err == nil || !strings.Contains(err.Error(), want.err) {
				t.Errorf("%s: %v", by, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		r := must[*file.Reader](t)(file.OpenParquetFile(out, false))
		for leaf, has := range []bool{want.statistics, true} {
			cc := must[*metadata.ColumnChunkMetaData](t)(r.RowGroup(0).MetaData().ColumnChunk(leaf))
			if set, err := cc.StatsSet(); set != has || err != nil {
				t.Errorf("%s: column %d has statistics: %v, %v", by, leaf, set, err)
			}
		}
		r.Close()
	}
}

// TestAppendStructName adds a column with the name of a struct.
func TestAppendStructName(t *testing.T) {
	leaf := must[*schema.PrimitiveNode](t)(schema.NewPrimitiveNode("id", parquet.Repetitions.Required, parquet.Types.Int32, -1, 0))
	group := must[*schema.GroupNode](t)(schema.NewGroupNode("cluster", parquet.Repetitions.Required, schema.FieldList{leaf}, -1))
	in := writeLeaf(t, group, nil, func(cw file.ColumnChunkWriter) error {
		_, err := cw.(*file.Int32ColumnChunkWriter).WriteBatch([]int32{7}, nil, nil)
		return err
	})
	out := filepath.Join(t.TempDir(), "out.parquet")
	names, err := Append(ctx, out, open(t, in), []Column{{Name: "cluster", Int32: []int32{1}, Unit: "none"}}, Options{})
	if err != nil || names[0] != "cluster_1" {
		t.Fatalf("%q, %v", names, err)
	}
	checkFooter(t, out)
	sameColumns(t, open(t, in), open(t, out))
	// The file has no Arrow schema that could hold the unit.
	if f, err := open(t, out).Field("cluster_1"); f.Unit != "none" || err != nil {
		t.Errorf("%+v, %v", f, err)
	}
}
