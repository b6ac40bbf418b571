package table

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/internal/format/cell"
	"skyjoin/internal/pyref"
	"skyjoin/io/catalog"
)

// allTypes is a table with a column of each type, its nulls, and its extremes.
func allTypes() []catalog.Column {
	null := []bool{false, true, false, false}
	field := func(name string, t catalog.Type) catalog.Field {
		return catalog.Field{Name: name, Type: t, Nullable: true, Unit: "mag", UCD: "phot.mag;em.opt", Description: "a \"quoted\" <text> of " + name}
	}
	ints := func(name string, t catalog.Type, v ...int64) catalog.Column {
		return catalog.Column{Field: field(name, t), Int64: v, Null: null}
	}
	uints := func(name string, t catalog.Type, v ...uint64) catalog.Column {
		return catalog.Column{Field: field(name, t), Uint64: v, Null: null}
	}
	elem := func(t catalog.Type) *catalog.Field {
		return &catalog.Field{Name: "element", Type: t, Nullable: true}
	}
	list := func(name string, e catalog.Column, offset ...int64) catalog.Column {
		f := field(name, catalog.List)
		f.Elem = &e.Field
		return catalog.Column{Field: f, List: &catalog.Lists{Offset: offset, Elem: e}}
	}
	return []catalog.Column{
		{Field: field("f64", catalog.Float64), Float64: []float64{0.1, 0, -5e-324, math.Inf(1)}, Null: null},
		{Field: field("f32", catalog.Float32), Float32: []float32{0.1, 0, math.SmallestNonzeroFloat32, float32(math.Inf(-1))}, Null: null},
		ints("i64", catalog.Int64, math.MaxInt64, 0, math.MinInt64+1, 5853498713190525696),
		ints("i32", catalog.Int32, math.MaxInt32, 0, math.MinInt32, 7),
		ints("i16", catalog.Int16, math.MaxInt16, 0, -7, 7),
		ints("i8", catalog.Int8, math.MaxInt8, 0, math.MinInt8, 7),
		uints("u32", catalog.Uint32, math.MaxUint32, 0, 0, 7),
		uints("u16", catalog.Uint16, math.MaxUint16, 0, 0, 7),
		uints("u8", catalog.Uint8, math.MaxUint8, 0, 0, 7),
		{Field: field("b", catalog.Bool), Bool: []bool{true, false, false, true}, Null: null},
		{Field: field("s", catalog.String), String: []string{"a, \"b\"", "", "αβ 'γ'", "x"}, Null: null},
		{Field: catalog.Field{Name: "all", Type: catalog.Int16}, Int64: []int64{math.MinInt16, math.MaxInt16, 0, 1}},
		list("lf", catalog.Column{Field: *elem(catalog.Float64), Float64: []float64{0.1, 2, 3, 4, 5}}, 0, 2, 2, 5, 5),
		list("li", catalog.Column{Field: *elem(catalog.Int32), Int64: []int64{1, 0, 3, 4, 5, 6, 7, 8}, Null: []bool{false, true, false, false, false, false, false, false}}, 0, 2, 4, 6, 8),
		list("ls", catalog.Column{Field: *elem(catalog.String), String: []string{"a", "b,\"c\""}}, 0, 2, 2, 2, 2),
	}
}

// shown are the values of a column as text; an empty list and a null one are
// the same, as FITS does not tell them apart, and a list of strings may be its
// text.
func shown(t *testing.T, c *catalog.Column) (rows []string) {
	t.Helper()
	for i := range c.Len() {
		if c.Field.Type == catalog.Timestamp && !c.IsNull(i) { // text in other formats than Parquet
			rows = append(rows, string(cell.AppendTime(nil, c.Float64[i])))
			continue
		}
		if c.List == nil {
			rows = append(rows, show(c, i))
			continue
		}
		raw := rawColumn(c)
		item, err := cell.Item(rawField(*c.Field.Elem), ',')
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, string(cell.AppendList(nil, &raw, i, item)))
	}
	return rows
}

func readAll(t *testing.T, path string) []catalog.Column {
	t.Helper()
	cat := open(t, path)
	var names []string
	for _, f := range cat.Fields() {
		names = append(names, f.Name)
	}
	cols, err := cat.ReadAll(ctx, names, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cols
}

// same compares tables, value by value, and what fields say but their types.
func same(t *testing.T, what string, want, got []catalog.Column, notes bool) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%s: %d columns, want %d", what, len(got), len(want))
	}
	for i := range want {
		f, g := want[i].Field, got[i].Field
		if f.Name != g.Name || notes && (f.Unit != g.Unit || f.UCD != g.UCD || f.Description != g.Description) {
			t.Errorf("%s: %+v became %+v", what, f, g)
		}
		if a, b := shown(t, &want[i]), shown(t, &got[i]); !slices.Equal(a, b) {
			t.Errorf("%s: %s: %q became %q", what, f.Name, a, b)
		}
	}
}

func TestWriteFormats(t *testing.T) {
	meta := []catalog.KeyValue{{Key: "skyjoin.columns", Value: "ra,dec"}, {Key: "ORIGIN", Value: "it's & that"}, {Key: "note", Value: "two\nlines, " + strings.Repeat("long ", 40)}}
	for _, ext := range []string{".fits", ".vot", ".ecsv", ".xml", ".parquet"} {
		cols := allTypes()
		out := filepath.Join(t.TempDir(), "t"+ext)
		if err := Write(ctx, out, cols, Options{Metadata: meta}); err != nil {
			t.Errorf("%s: %v", ext, err)
			continue
		}
		same(t, ext, cols, readAll(t, out), true)
		got := slices.DeleteFunc(slices.Clone(open(t, out).Metadata()), func(kv catalog.KeyValue) bool { return kv.Key == "ARROW:schema" })
		if !slices.Equal(got, meta) {
			t.Errorf("%s: metadata %q, want %q", ext, got, meta)
		}
	}
}

// TestConvertChain converts a table from format to format and back.
func TestConvertChain(t *testing.T) {
	cols := allTypes()
	dir := t.TempDir()
	last := filepath.Join(dir, "0.fits")
	if err := Write(ctx, last, cols, Options{}); err != nil {
		t.Fatal(err)
	}
	for i, ext := range []string{".vot", ".parquet", ".ecsv", ".fits", ".parquet", ".vot", ".fits", ".ecsv", ".parquet", ".csv"} {
		next := filepath.Join(dir, fmt.Sprint(i+1)+ext)
		if _, err := Append(ctx, next, open(t, last), nil, Options{}); err != nil {
			t.Fatalf("%s → %s: %v", last, next, err)
		}
		same(t, ext, cols, readAll(t, next), ext != ".csv")
		last = next
	}
}

func TestWriteLimits(t *testing.T) {
	u := []catalog.Column{{Field: catalog.Field{Name: "u", Type: catalog.Uint64}, Uint64: []uint64{math.MaxUint64, 0}}}
	dir := t.TempDir()
	if err := Write(ctx, filepath.Join(dir, "u.vot"), u, Options{}); err == nil || !strings.Contains(err.Error(), "18446744073709551615") {
		t.Errorf("2^64-1 in VOTable: %v", err)
	}
	if err := Write(ctx, filepath.Join(dir, "u.fits"), u, Options{}); err != nil {
		t.Error(err)
	}
	same(t, "unsigned", u, readAll(t, filepath.Join(dir, "u.fits")), true)
	full := []catalog.Column{{Field: catalog.Field{Name: "i", Type: catalog.Int64, Nullable: true}, Int64: []int64{math.MinInt64, math.MaxInt64, 0}, Null: []bool{false, false, true}}}
	if err := Write(ctx, filepath.Join(dir, "i.fits"), full, Options{}); err == nil || !strings.Contains(err.Error(), "null") {
		t.Errorf("no integer left for null: %v", err)
	}
	if err := Write(ctx, filepath.Join(dir, "i.vot"), full, Options{}); err != nil {
		t.Error(err)
	}
	same(t, "full", full, readAll(t, filepath.Join(dir, "i.vot")), true)
	none := []catalog.Column{{Field: catalog.Field{Name: "s", Type: catalog.String, Nullable: true}}, {Field: catalog.Field{Name: "x", Type: catalog.Float64}}}
	for _, ext := range []string{".fits", ".vot", ".ecsv"} {
		path := filepath.Join(dir, "none"+ext)
		if err := Write(ctx, path, none, Options{}); err != nil {
			t.Error(err)
		}
		if cat := open(t, path); cat.Rows() != 0 || len(cat.Fields()) != 2 {
			t.Errorf("no rows in %s: %d × %d", ext, cat.Rows(), len(cat.Fields()))
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// TestConvertReal adds labels to real files in other formats than theirs.
func TestConvertReal(t *testing.T) {
	for _, name := range []string{"gaia_dr3_archive.vot", "pyia_gdr2_sm.fits", "4lac_dr3_h.fits", "gaia_dr3_archive.ecsv", "gaia_dr3_cone.parquet", "gaia_epoch_arrays.ecsv",
		"gaiaxpy_xp/gxp_XP.csv", "gaia_dr3_cone_writers/duckdb_decimal_list_struct.parquet", "spicy_yso.parquet"} {
		in := testData(t, name)
		for _, ext := range []string{".fits", ".vot", ".ecsv", ".parquet"} {
			if ext == ".parquet" && strings.HasSuffix(name, ext) {
				continue // copied as it is
			}
			out := appendTo(t, ext, in)
			a, b := open(t, in), open(t, out)
			sameRows(t, a, b)
			checkNotes(t, a, b)
		}
	}
}

// sameRows compares the columns of a with those of b. NaN is null: FITS has one
// value for both, ECSV one for nulls and empty strings.
func sameRows(t *testing.T, a, b *catalog.Catalog) {
	t.Helper()
	missing := func(s string) string {
		if s == "NaN" || s == "nan" || s == "" {
			return "null"
		}
		return strings.TrimRight(strings.ReplaceAll(s, "NaN", "null"), " ")
	}
	x, y := readAll(t, a.Files()[0].Path), readAll(t, b.Files()[0].Path)
	for i := range x {
		p, q := shown(t, &x[i]), shown(t, &y[i])
		for row := range p {
			if missing(p[row]) != missing(q[row]) {
				t.Fatalf("%s: %s: row %d: %s became %s", b.Files()[0].Path, x[i].Field.Name, row, p[row], q[row])
			}
		}
	}
}

func checkNotes(t *testing.T, a, b *catalog.Catalog) {
	t.Helper()
	blanks := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for i, f := range a.Fields() {
		if g := b.Fields()[i]; f.Unit != g.Unit || f.UCD != g.UCD || blanks(f.Description) != blanks(g.Description) {
			t.Errorf("%s: %+v became %+v", a.Files()[0].Path, f, g)
		}
	}
}

// astropy runs a script with the library, the independent reader and writer of
// these formats.
func astropy(t *testing.T, script string, args ...string) string {
	t.Helper()
	python := pyref.Need(t, "astropy")
	cmd := exec.Command(python, append([]string{"-W", "ignore", "-c", script}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("astropy: %v\n%s", err, out)
	}
	return string(out)
}

// astropyFormats are the names of the formats.
var astropyFormats = map[string]string{".fits": "fits", ".vot": "votable", ".ecsv": "ascii.ecsv"}

const printTable = `
import sys
import numpy as np
from astropy.table import Table
t = Table.read(sys.argv[1], format=sys.argv[2])
def text(v):
    if np.ma.is_masked(v): return "null"
    if isinstance(v, bytes): return v.decode()
    if isinstance(v, (bool, np.bool_)): return str(bool(v)).lower()
    if isinstance(v, (float, np.floating)): return "null" if np.isnan(v) else float(v).hex()
    return str(v)
for n in t.colnames:
    c = t[n]
    if n[0] == "l" and c.dtype == object or c.ndim > 1: continue
    print(n, c.unit, *[text(v) for v in c], sep="|")
`

// TestAstropyReads lets astropy read what is written.
func TestAstropyReads(t *testing.T) {
	cols := allTypes()
	for i := range cols {
		if cols[i].Field.Name == "s" {
			cols[i].String[2] = "greek" // astropy takes characters of FITS and VOTable for ASCII
		}
	}
	want := map[string][]string{}
	for i := range cols {
		if cols[i].List != nil {
			continue
		}
		for row := range cols[i].Len() {
			v := show(&cols[i], row)
			switch c := &cols[i]; {
			case c.IsNull(row):
			case c.Float64 != nil:
				v = pythonHex(c.Float64[row])
			case c.Float32 != nil:
				v = pythonHex(float64(c.Float32[row]))
			}
			want[cols[i].Field.Name] = append(want[cols[i].Field.Name], v)
		}
	}
	for ext, format := range astropyFormats {
		out := filepath.Join(t.TempDir(), "t"+ext)
		if err := Write(ctx, out, cols, Options{Metadata: []catalog.KeyValue{{Key: "skyjoin.eps", Value: "1.5\n'x'"}}}); err != nil {
			t.Fatal(err)
		}
		got := map[string][]string{}
		for line := range strings.Lines(astropy(t, printTable, out, format)) {
			cells := strings.Split(strings.TrimSuffix(line, "\n"), "|")
			got[cells[0]] = cells[2:]
			if cells[0] != "all" && cells[1] != "mag" {
				t.Errorf("%s: %s has the unit %s", ext, cells[0], cells[1])
			}
		}
		for name, w := range want {
			w = slices.Clone(w)
			switch { // the nulls that astropy does not know of
			case name == "b" && ext == ".fits":
				w[1] = "false"
			case name == "s" && ext == ".vot":
				w[1] = ""
			}
			if !slices.Equal(w, got[name]) {
				t.Errorf("%s: %s: astropy reads %q, want %q", ext, name, got[name], w)
			}
		}
	}
}

// pythonHex is float.hex of Python for the values of the test.
func pythonHex(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return hexOf(v)
}

func hexOf(v float64) string {
	m := math.Float64bits(v)
	exp, frac := int(m>>52&0x7ff), m&(1<<52-1)
	sign := ""
	if m>>63 == 1 {
		sign = "-"
	}
	if exp == 0 {
		return fmt.Sprintf("%s0x0.%013xp-1022", sign, frac)
	}
	return fmt.Sprintf("%s0x1.%013xp%+d", sign, frac, exp-1023)
}

// TestAstropyWrites reads what astropy writes.
func TestAstropyWrites(t *testing.T) {
	dir := t.TempDir()
	astropy(t, `
import sys
import numpy as np
from astropy.table import Table, MaskedColumn
t = Table()
t["id"] = np.array([5853498713190525696, -1, 7])
t["f"] = MaskedColumn(np.array([0.1, 2, 3], dtype=np.float32), mask=[0, 1, 0], unit="mas", description="what it is")
t["i"] = MaskedColumn(np.array([1, 2, -32768], dtype=np.int16), mask=[0, 1, 0])
t["s"] = np.array(["a", "bcd", "e f"])
t["b"] = np.array([True, False, True])
t["v"] = np.arange(6, dtype=np.float64).reshape(3, 2)
t.write(sys.argv[1] + "/t.fits")
t.write(sys.argv[1] + "/t.fits.gz", format="fits")
t.write(sys.argv[1] + "/t.ecsv", format="ascii.ecsv")
for f in "tabledata", "binary2", "binary":
    if f == "binary2": t["i"] = t["i"].filled(0) # it writes no nulls of integers there
    t.write(sys.argv[1] + "/" + f + ".vot", format="votable", tabledata_format=f)
`, dir)
	for _, name := range []string{"t.fits", "t.fits.gz", "t.ecsv", "tabledata.vot", "binary.vot", "binary2.vot"} {
		var got []string
		cols := readAll(t, filepath.Join(dir, name))
		for i := range cols {
			got = append(got, fmt.Sprint(cols[i].Field.Name, shown(t, &cols[i])))
		}
		want := []string{"id[5853498713190525696 -1 7]", "f[0.1 null 3]", "i[1 null -32768]", "s[a bcd e f]", "b[true false true]", "v[[0,1] [2,3] [4,5]]"}
		if strings.HasPrefix(name, "binary") {
			want[2] = "i[1 0 -32768]"
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if f := cols[1].Field; f.Unit != "mas" || f.Description != "what it is" {
			t.Errorf("%s: f is %+v", name, f)
		}
	}
}
