package table

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/internal/format/cell"
	"skyjoin/io/catalog"
)

func open(t *testing.T, paths ...string) *catalog.Catalog {
	t.Helper()
	cat, err := catalog.Open(ctx, paths, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cat.Close() })
	return cat
}

// appendTo adds labels to a catalog, in the format of an extension.
func appendTo(t *testing.T, extension string, paths ...string) string {
	t.Helper()
	cat := open(t, paths...)
	out := filepath.Join(t.TempDir(), "out"+extension)
	var rows int64
	names, err := Append(ctx, out, cat, labels(cat.Rows()), Options{Progress: func(n int64) { rows += n }})
	if err != nil {
		t.Fatal(err)
	}
	if rows != cat.Rows() || !slices.Equal(names, []string{"cluster", "core", "neighbors"}) {
		t.Errorf("progress of %d rows, %d there; names %q", rows, cat.Rows(), names)
	}
	return out
}

// lines writes a text file for a test.
func lines(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// sameColumns compares all values of the columns of a in b, bit by bit.
func sameColumns(t *testing.T, a, b *catalog.Catalog) {
	t.Helper()
	var names []string
	for _, f := range a.Fields() {
		if f.Type != catalog.Unsupported && f.Type != catalog.List {
			names = append(names, f.Name)
		}
	}
	x, err := a.Read(ctx, names, nil)
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.Read(ctx, names, nil)
	if err != nil {
		t.Fatal(err)
	}
	for j, name := range names {
		if x[j].Len() != y[j].Len() {
			t.Fatalf("%s: %d and %d rows", name, x[j].Len(), y[j].Len())
		}
		for i := range x[j].Len() {
			if p, q := show(&x[j], i), show(&y[j], i); p != q {
				t.Fatalf("%s: row %d: %s and %s", name, i, p, q)
			}
		}
	}
}

// show returns a value so that equal text is an equal value, whatever the
// width of its type.
func show(c *catalog.Column, i int) string {
	switch {
	case c.IsNull(i):
		return "null"
	case c.Float64 != nil:
		return string(cell.AppendFloat(nil, c.Float64[i], 64))
	case c.Float32 != nil:
		return string(cell.AppendFloat(nil, float64(c.Float32[i]), 32))
	case c.Int64 != nil:
		return fmt.Sprint(c.Int64[i])
	case c.Uint64 != nil:
		return fmt.Sprint(c.Uint64[i])
	case c.Bool != nil:
		return fmt.Sprint(c.Bool[i])
	}
	return c.String[i]
}

func TestAppendCSVVerbatim(t *testing.T) {
	for _, c := range []struct{ what, in, want string }{
		{"digits, quotes, comments and units",
			"# note, one\nid,ra,\"na,me\",mag\n,deg,,mag\n007,0.10,\"a \"\"b\"\"\nc\",1e5\n\n# between\n8,-0,, 2.50 \n",
			"# note, one\nid,ra,\"na,me\",mag,cluster,core,neighbors\n,deg,,mag,,,\n007,0.10,\"a \"\"b\"\"\nc\",1e5,-1,true,0\n8,-0,, 2.50 ,0,false,1000000007\n"},
		{"another delimiter and CR LF", "a;b\r\n1,5;x\r\n2;y", "a;b;cluster;core;neighbors\r\n1,5;x;-1;true;0\r\n2;y;0;false;1000000007\r\n"},
		{"CR alone", "a,b\r1,2\r3,4\r", "a,b,cluster,core,neighbors\r1,2,-1,true,0\r3,4,0,false,1000000007\r"},
		{"rows left out", "a,b\n0,0\n1,1\n2,2\n3,3\n", "a,b,cluster,core,neighbors\n0,0,-1,true,0\n1,1,0,false,1000000007\n2,2,1,false,2000000014\n3,3,,,\n"},
		{"names in a comment", "# x y\n# a,b\n1,2\n", "# x y\na,b,cluster,core,neighbors\n1,2,-1,true,0\n"},
		{"no rows", "a,b\n", "a,b,cluster,core,neighbors\n"},
	} {
		out := appendTo(t, ".csv", lines(t, "in.csv", c.in))
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.want {
			t.Errorf("%s: got\n%q\nwant\n%q", c.what, got, c.want)
		}
	}
}

func TestAppendCSVRealFiles(t *testing.T) {
	for _, name := range []string{"asteca_gaia_field.csv", "shapley_galaxies.csv", "koi_cumulative.csv", "htru2_pulsars.csv", "gaia_comment_csv.csv"} {
		in := testData(t, name)
		out := appendTo(t, ".csv", in)
		a, b := open(t, in), open(t, out)
		if len(b.Fields()) != len(a.Fields())+3 {
			t.Errorf("%s: %d columns became %d", name, len(a.Fields()), len(b.Fields()))
		}
		sameColumns(t, a, b)
		for i, f := range a.Fields() {
			if g := b.Fields()[i]; g.Unit != f.Unit || g.Type != f.Type {
				t.Errorf("%s: %s: %v %q became %v %q", name, f.Name, f.Type, f.Unit, g.Type, g.Unit)
			}
		}
	}
}

func TestAppendTextToParquet(t *testing.T) {
	for _, name := range []string{"asteca_gaia_field.csv", "koi_cumulative.csv", "iris.arff", "gaia_dr3_archive.ecsv"} {
		in := testData(t, name)
		out := appendTo(t, ".parquet", in)
		checkFooter(t, out)
		a, b := open(t, in), open(t, out)
		sameColumns(t, a, b)
		checkLabels(t, out, a.Rows())
		for i, f := range a.Fields() {
			if g := b.Fields()[i]; g.Unit != f.Unit || g.Type != f.Type || g.Description != strings.TrimSpace(f.Description) {
				t.Errorf("%s: %+v became %+v", name, f, g)
			}
		}
	}
}

func TestAppendParquetToCSV(t *testing.T) {
	cone := testData(t, "gaia_dr3_cone.parquet")
	want, err := os.ReadFile(appendTo(t, ".csv", cone))
	if err != nil {
		t.Fatal(err)
	}
	a, b := open(t, cone), open(t, appendTo(t, ".csv", cone))
	sameColumns(t, a, b)
	// The same rows by other writers are the same text.
	for _, name := range []string{"arrowrs_v2_zstd_rg700.parquet", "polars_zstd.parquet", "duckdb_v2_zstd.parquet"} {
		got, err := os.ReadFile(appendTo(t, ".csv", testData(t, "gaia_dr3_cone_writers", name)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s gives other text", name)
		}
	}
}

func TestParquetToCSVNested(t *testing.T) {
	in := testData(t, "gaia_dr3_cone_writers", "duckdb_decimal_list_struct.parquet")
	got, err := os.ReadFile(appendTo(t, ".csv", in))
	if err != nil {
		t.Fatal(err)
	}
	text := string(got)
	for _, want := range []string{
		"source_id,ra,dec,parallax,g,phot_variable_flag,DESIGNATION,pm_vec,phot.bp,phot.rp,ref_time,release,astrometric_primary_flag,cluster,core,neighbors\n" +
			// A decimal with its zeros, a list, two fields of a struct, a time, a date.
			`4295806720,44.996155379,0.005615226,0.3543,17.641,NOT_AVAILABLE,Gaia DR3 4295806720,"[11.93835156938502,-4.0806193394130865]",18.080235,17.061232,2016-01-01T00:00:00,2022-06-13,false,-1,true,0` + "\n",
	} {
		if !strings.HasPrefix(text, want) {
			t.Errorf("got\n%s\nwant\n%s", text[:len(want)], want)
		}
	}
}

// TestConvertSeveral writes inputs of two formats and of other columns.
func TestConvertSeveral(t *testing.T) {
	a := lines(t, "a.csv", "x,name\n1,α\n2,\n")
	b := lines(t, "b.csv", "name,x\nβ,3\n")
	out := appendTo(t, ".csv", a, b)
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if want := "x,name,cluster,core,neighbors\n1,α,-1,true,0\n2,,0,false,1000000007\n3,β,1,false,2000000014\n"; string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestAppendSuffix labels an output again.
func TestAppendSuffix(t *testing.T) {
	first := appendTo(t, ".parquet", lines(t, "a.csv", "x\n1\n2\n"))
	out := filepath.Join(t.TempDir(), "again.parquet")
	names, err := Append(ctx, out, open(t, first), labels(2), Options{})
	if err != nil || !slices.Equal(names, []string{"cluster_1", "core_1", "neighbors_1"}) {
		t.Fatalf("names %q, %v", names, err)
	}
	var got []string
	for _, f := range open(t, out).Fields() {
		got = append(got, f.Name)
	}
	if want := []string{"x", "cluster", "core", "neighbors", "cluster_1", "core_1", "neighbors_1"}; !slices.Equal(got, want) {
		t.Errorf("columns %q, want %q", got, want)
	}
	checkCopied(t, out, first)
	if _, err := Append(ctx, first, open(t, first), labels(2), Options{Force: true}); !errors.Is(err, catalog.ErrRequest) {
		t.Errorf("an input is overwritten: %v", err)
	}
}

// TestCSVReadsBack writes the nastiest values as CSV and reads them.
func TestCSVReadsBack(t *testing.T) {
	out := filepath.Join(t.TempDir(), "t.csv")
	cols := []catalog.Column{
		{Field: catalog.Field{Name: "#f, \"x\"", Type: catalog.Float64, Nullable: true}, Null: []bool{false, false, false, true, false, false},
			Float64: []float64{0.1, math.NaN(), math.Inf(-1), 0, 5e-324, math.Copysign(0, -1)}},
		{Field: catalog.Field{Name: "s", Type: catalog.String, Nullable: true}, Null: []bool{false, false, false, false, true, false},
			String: []string{"", " a ", "null", "#c", "", "x\r\ny,\"z\""}},
		{Field: catalog.Field{Name: "u", Type: catalog.Uint64}, Uint64: []uint64{math.MaxUint64, 0, 1, 2, 3, 4}},
	}
	if err := Write(ctx, out, cols, Options{}); err != nil {
		t.Fatal(err)
	}
	back, err := open(t, out).Read(ctx, []string{cols[0].Field.Name, "s", "u"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for j := range cols {
		for i := range 6 {
			if a, b := show(&cols[j], i), show(&back[j], i); a != b {
				t.Errorf("%s: row %d: %q became %q", cols[j].Field.Name, i, a, b)
			}
		}
	}
	one := filepath.Join(t.TempDir(), "one.csv")
	if err := Write(ctx, one, []catalog.Column{{Field: cols[1].Field, Null: []bool{true, false}, String: []string{"", "a"}}}, Options{}); err != nil {
		t.Fatal(err)
	}
	if n := open(t, one).Rows(); n != 2 {
		t.Errorf("a column that starts with a null has %d rows of 2", n)
	}
}

// TestNumbersAsNames copies tables with names that are numbers: beside comments that
// could have the names, they are read again as names.
func TestNumbersAsNames(t *testing.T) {
	for _, in := range []string{
		"4,:\n# a note, of two cells\n# another, of two cells\n", // moved above the names it would name the columns
		"# as many cells, as, with the, added, ones\nra,1\nx,y\n",
		"# as many cells, as, with the, added, ones\nra,\"1\"\n\"a, b\",2\n",
		"ra,2020-01-01\n# %ECSV 1.0\n1,a\n", // a comment that makes another form of it where it comes first
		"\"1\",\"2\",\"10:30:00\"\n3,4,5\n",
	} {
		path := lines(t, "in.csv", in)
		from := open(t, path)
		plain := filepath.Join(t.TempDir(), "plain.csv")
		if _, err := Append(ctx, plain, from, nil, Options{}); err != nil {
			t.Fatal(err)
		}
		for _, copied := range []string{plain, appendTo(t, ".csv", path), appendTo(t, ".parquet", path)} {
			out := open(t, copied)
			if out.Rows() != from.Rows() {
				t.Errorf("%q: %d rows of %d in %s", in, out.Rows(), from.Rows(), filepath.Base(copied))
			}
			sameColumns(t, from, out)
		}
	}
	cols := []catalog.Column{numbersFrom("1", 5, 3), numbersFrom("2", 7, 3)}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := Write(ctx, path, cols, Options{}); err != nil {
		t.Fatal(err)
	}
	if f := open(t, path).Fields(); f[0].Name != "1" || f[1].Name != "2" {
		t.Errorf("the names 1 and 2 are read as %q and %q", f[0].Name, f[1].Name)
	}
	for _, name := range []string{"a|b", "|", ";;", "a\tb\tc"} { // of one column, not of several
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := Write(ctx, path, []catalog.Column{numbersFrom(name, 5, 3), numbersFrom("x", 1, 3)}, Options{}); err != nil {
			t.Fatal(err)
		}
		if f := open(t, path).Fields(); len(f) != 2 || f[0].Name != name {
			t.Errorf("the names %q and x are read as %v", name, f)
		}
	}
	headless := lines(t, "in.csv", "\"1\",\"2\"\n\"3\",\"4\"\n")
	if _, err := catalog.Open(ctx, []string{headless}, catalog.Options{}); err == nil || !strings.Contains(err.Error(), "--names a,b") {
		t.Errorf("a table of numbers in quotes without names: %v", err)
	}
}
