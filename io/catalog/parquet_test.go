package catalog

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// A writtenColumn is a leaf to write with Arrow: values, one after the other
// for all row groups, with levels where the node has any.
type writtenColumn struct {
	node     schema.Node // of the root; nil for further leaves of the one before
	values   any
	def, rep []int16
}

func primitive(name string, rep parquet.Repetition, lt schema.LogicalType, t parquet.Type, length int) schema.Node {
	if lt == nil {
		lt = schema.NoLogicalType{}
	}
	return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, rep, lt, t, length, -1))
}

// writeParquet writes columns of one value, null or list per row, in row
// groups of the given numbers of rows.
func writeParquet(t testing.TB, path string, groups []int, cols []writtenColumn, props ...parquet.WriterProperty) {
	t.Helper()
	writeParquetMeta(t, path, groups, cols, nil, props...)
}

func writeParquetMeta(t testing.TB, path string, groups []int, cols []writtenColumn, meta []KeyValue, props ...parquet.WriterProperty) {
	t.Helper()
	var fields schema.FieldList
	for _, c := range cols {
		if c.node != nil {
			fields = append(fields, c.node)
		}
	}
	root := schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1))
	kv := metadata.NewKeyValueMetadata()
	for _, m := range meta {
		if err := kv.Append(m.Key, m.Value); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := file.NewParquetWriter(f, root, file.WithWriterProps(parquet.NewWriterProperties(props...)), file.WithWriteMetadata(kv))
	left := slices.Clone(cols)
	for _, rows := range groups {
		rg := w.AppendRowGroup()
		for i := range left {
			cw, err := rg.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			left[i].write(t, cw, rows)
			if err := cw.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := rg.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// write takes the next rows off c and writes them.
func (c *writtenColumn) write(t testing.TB, cw file.ColumnChunkWriter, rows int) {
	slots, n := rows, rows
	if c.rep != nil {
		for slots = 0; slots < len(c.rep) && (rows > 0 || c.rep[slots] > 0); slots++ {
			if c.rep[slots] == 0 {
				rows--
			}
		}
	}
	var def, rep []int16
	if c.def != nil {
		def, c.def = c.def[:slots], c.def[slots:]
		n = 0
		for _, d := range def {
			if d == cw.Descr().MaxDefinitionLevel() {
				n++
			}
		}
	}
	if c.rep != nil {
		rep, c.rep = c.rep[:slots], c.rep[slots:]
	}
	var err error
	switch w := cw.(type) {
	case *file.BooleanColumnChunkWriter:
		_, err = w.WriteBatch(take[bool](c, n), def, rep)
	case *file.Int32ColumnChunkWriter:
		_, err = w.WriteBatch(take[int32](c, n), def, rep)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(take[int64](c, n), def, rep)
	case *file.Int96ColumnChunkWriter:
		_, err = w.WriteBatch(take[parquet.Int96](c, n), def, rep)
	case *file.Float32ColumnChunkWriter:
		_, err = w.WriteBatch(take[float32](c, n), def, rep)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(take[float64](c, n), def, rep)
	case *file.ByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(take[parquet.ByteArray](c, n), def, rep)
	case *file.FixedLenByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(take[parquet.FixedLenByteArray](c, n), def, rep)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func take[T any](c *writtenColumn, n int) []T {
	v := c.values.([]T)
	c.values = v[n:]
	return v[:n]
}

var (
	required = parquet.Repetitions.Required
	optional = parquet.Repetitions.Optional
	repeated = parquet.Repetitions.Repeated
)

// float64Column is a required column of float64.
func float64Column(name string, v ...float64) writtenColumn {
	return writtenColumn{node: primitive(name, required, nil, parquet.Types.Double, -1), values: v}
}

// nullable marks the rows of a column that are null by NaN and leaves them out.
func nullableColumn(name string, v ...float64) writtenColumn {
	c := writtenColumn{node: primitive(name, optional, nil, parquet.Types.Double, -1)}
	var vals []float64
	for _, x := range v {
		if math.IsNaN(x) {
			c.def = append(c.def, 0)
		} else {
			c.def, vals = append(c.def, 1), append(vals, x)
		}
	}
	c.values = vals
	return c
}

func int64Column(name string, v ...int64) writtenColumn {
	return writtenColumn{node: primitive(name, required, nil, parquet.Types.Int64, -1), values: v}
}

func listNode(name string, element schema.Node) schema.Node {
	inner := schema.MustGroup(schema.NewGroupNode("list", repeated, schema.FieldList{element}, -1))
	return schema.MustGroup(schema.NewGroupNodeLogical(name, optional, schema.FieldList{inner}, schema.NewListLogicalType(), -1))
}

// Every integer width, exact to its ends.
func TestIntegers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ints.parquet")
	i32 := func(name string, bits int8, signed bool, v ...int32) writtenColumn {
		return writtenColumn{node: primitive(name, required, schema.NewIntLogicalType(bits, signed), parquet.Types.Int32, -1), values: v}
	}
	writeParquet(t, path, []int{2}, []writtenColumn{
		i32("i8", 8, true, -128, 127), i32("i16", 16, true, -32768, 32767), i32("i32", 32, true, math.MinInt32, math.MaxInt32),
		i32("u8", 8, false, 0, 255), i32("u16", 16, false, 0, 65535), i32("u32", 32, false, 0, -1),
		int64Column("i64", math.MinInt64, math.MaxInt64),
		{node: primitive("u64", required, schema.NewIntLogicalType(64, false), parquet.Types.Int64, -1), values: []int64{0, -1}},
	})
	c := open(t, path)
	want := []struct {
		name, lo, hi string
		typ          Type
	}{
		{"i8", "-128", "127", Int8}, {"i16", "-32768", "32767", Int16}, {"i32", "-2147483648", "2147483647", Int32},
		{"u8", "0", "255", Uint8}, {"u16", "0", "65535", Uint16}, {"u32", "0", "4294967295", Uint32},
		{"i64", "-9223372036854775808", "9223372036854775807", Int64}, {"u64", "0", "18446744073709551615", Uint64},
	}
	s, err := c.Summary(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		col := read(t, c, w.name)[0]
		if col.Field.Type != w.typ || col.text(0) != w.lo || col.text(1) != w.hi {
			t.Errorf("%s: %v %s %s, want %v %s %s", w.name, col.Field.Type, col.text(0), col.text(1), w.typ, w.lo, w.hi)
		}
		if got := s.Columns[i]; got.Min != w.lo || got.Max != w.hi || got.Nulls != 0 {
			t.Errorf("summary of %s: min %s, max %s, %d nulls", w.name, got.Min, got.Max, got.Nulls)
		}
	}
}

// INT96, decimals, lists of fixed size, unsigned integers, half floats.
func TestUnusualTypes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odd.parquet")
	var day parquet.Int96
	binary.LittleEndian.PutUint64(day[:], 43200e9)
	binary.LittleEndian.PutUint32(day[8:], 2451545)
	dec := func(p, s int32) schema.LogicalType { return schema.NewDecimalLogicalType(p, s) }
	pos := writtenColumn{
		node:   listNode("pos", primitive("element", optional, nil, parquet.Types.Float, -1)),
		values: []float32{1, 2, 3, 4, 6}, def: []int16{3, 3, 3, 3, 2, 3}, rep: []int16{0, 1, 1, 0, 1, 1},
	}
	writeParquet(t, path, []int{2}, []writtenColumn{
		{node: primitive("t", required, nil, parquet.Types.Int96, -1), values: []parquet.Int96{day, day}},
		{node: primitive("d32", required, dec(7, 2), parquet.Types.Int32, -1), values: []int32{1234, -1}},
		{node: primitive("d64", required, dec(18, 9), parquet.Types.Int64, -1), values: []int64{45123456789, 999999999999999999}},
		{node: primitive("dfix", required, dec(20, 3), parquet.Types.FixedLenByteArray, 9), values: []parquet.FixedLenByteArray{{0, 0, 0, 0, 0, 0, 0, 0x30, 0x39}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}},
		{node: primitive("dbytes", required, dec(20, 1), parquet.Types.ByteArray, -1), values: []parquet.ByteArray{{0x80}, {1, 0}}},
		{node: primitive("half", required, schema.Float16LogicalType{}, parquet.Types.FixedLenByteArray, 2), values: []parquet.FixedLenByteArray{{0x00, 0x3e}, {0x01, 0x80}}},
		{node: primitive("ms", required, schema.NewTimestampLogicalType(true, schema.TimeUnitMillis), parquet.Types.Int64, -1), values: []int64{946728000123, -1}},
		{node: primitive("date", required, schema.DateLogicalType{}, parquet.Types.Int32, -1), values: []int32{10957, -1}},
		{node: primitive("time", required, schema.NewTimeLogicalType(true, schema.TimeUnitMillis), parquet.Types.Int32, -1), values: []int32{1, 2}},
		pos,
	})
	c := open(t, path)
	for _, w := range []struct {
		name string
		want [2]float64
	}{
		{"t", [2]float64{946728000, 946728000}},
		{"d32", [2]float64{12.34, -0.01}},
		{"d64", [2]float64{45.123456789, 999999999.999999999}},
		{"dfix", [2]float64{12.345, -0.001}},
		{"dbytes", [2]float64{-12.8, 25.6}},
		{"ms", [2]float64{946728000.123, -0.001}},
		{"date", [2]float64{946684800, -86400}},
	} {
		if col := read(t, c, w.name)[0]; [2]float64(col.Float64) != w.want {
			t.Errorf("%s: %v, want %v", w.name, col.Float64, w.want)
		}
	}
	if col := read(t, c, "half")[0]; !slices.Equal(col.Float32, []float32{1.5, -0x1p-24}) {
		t.Errorf("half: %v", col.Float32)
	}
	for i, want := range [][2]string{{"1", "4"}, {"2", ""}, {"3", "6"}, {"", ""}} {
		col := read(t, c, fmt.Sprintf("pos[%d]", i))[0]
		if got := [2]string{col.text(0), col.text(1)}; got != want || col.Field.Type != Float32 {
			t.Errorf("pos[%d]: %q, want %q", i, got, want)
		}
	}
	for name, want := range map[string]string{
		"pos":     "name an element, such as pos[0]",
		"d32[0]":  "column d32 is decimal(7,2), not a list",
		"time":    "column time is time[ms], which cannot be read",
		"pos[-1]": `no column "pos[-1]"`,
	} {
		if _, err := c.Read(context.Background(), []string{name}, nil); !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if _, err := c.Summary(context.Background()); err != nil {
		t.Errorf("summary with a column that cannot be read: %v", err)
	}
}

func TestListsOfAnyLength(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lists.parquet")
	// [] null [7] [null] [1 2 3] [4]
	writeParquet(t, path, []int{4, 2}, []writtenColumn{{
		node:   listNode("v", primitive("element", optional, nil, parquet.Types.Int64, -1)),
		values: []int64{7, 1, 2, 3, 4}, def: []int16{1, 0, 3, 2, 3, 3, 3, 3}, rep: []int16{0, 0, 0, 0, 0, 1, 1, 0},
	}})
	c := open(t, path)
	for i, want := range [][]string{{"", "", "7", "", "1", "4"}, {"", "", "", "", "2", ""}, {"", "", "", "", "3", ""}} {
		col := read(t, c, fmt.Sprintf("v[%d]", i))[0]
		for row, w := range want {
			if col.text(row) != w || col.IsNull(row) != (w == "") {
				t.Errorf("v[%d], row %d: %q, want %q", i, row, col.text(row), w)
			}
		}
	}
}

// Random columns with nulls through every writer setting and thread count.
func TestWriterSettings(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const rows = 5000
	groups := []int{1700, 0, 3000, 300}
	floats := make([]float64, rows)
	var texts []parquet.ByteArray
	textDef := make([]int16, rows)
	ids := make([]int64, rows)
	flags := make([]bool, rows)
	for i := range floats {
		floats[i] = r.NormFloat64()
		if r.IntN(5) == 0 {
			floats[i] = math.NaN() // null
		}
		ids[i] = r.Int64() - r.Int64()
		flags[i] = r.IntN(3) == 0
		if r.IntN(10) > 0 {
			textDef[i] = 1
			texts = append(texts, parquet.ByteArray(fmt.Sprintf("V%04d Cyg", r.IntN(900))))
		}
	}
	for _, codec := range []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Zstd, compress.Codecs.Brotli} {
		for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
			for _, dict := range []bool{true, false} {
				t.Run(fmt.Sprintf("%v/v%d/dictionary %v", codec, version+1, dict), func(t *testing.T) {
					path := filepath.Join(t.TempDir(), "f.parquet")
					props := []parquet.WriterProperty{
						parquet.WithCompression(codec), parquet.WithDataPageVersion(version), parquet.WithDictionaryDefault(dict),
						parquet.WithDataPageSize(4 << 10), parquet.WithDictionaryPageSizeLimit(3 << 10), parquet.WithBatchSize(100),
					}
					if !dict {
						props = append(props, parquet.WithEncodingFor("id", parquet.Encodings.DeltaBinaryPacked), parquet.WithEncodingFor("name", parquet.Encodings.DeltaByteArray))
					}
					writeParquet(t, path, groups, []writtenColumn{
						nullableColumn("x", floats...), int64Column("id", ids...),
						{node: primitive("flag", required, nil, parquet.Types.Boolean, -1), values: flags},
						{node: primitive("name", optional, schema.StringLogicalType{}, parquet.Types.ByteArray, -1), values: texts, def: textDef},
					}, props...)
					for _, threads := range []int{1, 3} {
						c, err := Open(context.Background(), []string{path}, Options{Threads: threads})
						if err != nil {
							t.Fatal(err)
						}
						var done atomic.Int64
						cols, err := c.Read(context.Background(), []string{"name", "x", "flag", "id"}, func(n int64) { done.Add(n) })
						if err != nil {
							t.Fatal(err)
						}
						if done.Load() != rows {
							t.Errorf("%d of %d rows reported", done.Load(), rows)
						}
						name := 0
						for i := range rows {
							null := math.IsNaN(floats[i])
							if cols[1].IsNull(i) != null || !null && cols[1].Float64[i] != floats[i] || cols[3].Int64[i] != ids[i] || cols[2].Bool[i] != flags[i] {
								t.Fatalf("row %d differs", i)
							}
							if cols[0].IsNull(i) != (textDef[i] == 0) || textDef[i] == 1 && cols[0].String[i] != string(texts[name]) {
								t.Fatalf("name of row %d differs: %q", i, cols[0].String[i])
							}
							name += int(textDef[i])
						}
					}
				})
			}
		}
	}
}

// A damaged file is an error or, where the damage is in what nobody reads,
// none: never a panic, a hang, or other rows.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "good.parquet")
	writeParquet(t, path, []int{30, 20}, []writtenColumn{nullableColumn("x", sequence(50)...), int64Column("id", make([]int64, 50)...)},
		parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryFor("x", false))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, b []byte) error {
		bad := filepath.Join(dir, "bad.parquet")
		if err := os.WriteFile(bad, b, 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := Open(context.Background(), []string{bad}, Options{})
		if err == nil {
			if c.Rows() > 1e6 {
				return nil
			}
			for _, f := range c.Fields() {
				if f.Type != Unsupported && f.Type != List {
					if _, e := c.Read(context.Background(), []string{f.Name}, nil); e != nil {
						err = e
					}
				}
			}
			if _, e := c.Summary(context.Background()); e != nil {
				err = e
			}
		}
		if err != nil && (strings.Contains(err.Error(), "goroutine") || strings.Count(err.Error(), "\n") > 1 || !strings.Contains(err.Error(), "bad.parquet")) {
			t.Errorf("%s: the message is %q", what, err)
		}
		return err
	}
	if err := try("nothing", good); err != nil {
		t.Fatal(err)
	}
	for n := range good {
		if try(fmt.Sprintf("cut to %d bytes", n), good[:n]) == nil {
			t.Errorf("a file cut to %d of %d bytes is read without an error", n, len(good))
		}
	}
	flips := []byte{0x01, 0x80, 0xff}
	if testing.Short() {
		flips = flips[1:2]
	}
	for i := range good {
		for _, flip := range flips {
			b := bytes.Clone(good)
			b[i] ^= flip
			try(fmt.Sprintf("byte %d ^ %#x", i, flip), b)
		}
	}
	for _, b := range [][]byte{[]byte("PAR1"), []byte("PAR1PAR1"), []byte("PAR1\x00\x00\x00\x00PAR1"), []byte("PAR1\xff\xff\xff\xffPAR1"), []byte("garbage, not a table"), {}} {
		if try(fmt.Sprintf("%q", b), b) == nil {
			t.Errorf("%q is read without an error", b)
		}
	}
}

func sequence(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i)
		if i%7 == 3 {
			v[i] = math.NaN()
		}
	}
	return v
}
