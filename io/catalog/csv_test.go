package catalog

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/internal/format"

	"github.com/google/go-cmp/cmp"
)

// writeText writes a file for a test and returns its path.
func writeText(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// table renders a catalog for comparison: a line per column, with its name,
// type, unit and values, · for null.
func table(t testing.TB, c *Catalog) string {
	t.Helper()
	var names []string
	for _, f := range c.Fields() {
		names = append(names, f.Name)
	}
	var out strings.Builder
	cols, err := c.ReadAll(context.Background(), names, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, col := range cols {
		f := c.Fields()[i]
		fmt.Fprintf(&out, "%s %v", f.Name, f.Type)
		if f.Nullable {
			out.WriteString("?")
		}
		if f.Unit != "" {
			fmt.Fprintf(&out, " [%s]", f.Unit)
		}
		out.WriteString(":")
		for r := range int(c.Rows()) {
			switch {
			case col.IsNull(r):
				out.WriteString(" ·")
			case col.List != nil:
				e := col.List.Elem
				out.WriteString(" [")
				for k := col.List.Offset[r]; k < col.List.Offset[r+1]; k++ {
					fmt.Fprintf(&out, "%s;", e.text(int(k)))
				}
				out.WriteString("]")
			case col.String != nil:
				fmt.Fprintf(&out, " %q", col.String[r])
			default:
				out.WriteString(" " + col.text(r))
			}
		}
		out.WriteString("\n")
	}
	return out.String()
}

func lines(s ...string) string { return strings.Join(s, "\n") + "\n" }

func TestCSV(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
	}{
		{"plain", "ra,dec,id,name\n10.5,-3.25,7,a\n11,3,8,b\n", lines(
			"ra float64: 10.5 11", "dec float64: -3.25 3", "id int64: 7 8", `name string: "a" "b"`)},
		{"line ends", "a,b\r1,2\r\n3,4\n5,6", lines("a int64: 1 3 5", "b int64: 2 4 6")},
		{"byte order mark", "\xef\xbb\xbfa,b\n1,2\n", lines("a int64: 1", "b int64: 2")},
		{"semicolon", "a;b\n1,5;2\n", lines(`a string: "1,5"`, "b int64: 2")},
		{"tab", "a\tb c\n1\t x y \n", lines("a int64: 1", `b c string: "x y"`)},
		{"bar", "a|b\n1|2\n", lines("a int64: 1", "b int64: 2")},
		{"one column", "a\n1\n\n2\n", lines("a int64: 1 2")},
		{"quotes", "a,\"b,\"\"c\"\"\"\n\"x\ny\",\"1\"\n \"p\" , 2 \n", lines(`a string: "x\ny" "p"`, `b,"c" int64: 1 2`)},
		{"bare quotes", "a,b\n5' 12\",2\n", lines(`a string: "5' 12\""`, "b int64: 2")},
		{"nulls", "f,i,s,q\n,,,\"\"\nnull,NULL,Null,\"null\"\n1.5,3,x,y\n", lines(
			"f float64?: · · 1.5", "i int64?: · · 3", `s string?: · · "x"`, `q string: "" "null" "y"`)},
		{"quoted empties beside numbers are null", "a,b\n\"\",\"\"\n1,true\n", lines("a int64?: · 1", "b bool?: · true")},
		{"nan and inf", "a,b\nnan,1\nNaN,2\n-inf,nan\n+Infinity,4\n", lines("a float64: NaN NaN -Inf +Inf", "b float64: 1 2 NaN 4")},
		{"nan beside wide integers is null", "id\n5188146736371635584\nnan\n", lines("id int64?: 5188146736371635584 ·")},
		{"the ends of the integers", "i,u,h,m\n-9223372036854775808,18446744073709551615,18446744073709551616,-1\n9223372036854775807,0,1,18446744073709551615\n", lines(
			"i int64: -9223372036854775808 9223372036854775807", "u uint64: 18446744073709551615 0",
			`h string: "18446744073709551616" "1"`, `m string: "-1" "18446744073709551615"`)},
		{"wide integers beside floats", "a\n1e3\n9007199254740993\n", lines("a float64: 1000 9.007199254740992e+15")},
		{"bools", "a,b,c\ntrue,True,true\nFALSE,false,0\n", lines("a bool: true false", "b bool: true false", `c string: "true" "0"`)},
		{"codes", "a,b,c\n007,0,0.5\n010,-0,00.5\n", lines(`a string: "007" "010"`, "b float64: 0 -0", "c float64: 0.5 0.5")},
		{"forms of numbers", "a\n+1\n.5\n5.\n-1E+3\n1e-300\n2.2250738585072011e-308\n", lines("a float64: 1 0.5 5 -1000 1e-300 2.225073858507201e-308")},
		{"no numbers", "a,b,c,d,e\n1e999,0x10,1_000,.,1e\n1,1,1,1,1\n", lines(
			`a string: "1e999" "1"`, `b string: "0x10" "1"`, `c string: "1_000" "1"`, `d string: "." "1"`, `e string: "1e" "1"`)},
		{"no values", "a,b\n,1\n,2\n", lines("a float64?: · ·", "b int64: 1 2")},
		{"no rows", "a,b\n", lines("a float64:", "b float64:")},
		{"no line end", "a,b", lines("a float64:", "b float64:")},
		{"unnamed columns", ",a,\n0,1,2\n", lines("col1 int64: 0", "a int64: 1", "col3 int64: 2")},
		{"comments", "# note\n\n#a,b\na,b\n#x\n1,2\n# y\n\"#\",4\n#", lines(`a string: "1" "#"`, "b int64: 2 4")},
		{"names in a comment", "# from numpy\n# ra,dec\n1,2\n3,4\n", lines("ra int64: 1 3", "dec int64: 2 4")},
		{"Latin-1", "nom d\xe9\n\xe9toile\n", lines(`nom dé string: "étoile"`)},
		// C41.
		{"units", "# note\nra,dec,mag\ndeg,deg,mag\n10.5,-3.25,18.2\n11.0,-3.0,19.0\n", lines(
			"ra float64 [deg]: 10.5 11", "dec float64 [deg]: -3.25 -3", "mag float64 [mag]: 18.2 19")},
		{"units of some", "name,ra,v,e\n,deg,[km s^-1],---\nx,1,2,3\n", lines(
			`name string: "x"`, "ra int64 [deg]: 1", "v int64 [[km s^-1]]: 2", "e int64: 3")},
		{"units without rows", "ra,dec\ndeg,deg\n", lines("ra float64 [deg]:", "dec float64 [deg]:")},
		{"texts that read as units", "class,filter\nK,G\nM,G\n", lines(`class string: "K" "M"`, `filter string: "G" "G"`)},
		{"texts that read as units beside numbers", "class,mag\nK,\nM,5\n", lines(`class string: "K" "M"`, "mag int64?: · 5")},
		{"lists", "v,w,x\n\"[1, 2]\",\"(1.5, nan)\",\"[1,2]\"\n\"[3,null,5]\",,text\n", lines("v list: [1;2;] [3;;5;]", "w list?: [1.5;NaN;] ·", `x string: "[1,2]" "text"`)},
		{"no lists", "v,w,x\n(1),[1 2],\"(1,a)\"\n", lines(`v string: "(1)"`, `w string: "[1 2]"`, `x string: "(1,a)"`)},
		{"a bad first row", "ra,dec\nabc,deg\n1,2\n", lines(`ra string: "abc" "1"`, `dec string: "deg" "2"`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := table(t, open(t, writeText(t, "t.csv", c.text)))
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestCSVErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"blank", "\n \n", "there is no line of column names, only comments and empty lines"},
		{"comments only", "# a\n", "there is no line of column names, only comments and empty lines"},
		{"ragged", "# c\na,b\n1,2\n\n3\n", "line 5: the row has 1 cell, 3; there are 2 columns"},
		{"ragged after quoted line ends", "a,b\n\"1\n\n\",2\n3,4,5\n", "line 5: the row has 3 cells, there are 2 columns"},
		{"ragged below units", "a,b\ndeg,deg\n1,2\n3,4,5\n", "line 4: the row has 3 cells, there are 2 columns"},
		{"no names", "1,2.5\n3,4\n", "line 1: numbers stand where the column names should: 1,2.5; add a line of names, or name the 2 columns with --names a,b"},
		{"open quote", "a,b\n1,2\n3,\"x\n5,6\n", "line 3: a quote is opened in this row and never closed"},
		{"open quote in the names", "a,\"b\n1,2\n", `line 1: a quote is never closed in a,"b`},
		{"garbage", "a,b\n1,2\n\"3\"x,4\n", "line 3: text follows the closing quote of cell 1"},
		{"utf-16", "\xff\xfea\x00,\x00b\x00\n\x00", "the text is UTF-16, UTF-8 is needed: iconv -f UTF-16 -t UTF-8"},
		{"binary", "a\x00b,c\n", "the file is binary, not a table of text"},
		{"xml", "<?xml version='1.0'?>\n<html>\n", "it is XML, but no VOTable, not a catalog"},
	} {
		path := writeText(t, "t.csv", c.text)
		_, err := Open(context.Background(), []string{path}, Options{})
		if err == nil || err.Error() != path+": "+c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

func TestCSVSentinels(t *testing.T) {
	path := writeText(t, "t.csv", "mag,id,s\n-999,1,N/A\nN/A,N/A,x\n18.5,-999,y\n")
	c, err := Open(context.Background(), []string{path}, Options{Null: []string{"-999", "N/A"}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(lines("mag float64?: · · 18.5", "id int64?: 1 · ·", `s string?: · "x" "y"`), table(t, c)); d != "" {
		t.Error(d)
	}
}

// A bad cell must be named when its column is wanted as numbers.
func TestCSVBadCell(t *testing.T) {
	path := writeText(t, "t.csv", "ra,dec\n1,2\n3,4\n5,6 N\n7,8\n9,x\n")
	c := open(t, path)
	_, err := c.Select(context.Background(), Request{Columns: []string{"ra", "dec"}})
	want := fmt.Sprintf("column dec is string (%s, line 4 has %q); coordinates are numbers", path, "6 N")
	if !errors.Is(err, ErrRequest) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Types that were found in one file yield to what another file shows.
func TestCSVFilesAgree(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"integers and floats", "m\n18\n", "m\n18.5\n", "m float64: 18 18.5\n"},
		{"no values and strings", "m,n\n,1\n", "m,n\nMARCS,2\n", lines(`m string?: · "MARCS"`, "n int64: 1 2")},
		{"no rows", "m\n", "m\ntrue\n", "m bool: true\n"},
		{"integers and strings", "m\n7\n", "m\nx\n", `m string: "7" "x"` + "\n"},
		{"nan and wide integers", "m\nnan\n", "m\n9007199254740993\n", "m int64?: · 9007199254740993\n"},
		{"unsigned", "m\n1\n", "m\n18446744073709551615\n", "m uint64: 1 18446744073709551615\n"},
		{"quoted empties", "m,n\n\"\",1\n", "m,n\nx,2\n", lines(`m string: "" "x"`, "n int64: 1 2")},
	} {
		a, b := writeText(t, "a.csv", c.a), writeText(t, "b.csv", c.b)
		if d := cmp.Diff(c.want, table(t, open(t, a, b))); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	for _, c := range []struct{ name, datatype, a, b, want string }{
		{"declared float64", "float64", "1.5", "2", "m float64: 1.5 2\n"},
		{"declared float32", "float32", "1.5", "2", "m float64: 1.5 2\n"},
		{"declared int16", "int16", "1", "2", "m int64: 1 2\n"},
		{"declared string", "string", "x", `""`, `m string: "x" ""` + "\n"},
	} {
		a := writeText(t, "a.ecsv", "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: m, datatype: "+c.datatype+"}\nm\n"+c.a+"\n")
		b := writeText(t, "b.csv", "m\n"+c.b+"\n")
		if d := cmp.Diff(c.want, table(t, open(t, a, b))); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	a := writeText(t, "a.ecsv", "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: m, datatype: float64}\nm\n1\n")
	b := writeText(t, "b.csv", "m\nx\n")
	_, err := Open(context.Background(), []string{a, b}, Options{})
	if want := fmt.Sprintf("%s: column m is string, in %s it is float64; one column must have one type", b, a); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// manyRows is a CSV file of several blocks, with quoted line ends, and its sum.
func manyRows(rows int) (text string, sum float64) {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("x,s,i\n")
	for i := range rows {
		x := float64(r.IntN(1e6)) / 64
		sum += x
		fmt.Fprintf(&b, "%v,\"row\r\n%d\",%d\n", x, i, i)
		if i%1000 == 0 {
			b.WriteString("# comment\n\n")
		}
	}
	return b.String(), sum
}

func TestCSVBlocks(t *testing.T) {
	const rows = 150_000
	text, sum := manyRows(rows)
	if len(text) < 3<<20 {
		t.Fatalf("%d bytes are too few blocks", len(text))
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{writeText(t, "t.csv", text), writeText(t, "t.csv.gz", z.String()), writeText(t, "t.csv", format.ByteOrderMark+text)} {
		for _, threads := range []int{1, 4} {
			c, err := Open(context.Background(), []string{path}, Options{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			if c.Rows() != rows {
				t.Fatalf("%s: %d rows, want %d", path, c.Rows(), rows)
			}
			cols := read(t, c, "i", "x", "s")
			got := 0.0
			for i := range rows {
				got += cols[1].Float64[i]
				if cols[0].Int64[i] != int64(i) || cols[2].String[i] != fmt.Sprintf("row\r\n%d", i) {
					t.Fatalf("row %d has i = %d, s = %q", i, cols[0].Int64[i], cols[2].String[i])
				}
			}
			if got != sum {
				t.Errorf("the sum is %v, want %v", got, sum)
			}
		}
	}
}

func TestCSVErrorFarDown(t *testing.T) {
	text, _ := manyRows(100_000)
	count := strings.Count(text, "\n")
	for _, threads := range []int{1, 3} {
		path := writeText(t, "t.csv", text+"1,2\n"+text[6:]+"3,4\n")
		_, err := Open(context.Background(), []string{path}, Options{Threads: threads})
		if want := fmt.Sprintf("%s: line %d: the row has 2 cells, there are 3 columns", path, count+1); err == nil || err.Error() != want {
			t.Errorf("%d threads: got %v, want %s", threads, err, want)
		}
	}
}

// Compressed data that end early must not pass for a shorter table.
func TestCSVTruncated(t *testing.T) {
	text, _ := manyRows(50_000)
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{5, 40, z.Len() / 2, z.Len() - 1} {
		path := writeText(t, "t.csv.gz", z.String()[:n])
		_, err := Open(context.Background(), []string{path}, Options{})
		if want := path + ": the compressed data ends early: the file is truncated"; err == nil || err.Error() != want {
			t.Errorf("%d of %d bytes: got %v, want %s", n, z.Len(), err, want)
		}
	}
}

func TestCSVFileChanged(t *testing.T) {
	for _, after := range []string{"a,b\n1,2\n", "a,b\n1,2\n3,4\n5,6\n", "a,b\n1,2\n3,\n", "a,b\n1,2\n3,x\n", "a,b\n1,2\n3,4,5\n"} {
		path := writeText(t, "t.csv", "a,b\n1,2\n3,4\n")
		c := open(t, path)
		if err := os.WriteFile(path, []byte(after), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(context.Background(), []string{"a", "b"}, nil); !errors.Is(err, format.ErrChanged) {
			t.Errorf("%q: %v", after, err)
		}
	}
}

// The numbers of rows and sums are those of an independent reader.
func TestRealText(t *testing.T) {
	for _, c := range []struct {
		file          string
		rows, columns int
	}{
		{"shapley_galaxies.csv", 4215, 5},
		{"asteca_gaia_field.csv", 8683, 14},
		{"asteca_gaia_members.csv", 1428, 15},
		{"htru2_pulsars.csv", 17898, 9},
		{"koi_cumulative.csv", 9564, 50},
		{"iris.arff", 150, 5},
		{"gaia_dr3_archive.ecsv", 5, 153},
		{"gaia_epoch_arrays.ecsv", 3, 50},
		{"gaiaxpy_xp/gxp_XP.csv", 2, 26},
		{"gaiaxpy_xp/gxp_XP.ecsv", 2, 26},
		{"gaia_comment_csv.csv", 5, 8},
	} {
		cat := open(t, dataFile(t, c.file))
		if cat.Rows() != int64(c.rows) || len(cat.Fields()) != c.columns {
			t.Errorf("%s: %d rows × %d columns, want %d × %d", c.file, cat.Rows(), len(cat.Fields()), c.rows, c.columns)
		}
		table(t, cat) // reads every value
	}
}

func TestRealClasses(t *testing.T) {
	for _, c := range []struct {
		file, column string
		want         map[string]int
	}{
		{"koi_cumulative.csv", "koi_disposition", map[string]int{"FALSE POSITIVE": 4841, "CANDIDATE": 2424, "CONFIRMED": 2299}},
		{"htru2_pulsars.csv", "class", map[string]int{"0": 16259, "1": 1639}},
		{"iris.arff", "class", map[string]int{"Iris-setosa": 50, "Iris-versicolor": 50, "Iris-virginica": 50}},
		{"gaiaxpy_xp/gxp_XP.csv", "source_id", map[string]int{"5853498713190525696": 1, "5762406957886626816": 1}},
		{"gaiaxpy_xp/gxp_XP.ecsv", "source_id", map[string]int{"5853498713190525696": 1, "5762406957886626816": 1}},
		{"gaia_comment_csv.csv", "libname_gspphot", map[string]int{"": 3, "MARCS": 2}},
	} {
		col := read(t, open(t, dataFile(t, c.file)), c.column)[0]
		got := map[string]int{}
		for i := range col.Len() {
			got[col.text(i)]++
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s %s: %s", c.file, c.column, d)
		}
	}
}

func TestRealSkips(t *testing.T) {
	c := open(t, dataFile(t, "asteca_gaia_field.csv"))
	s, err := c.Select(context.Background(), Request{Columns: []string{"RA_ICRS", "DE_ICRS", "pmRA", "pmDE", "Plx"}, Sky: true})
	if err != nil {
		t.Fatal(err)
	}
	if s.Total != 8683 || s.Points.Len() != 8683-65 {
		t.Errorf("%d of %d rows are usable, want all but 65 of 8683", s.Points.Len(), s.Total)
	}
	mean := 0.0
	plx := s.Points.Column(4)
	for i := range plx.Len() {
		mean += plx.At(i)
	}
	if mean /= float64(plx.Len()); math.IsNaN(mean) || mean < 0 || mean > 2 {
		t.Errorf("mean parallax %v mas", mean)
	}
}

// C13: a null is no position.
func TestCSVNullIsNotZero(t *testing.T) {
	c := open(t, writeText(t, "t.csv", "ra,dec\n10,0\n,\n0,0\n"))
	s, err := c.Select(context.Background(), Request{Columns: []string{"ra", "dec"}, Sky: true})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Rows, []uint32{0, 2}) || s.Points.Column(0).At(0) != 10 || s.Points.Column(0).At(1) != 0 {
		t.Errorf("rows %v are used, want 0 and 2", s.Rows)
	}
}

// BenchmarkCSV measures, in bytes of the file, opening one with ten columns of
// numbers as Gaia writes them, and reading three of them.
func BenchmarkCSV(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	text.WriteString("source_id,ra,dec,parallax,pmra,pmdec,g,bp,rp,n\n")
	for range 100_000 {
		fmt.Fprintf(&text, "%d,%v,%v,%v,%v,%v,%.6f,%.6f,%.6f,%d\n", r.Int64(), r.Float64()*360, r.Float64()*180-90, r.NormFloat64(), r.NormFloat64(), r.NormFloat64(),
			r.Float64()*20, r.Float64()*20, r.Float64()*20, r.IntN(1000))
	}
	path := writeText(b, "t.csv", text.String())
	b.Run("Open", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			if _, err := Open(context.Background(), []string{path}, Options{Threads: 1}); err != nil {
				b.Fatal(err)
			}
		}
	})
	c, err := Open(context.Background(), []string{path}, Options{Threads: 1})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Read", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			if _, err := c.Read(context.Background(), []string{"ra", "dec", "g"}, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// A value that --null names is a sentinel in every format.
func TestSentinelsAreCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	writeParquet(t, path, []int{5}, []writtenColumn{nullableColumn("mag", -999, 18, -999, math.NaN(), 99.5)})
	for _, path := range []string{path, writeText(t, "t.csv", "mag,id\n-999,1\n18,2\n-999,3\n,4\n99.5,5\n")} {
		c, err := Open(t.Context(), []string{path}, Options{Null: []string{"-999", "99.5"}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.Select(t.Context(), Request{Columns: []string{"mag"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range s.Skipped {
			if k.Why == WhySentinel && (k.Rows != 3 || !slices.Equal(k.First, []int64{0, 2, 4})) || k.Why != WhySentinel && (k.Rows != 1 || k.First[0] != 3) {
				t.Errorf("%s: %+v", path, k)
			}
		}
		if len(s.Skipped) != 2 {
			t.Errorf("%s: %+v", path, s.Skipped)
		}
	}
}
