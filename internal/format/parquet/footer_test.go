package parquet

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"skyjoin/internal/format"
	"skyjoin/internal/format/parquet/thrift"
	"skyjoin/internal/par"
)

// A placed is a column of a file in a test: how it is declared, and its values.
type placed struct {
	element schemaElement
	plain   []byte // of three values
}

// fileOf writes a file of columns of three rows, with a footer that edit has changed.
func fileOf(t *testing.T, cols []placed, edit func(*fileMeta)) string {
	t.Helper()
	meta := fileMeta{Version: 1, Rows: 3, Schema: []schemaElement{{Name: "schema", Children: ptr(int32(len(cols)))}}, Groups: []groupMeta{{Rows: 3}}}
	text := []byte("PAR1")
	for _, c := range cols {
		c.element.Repetition = ptr(int32(required))
		w := chunkWriter{t: t, c: Chunk{Physical: Physical(*c.element.Physical), Length: int(or(c.element.Length))}}
		w.data(1, Plain, nil, nil, 3, c.plain)
		meta.Schema = append(meta.Schema, c.element)
		meta.Groups[0].Columns = append(meta.Groups[0].Columns, columnMeta{Meta: &chunkMeta{
			Physical: *c.element.Physical, Encodings: []int32{int32(Plain)}, Path: []string{c.element.Name}, Values: 3,
			Uncompressed: int64(len(w.b)), Compressed: int64(len(w.b)), DataPage: int64(len(text)),
		}})
		text = append(text, w.b...)
	}
	if edit != nil {
		edit(&meta)
	}
	footer := thrift.Append(nil, meta)
	text = append(binary.LittleEndian.AppendUint32(append(text, footer...), uint32(len(footer))), "PAR1"...)
	path := filepath.Join(t.TempDir(), "f.parquet")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// named is a column of a physical type.
func named(name string, physical Physical, plain string) placed {
	return placed{schemaElement{Name: name, Physical: ptr(int32(physical))}, []byte(plain)}
}

// values returns the values of a column as text.
func values(t *testing.T, r format.Reader, field int) (texts []string) {
	t.Helper()
	f := r.Fields()[field]
	c := format.MakeColumn(f, r.Rows(), f.Nullable)
	err := r.Read(t.Context(), format.Job{Refs: []format.Ref{{Field: field, Elem: -1}}, Dst: []*format.Column{&c}, Add: func(int64) {}, Pool: par.NewPool(1)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Len() {
		texts = append(texts, c.Text(i))
	}
	return texts
}

const (
	ints32 = "\x01\x00\x00\x00\x02\x00\x00\x00\xff\xff\xff\xff"
	ints64 = "\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"
	halves = "\x00\x00\x00\x00\x00\x00\xe0\x3f\x00\x00\x00\x00\x00\x00\xe0\xbf\x00\x00\x00\x00\x00\x00\x00\x00" // float64
	words  = "\x01\x00\x00\x00a\x02\x00\x00\x00bc\x00\x00\x00\x00"
)

// What an annotation that is not known, or that the physical type cannot have, says of
// a column does not count: it is read by its physical type.
func TestMeaningsThatAreNotKnown(t *testing.T) {
	raw := func(id int16, v any) thrift.Raw { // a logical type by its number
		return thrift.RawOf(struct {
			Rest thrift.Rest
		}{thrift.Rest{{ID: id, Raw: thrift.RawOf(v)}}})
	}
	crs := struct {
		CRS string `thrift:"1"`
	}{"OGC:CRS84"}
	known := func(m logicalType) thrift.Raw { return thrift.RawOf(m) }
	for _, c := range []struct {
		what    string
		col     placed
		logical thrift.Raw
		want    string // type and values
	}{
		{"VARIANT", named("x", ByteArray, words), raw(16, struct{}{}), "binary: a bc "},
		{"GEOMETRY", named("x", ByteArray, words), raw(17, crs), "binary: a bc "},
		{"GEOGRAPHY", named("x", ByteArray, words), raw(18, crs), "binary: a bc "},
		{"a later one", named("x", Int64, ints64), raw(99, crs), "int64: 1 2 -1"},
		{"text on numbers", named("x", Int32, ints32), known(logicalType{String: present}), "int32: 1 2 -1"},
		{"decimals on floats", named("x", Double, halves), known(logicalType{Decimal: &decimalType{2, 9}}), "float64: 0.5 -0.5 0"},
		{"decimals of more digits behind the point than there are", named("x", Int32, ints32), known(logicalType{Decimal: &decimalType{9, 2}}), "int32: 1 2 -1"},
		{"times on texts", named("x", ByteArray, words), known(logicalType{Timestamp: &timeType{true, timeUnit{Millis: present}}}), "binary: a bc "},
		{"times on 32 bits", named("x", Int32, ints32), known(logicalType{Timestamp: &timeType{true, timeUnit{Millis: present}}}), "int32: 1 2 -1"},
		{"days in 64 bits", named("x", Int64, ints64), known(logicalType{Date: present}), "int64: 1 2 -1"},
		{"integers of 24 bits", named("x", Int32, ints32), known(logicalType{Integer: &integerType{24, true}}), "int32: 1 2 -1"},
		{"bytes in 64 bits", named("x", Int64, ints64), known(logicalType{Integer: &integerType{8, true}}), "int64: 1 2 -1"},
		{"days", named("x", Int32, ints32), known(logicalType{Date: present}), "date: 1970-01-02T00:00:00Z 1970-01-03T00:00:00Z 1969-12-31T00:00:00Z"},
	} {
		c.col.element.Logical = c.logical
		r, err := Input.Open(t.Context(), fileOf(t, []placed{c.col}, nil), format.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if got := r.Fields()[0].Text + ": " + strings.Join(values(t, r, 0), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// Columns that are encrypted or elsewhere do not hide the others.
func TestColumnsOutOfReach(t *testing.T) {
	cols := []placed{named("a", Int32, ints32), named("b", Double, halves), named("c", ByteArray, words)}
	for what, c := range map[string]struct {
		edit func(*fileMeta)
		text string // of the second column
	}{
		"encrypted, footer in plain text": {func(m *fileMeta) {
			m.Encryption = thrift.RawOf(struct{}{})
			m.Groups[0].Columns[1].Crypto = thrift.RawOf(struct{}{})
		}, "float64 (encrypted)"},
		"encrypted, described in the chunk": {func(m *fileMeta) {
			m.Groups[0].Columns[1] = columnMeta{Offset: 4}
		}, "float64 (encrypted)"},
		"elsewhere": {func(m *fileMeta) { m.Groups[0].Columns[1].Path = ptr("part/1.parquet") }, "float64 (in another file, part/1.parquet)"},
	} {
		r, err := Input.Open(t.Context(), fileOf(t, cols, c.edit), format.Options{})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		f := r.Fields()[1]
		if f.Type != format.Unsupported || f.Text != c.text || !r.(format.Partial).Partial() {
			t.Errorf("%s: %v, %s", what, f.Type, f.Text)
		}
		if got := [][]string{values(t, r, 0), values(t, r, 2)}; !reflect.DeepEqual(got, [][]string{{"1", "2", "-1"}, {"a", "bc", ""}}) {
			t.Errorf("%s: %q", what, got)
		}
	}
	whole, err := Input.Open(t.Context(), fileOf(t, cols, func(m *fileMeta) { m.Encryption = thrift.RawOf(struct{}{}) }), format.Options{})
	if err != nil || whole.(format.Partial).Partial() {
		t.Errorf("a file of which no column is encrypted: %v", err)
	}
}

// A footer of 0 rows has those of its row groups; any other number must be theirs.
func TestRowsOfTheFooter(t *testing.T) {
	cols := []placed{named("a", Int32, ints32)}
	r, err := Input.Open(t.Context(), fileOf(t, cols, func(m *fileMeta) { m.Rows = 0 }), format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if notes := r.(format.Noter).Notes(); r.Rows() != 3 || len(values(t, r, 0)) != 3 || len(notes) != 1 || notes[0] != "its footer says 0 rows, its row groups have 3" {
		t.Errorf("%d rows, notes %q", r.Rows(), notes)
	}
	empty, err := Input.Open(t.Context(), fileOf(t, nil, func(m *fileMeta) { m.Rows, m.Groups = 0, make([]groupMeta, 2) }), format.Options{})
	if err != nil || empty.Rows() != 0 {
		t.Errorf("two row groups without rows: %v", err)
	}
	if _, err := Input.Open(t.Context(), fileOf(t, cols, func(m *fileMeta) { m.Rows = 4 }), format.Options{}); err == nil || !strings.Contains(err.Error(), "have 3 rows, the file is said to have 4") {
		t.Errorf("4 rows for 3: %v", err)
	}
}
