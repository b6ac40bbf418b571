package parquet

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// A schema with any one bit wrong, or cut off, is read in little memory.
func TestDamagedArrowSchema(t *testing.T) {
	about := func(v string) arrow.Metadata { return arrow.NewMetadata([]string{"unit"}, []string{v}) }
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "ra", Type: arrow.PrimitiveTypes.Float64, Metadata: about("deg")},
		{Name: "s", Type: arrow.StructOf(
			arrow.Field{Name: "a", Type: arrow.BinaryTypes.String, Metadata: about("m")},
			arrow.Field{Name: "in", Type: arrow.StructOf(arrow.Field{Name: "b", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8), Metadata: about("s")})},
		)},
		{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}},
		{Name: "u", Type: arrow.SparseUnionOf([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int32}}, []arrow.UnionTypeCode{5})},
		{Name: "d", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
	}, nil)
	var out bytes.Buffer
	if err := ipc.NewWriter(&out, ipc.WithSchema(schema)).Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	arrowSchema(out.Bytes(), func(name string, _, values []string) {
		got = append(got, name+" "+slices.Concat(values, []string{""})[0])
	})
	if want := []string{"ra deg", "s ", "s.a m", "s.in ", "s.in.b s", "t ", "u ", "d "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}

	read := func(b []byte) {
		arrowSchema(b, func(string, []string, []string) {})
		extendArrow(base64.StdEncoding.EncodeToString(b), nil)
	}
	if !soundArrow(out.Bytes()) {
		t.Error("a sound schema is taken for a damaged one")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	whole := out.Bytes()
	for i := range whole {
		read(whole[:i])
		for bit := range 8 {
			b := bytes.Clone(whole)
			b[i] ^= 1 << bit
			read(b)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(9*len(whole)); each > 64<<10 {
		t.Errorf("%d bytes for a schema of %d", each, len(whole))
	}
}

// A struct that is among its own children does not take Arrow's library round and
// round, and fields that share one long text do not multiply it.
func TestHostileArrowSchema(t *testing.T) {
	inner := arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8})
	message := func(fields ...arrow.Field) []byte {
		var out bytes.Buffer
		if err := ipc.NewWriter(&out, ipc.WithSchema(arrow.NewSchema(fields, nil))).Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	put := func(a *arrowBuffer, at, to int) { binary.LittleEndian.PutUint32(a.b[at:], uint32(to-at)) }

	loop := message(arrow.Field{Name: "s", Type: inner})
	a, schema := openArrow(loop)
	table := a.list(schema, schemaFields)[0]
	at, _ := a.count(table, fieldChildren)
	put(a, at, table)

	many := []arrow.Field{{Name: strings.Repeat("long ", 20_000), Type: inner}}
	for range 2000 {
		many = append(many, arrow.Field{Name: "s", Type: inner})
	}
	shared := message(many...)
	a, schema = openArrow(shared)
	tables := a.list(schema, schemaFields)
	long := 0
	for _, f := range tables {
		if to := a.follow(a.slot(f, fieldName)); a.u32(to) > 1000 {
			long = to
		}
	}
	n := 0
	for _, f := range tables {
		if at := a.slot(f, fieldName); at < long {
			put(a, at, long)
			n++
		}
	}
	if n < 1000 {
		t.Fatalf("%d fields share the text", n)
	}
	for name, b := range map[string][]byte{"loop": loop, "shared": shared} {
		if soundArrow(b) {
			t.Errorf("%s: taken for sound", name)
		}
		if _, err := extendArrow(base64.StdEncoding.EncodeToString(b), nil); err == nil || err.Error() != "ARROW:schema is damaged" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
