package catalog

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

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

func TestNaturalOrder(t *testing.T) {
	want := []string{"a", "file", "file2", "file02", "file10", "file10b", "file10b/x", "file11", "file100", "g/1", "g/2", "g/10"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, natural)
	// Equal numbers differ in zeros only: the order by bytes.
	want = []string{"a", "file", "file02", "file2", "file10", "file10b", "file10b/x", "file11", "file100", "g/1", "g/2", "g/10"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{
		"d/part10.parquet", "d/part2.PARQUET", "d/sub/part1.parquet", "d/_metadata", "d/.part3.parquet.tmp", "d/_old/part4.parquet",
		"d/.hidden/part5.parquet", "d/partition_info.csv", "d/properties", "t/b2.csv", "t/b10.csv", "t/_b3.csv", "t/.b4.csv", "e/README", "odd[1].parquet",
	} {
		path := filepath.Join(dir, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ path, want, err string }{
		{"d", "d/part2.PARQUET d/part10.parquet d/sub/part1.parquet", ""},
		{"t", "t/b2.csv t/b10.csv", ""},
		{"t/b*.csv", "t/b2.csv t/b10.csv", ""},
		{"t/*", "t/b2.csv t/b10.csv", ""},
		{"t/_*", "t/_b3.csv", ""},
		{`t/\_*`, "t/_b3.csv", ""},
		{"t/_b3.csv", "t/_b3.csv", ""},
		{"d/*/*.parquet", "d/sub/part1.parquet", ""},
		{"d/.h*/*", "d/.hidden/part5.parquet", ""},
		{"t/*b4*", "", "start with _ or ."},
		{"[dt]", "d/part2.PARQUET d/part10.parquet d/sub/part1.parquet t/b2.csv t/b10.csv", ""},
		{"odd[1].parquet", "odd[1].parquet", ""},
		{"e", "", "no catalog files in this directory"},
		{"none.parquet", "", "no such file or directory"},
		{"none*.parquet", "", "no file matches"},
		{"[", "", "bad pattern"},
	} {
		got, err := Expand([]string{filepath.Join(dir, c.path)})
		for i := range got {
			got[i] = strings.TrimPrefix(filepath.ToSlash(got[i]), filepath.ToSlash(dir)+"/")
		}
		if strings.Join(got, " ") != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v; want %q, %q", c.path, got, err, c.want, c.err)
		}
	}
	if _, err := Expand(nil); !errors.Is(err, ErrRequest) {
		t.Errorf("no paths: %v", err)
	}
}

// Rows are numbered over the files in the order given; columns of one name
// widen where that is exact.
func TestSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	i32 := func(v ...int32) writtenColumn {
		return writtenColumn{node: primitive("n", required, nil, parquet.Types.Int32, -1), values: v}
	}
	f32 := func(v ...float32) writtenColumn {
		return writtenColumn{node: primitive("x", required, nil, parquet.Types.Float, -1), values: v}
	}
	u32 := func(v ...int32) writtenColumn {
		return writtenColumn{node: primitive("n", required, schema.NewIntLogicalType(32, false), parquet.Types.Int32, -1), values: v}
	}
	write := func(name string, cols ...writtenColumn) string {
		path := filepath.Join(dir, name)
		writeParquet(t, path, []int{2}, cols)
		return path
	}
	a := write("a.parquet", i32(-1, 2), f32(0.1, 0.2))
	b := write("b.parquet", nullableColumn("x", 0.1, math.NaN()), int64Column("n", 1<<60, 4))
	u := write("u.parquet", u32(-1, 7), f32(1, 2))
	c := open(t, b, a, u, a)
	if c.Rows() != 8 || len(c.Files()) != 4 || c.Files()[1].Path != a || c.Files()[1].Rows != 2 {
		t.Fatalf("%d rows in %+v", c.Rows(), c.Files())
	}
	cols := read(t, c, "n", "x")
	if want := []int64{1 << 60, 4, -1, 2, 1<<32 - 1, 7, -1, 2}; !slices.Equal(cols[0].Int64, want) || cols[0].Field.Type != Int64 {
		t.Errorf("n: %v %v", cols[0].Field.Type, cols[0].Int64)
	}
	if x := cols[1]; x.Field.Type != Float64 || x.Float64[0] != 0.1 || !x.IsNull(1) || x.Float64[2] != float64(float32(0.1)) || x.nulls() != 1 {
		t.Errorf("x: %v %v", x.Field.Type, x.Float64)
	}
	float := write("float.parquet", float64Column("n", 1, 2))
	if _, err := Open(context.Background(), []string{a, float}, Options{}); err == nil || !strings.Contains(err.Error(), "float.parquet: column n is float64, in "+a+" it is int32") {
		t.Errorf("an id that is a float in the second file: %v", err)
	}
	lacks := write("lacks.parquet", i32(1, 2))
	c = open(t, a, lacks)
	if _, err := c.Read(context.Background(), []string{"x"}, nil); !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), `lacks.parquet: there is no column "x"`) {
		t.Errorf("a column that the second file lacks: %v", err)
	}
	if got := read(t, c, "n")[0].Int64; !slices.Equal(got, []int64{-1, 2, 1, 2}) {
		t.Errorf("the column that both have: %v", got)
	}
	if _, err := c.Summary(context.Background()); err != nil {
		t.Error(err)
	}
}

// Names are exact: no folding of case, no prefixes, and a dot is a letter
// before it is a path.
func TestNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.parquet")
	inner := primitive("b", required, nil, parquet.Types.Double, -1)
	other := primitive("c", required, nil, parquet.Types.Double, -1)
	a := schema.MustGroup(schema.NewGroupNode("s", required, schema.FieldList{inner, other}, -1))
	root := []writtenColumn{
		float64Column("a", 1), float64Column("aa", 2), float64Column("s.b", 3), float64Column("RA", 4), float64Column("ra", 5),
	}
	writeStruct(t, path, root, a, []float64{6}, []float64{7})
	c := open(t, path)
	for name, want := range map[string]float64{"a": 1, "aa": 2, "s.b": 3, "RA": 4, "ra": 5, "s.c": 7} {
		if col := read(t, c, name)[0]; col.Float64[0] != want || col.Field.Name != name {
			t.Errorf("%s: %v in %s, want %v", name, col.Float64, col.Field.Name, want)
		}
	}
	for name, want := range map[string]string{
		"Dec": `there is no column "Dec"; there are a, aa, s.b, RA, ra`, "Ra": "did you mean RA, ra?", "s.d": "did you mean s.b, s.c", "a[0]": "not a list", "": "there are a",
	} {
		if _, err := c.Field(name); !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	if _, _, err := c.Detect(); !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), "RA or ra") {
		t.Errorf("RA and ra: %v", err)
	}
}

// writeStruct writes root columns, then a struct of two columns.
func writeStruct(t *testing.T, path string, root []writtenColumn, s schema.Node, b, c []float64) {
	t.Helper()
	writeParquet(t, path, []int{len(b)}, append(root, writtenColumn{node: s, values: b}, writtenColumn{values: c}))
}

func TestDetect(t *testing.T) {
	ucd := func(names ...string) (cols []writtenColumn, meta []KeyValue) {
		for _, n := range names {
			name, u, _ := strings.Cut(n, "|")
			cols = append(cols, float64Column(name, 1))
			meta = append(meta, KeyValue{name + ".ucd", u})
		}
		return cols, meta
	}
	for i, c := range []struct {
		names           []string
		ra, dec, reason string
	}{
		{[]string{"id", "ra", "dec"}, "ra", "dec", ""},
		{[]string{"RA_ICRS", "DE_ICRS", "pmRA", "pmDE"}, "RA_ICRS", "DE_ICRS", ""},
		{[]string{"RAdeg", "DEdeg"}, "RAdeg", "DEdeg", ""},
		{[]string{"_RAJ2000", "_DEJ2000"}, "_RAJ2000", "_DEJ2000", ""},
		{[]string{"RA", "Dec"}, "RA", "Dec", ""},
		{[]string{"ra", "dec", "lon|pos.eq.ra;meta.main", "lat|pos.eq.dec;meta.main"}, "lon", "lat", ""},
		{[]string{"ra", "dec", "lon|pos.eq.ra", "lat|pos.eq.dec"}, "lon", "lat", ""},
		{[]string{"lon|POS_EQ_RA_MAIN", "lat|POS_EQ_DEC_MAIN", "e|stat.error;pos.eq.ra"}, "lon", "lat", ""},
		{[]string{"ra", "dec", "RAJ2000", "DEJ2000"}, "ra", "dec", "ra or RAJ2000"},
		{[]string{"a|pos.eq.ra;meta.main", "b|pos.eq.ra;meta.main", "c|pos.eq.dec;meta.main"}, "a", "c", "a or b"},
		{[]string{"RA", "ra", "dec"}, "RA", "dec", "RA or ra"},
		{[]string{"x", "y"}, "", "", "no columns are recognised"},
	} {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.parquet", i))
		cols, meta := ucd(c.names...)
		writeParquetMeta(t, path, []int{1}, cols, meta)
		cat := open(t, path)
		ra, dec, err := cat.Detect()
		if ra != c.ra || dec != c.dec || (err != nil) != (c.reason != "") || err != nil && (!errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), c.reason)) {
			t.Errorf("%v: %s, %s, %v", c.names, ra, dec, err)
		}
		if err == nil && (!cat.IsSky([]string{ra, dec, "id"}) || cat.IsSky([]string{dec, ra}) || cat.IsSky([]string{ra})) {
			t.Errorf("%v: IsSky is wrong", c.names)
		}
	}
}

func TestCancelledRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.parquet")
	writeParquet(t, path, []int{1, 1, 1}, []writtenColumn{float64Column("x", 1, 2, 3)})
	c := open(t, path)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Read(ctx, []string{"x"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Read: %v", err)
	}
	if _, err := Open(ctx, []string{path}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v", err)
	}
}

func TestChangedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.parquet")
	writeParquet(t, path, []int{3}, []writtenColumn{float64Column("x", 1, 2, 3)})
	c := open(t, path)
	writeParquet(t, path, []int{30}, []writtenColumn{float64Column("x", make([]float64, 30)...)})
	if _, err := c.Read(context.Background(), []string{"x"}, nil); err == nil || !strings.Contains(err.Error(), "the file has changed") {
		t.Errorf("%v", err)
	}
}

func TestHATS(t *testing.T) {
	for dir, want := range map[string]int64{
		"hats_small_sky/small_sky": 131, "hats_small_sky/small_sky_npix_as_dir": 131, "hats_small_sky/small_sky_order1_no_pandas_meta": 131,
	} {
		c := open(t, dataFile(t, dir))
		if c.Rows() != want {
			t.Errorf("%s has %d rows, want %d", dir, c.Rows(), want)
		}
		if ra, dec, err := c.Detect(); ra != "ra" || dec != "dec" || err != nil {
			t.Errorf("%s: position %s, %s, %v", dir, ra, dec, err)
		}
	}
	c := open(t, dataFile(t, "hats_small_sky/small_sky_order1_nested_sources/catalog"))
	var lists []string
	for _, f := range c.Fields() {
		if f.Type == List {
			lists = append(lists, f.Name+"[0]")
		}
	}
	if len(lists) == 0 || c.Rows() != 131 {
		t.Fatalf("%d rows, lists %q", c.Rows(), lists)
	}
	for i, col := range read(t, c, lists...) {
		if col.nulls() == col.Len() {
			t.Errorf("%s: all null", lists[i])
		}
	}
}

func TestOtherRealCatalogs(t *testing.T) {
	for file, want := range map[string]struct {
		rows    int64
		ra, dec string
	}{
		"gcvs.parquet": {59099, "ra", "dec"}, "spicy_yso.parquet": {117446, "RAdeg", "DEdeg"},
	} {
		c := open(t, dataFile(t, file))
		ra, dec, err := c.Detect()
		if c.Rows() != want.rows || ra != want.ra || dec != want.dec || err != nil {
			t.Errorf("%s: %d rows, %s, %s, %v", file, c.Rows(), ra, dec, err)
		}
		for _, f := range c.Fields() {
			read(t, c, f.Name)
		}
		if _, err := c.Summary(context.Background()); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
