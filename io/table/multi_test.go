package table

import (
	"encoding/base64"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"skyjoin/io/catalog"
)

// writeTable writes a table of its own for a test and returns its name.
func writeTable(t *testing.T, opt Options, cols ...catalog.Column) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "in.parquet")
	if err := Write(ctx, out, cols, opt); err != nil {
		t.Fatal(err)
	}
	return out
}

func numbersFrom(name string, first, n int) catalog.Column {
	c := catalog.Column{Field: catalog.Field{Name: name, Type: catalog.Int64, Unit: "m"}, Int64: make([]int64, n)}
	for i := range c.Int64 {
		c.Int64[i] = int64(first + i)
	}
	return c
}

func TestAppendHATS(t *testing.T) {
	root := testData(t, "hats_small_sky")
	for _, dir := range []string{
		"small_sky/dataset/Norder=0/Dir=0",
		"small_sky_order1_collection/small_sky_order1/dataset/Norder=1/Dir=0",
		"small_sky_order1_nested_sources/catalog/dataset/Norder=1/Dir=0",
		"small_sky_order1_no_pandas_meta/dataset/Norder=1/Dir=0",
		"small_sky_order1_source_collection/small_sky_order1_source/dataset/Norder=1/Dir=0",
	} {
		inputs, err := filepath.Glob(filepath.Join(root, dir, "*.parquet"))
		if err != nil || len(inputs) == 0 {
			t.Fatalf("no files in %s", dir)
		}
		rows := rowsOf(t, inputs...)
		out := appendFiles(t, labels(rows), Options{}, inputs...)
		checkCopied(t, out, inputs...)
		checkLabels(t, out, rows)
	}
}

// TestAppendFiles puts together files with the columns in another order, and
// with no rows.
func TestAppendFiles(t *testing.T) {
	a := writeTable(t, Options{}, numbersFrom("x", 0, 10), numbersFrom("y", 100, 10))
	b := writeTable(t, Options{}, numbersFrom("y", 110, 5), numbersFrom("x", 10, 5))
	empty := writeTable(t, Options{}, numbersFrom("x", 0, 0), numbersFrom("y", 0, 0))
	out := appendFiles(t, labels(15), Options{}, a, empty, b)
	checkLabels(t, out, 15)
	for _, c := range []catalog.Column{numbersFrom("x", 0, 15), numbersFrom("y", 100, 15)} {
		if got, _ := readColumn[int64](t, out, c.Field.Name); !slices.Equal(got, c.Int64) {
			t.Errorf("%s = %v", c.Field.Name, got)
		}
	}
	none := appendFiles(t, labels(0), Options{}, empty)
	if c, _ := readColumn[int32](t, none, "cluster"); len(c) != 0 {
		t.Errorf("cluster has %d rows", len(c))
	}
}

func TestAppendRefusesOtherSchemas(t *testing.T) {
	nullable := numbersFrom("x", 0, 3)
	nullable.Field.Nullable = true
	short := numbersFrom("x", 0, 3)
	short.Field.Type = catalog.Int16
	a := writeTable(t, Options{}, numbersFrom("x", 0, 3))
	for _, c := range []struct {
		what string
		cols []catalog.Column
		want string
	}{
		{"nullability", []catalog.Column{nullable}, `column "x" of`},
		{"type", []catalog.Column{short}, "differ in type"},
		{"a column more", []catalog.Column{numbersFrom("x", 0, 3), numbersFrom("z", 0, 3)}, `has a column "z"`},
		{"another column", []catalog.Column{numbersFrom("z", 0, 3)}, `has no column "x"`},
	} {
		b := writeTable(t, Options{}, c.cols...)
		cat, err := catalog.Open(ctx, []string{a, b}, catalog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Append(ctx, filepath.Join(t.TempDir(), "out.parquet"), cat, nil, Options{})
		if !errors.Is(err, catalog.ErrRequest) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), b) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestAppendKeepsMetadata checks key-values, and that the Arrow schema has the
// old and the new fields.
func TestAppendKeepsMetadata(t *testing.T) {
	in := writeTable(t, Options{Metadata: []catalog.KeyValue{{Key: "skyjoin.eps", Value: "old"}, {Key: "origin", Value: "Gaia"}, {Key: "other.eps", Value: "old"}}}, numbersFrom("x", 0, 3))
	out := appendFiles(t, []Column{{Name: "d", Float64: []float64{1, 2, 3}, Unit: "arcsec"}},
		Options{Metadata: []catalog.KeyValue{{Key: "skyjoin.eps", Value: "new"}, {Key: "skyjoin.star", Value: "false"}}, Replaced: "other."}, in)
	kvs := openArrow(t, out).MetaData().KeyValueMetadata()
	keys := kvs.Keys()
	if want := []string{"ARROW:schema", "skyjoin.eps", "origin", "skyjoin.star"}; !slices.Equal(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
	for key, want := range map[string]string{"skyjoin.eps": "new", "origin": "Gaia", "skyjoin.star": "false"} {
		if got := kvs.FindValue(key); got == nil || *got != want {
			t.Errorf("%s = %v, want %q", key, got, want)
		}
	}
	s := readArrow(t, *kvs.FindValue("ARROW:schema"))
	if s.NumFields() != 2 || s.Field(0).Metadata.FindKey("unit") != 0 || s.Field(1).Name != "d" || s.Field(1).Metadata.Values()[0] != "arcsec" {
		t.Errorf("Arrow schema %v", s)
	}
}

func readArrow(t *testing.T, s string) *arrow.Schema {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReader(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	return r.Schema()
}

func TestAdditions(t *testing.T) {
	adds, err := additions([]Column{{Name: "cluster", Int32: []int32{5, 6}, Rows: []uint32{3, 1}}, {Name: "cluster", Int32: make([]int32, 4)}}, 4,
		[]string{"cluster", "cluster_1"})
	if err != nil {
		t.Fatal(err)
	}
	if adds[0].field.Name != "cluster_2" || adds[1].field.Name != "cluster_3" {
		t.Errorf("names %q, %q", adds[0].field.Name, adds[1].field.Name)
	}
	// Rows in any order, seen through windows.
	for lo := int64(0); lo <= 4; lo++ {
		for hi := lo; hi <= 4; hi++ {
			b := adds[0].block(lo, hi)
			for i := lo; i < hi; i++ {
				want, isNull := map[int64]int64{1: 6, 3: 5}[i], i != 1 && i != 3
				if b.Int64[i-lo] != want || b.Null[i-lo] != isNull {
					t.Errorf("[%d, %d): row %d is %d, null %v", lo, hi, i, b.Int64[i-lo], b.Null[i-lo])
				}
			}
		}
	}
	for what, c := range map[string]Column{
		"a row twice":           {Int32: []int32{1, 2}, Rows: []uint32{2, 2}},
		"a row beyond the end":  {Int32: []int32{1}, Rows: []uint32{4}},
		"too few values":        {Int32: []int32{1}},
		"more rows than values": {Int32: []int32{1}, Rows: []uint32{0, 1}},
	} {
		if _, err := additions([]Column{c}, 4, nil); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
}
