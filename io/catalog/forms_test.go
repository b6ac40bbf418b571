package catalog

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skyjoin/internal/pyref"
)

// formFiles are small tables in every form of text, and how they read: format,
// columns with their units, values.
var formFiles = []struct{ file, format, want string }{
	{"commented.dat", "ascii", "ra float64: 10.1 10.2\ndec float64: 20.1 20.2\nmag int64: 15 16\n"},
	{"words.txt", "ascii", "ra float64: 10.5 11\ndec float64: -3 -3.1\nname string: \"a\" \"b\"\n"},
	{"mixed.dat", "ascii", "name string: \"M31\" \"NGC 224\" \"M33\"\nra float64: 10.6847 10.6847 23.4621\ndec float64?: 41.26875 · ·\n"},
	{"numpy.txt", "ascii", "ra float64 [deg]: 10 11\ndec float64 [deg]: -2 -2.5\nn string: \"0012\" \"0013\"\n"},
	{"numbered.cat", "ascii", "ra float64: 10.5 11.5\ndec float64: -3 -3.5\nmag int64?: 9 ·\n"},
	{"semicolons.dat", "csv", "id int64: 1 2\nra float64 [deg]: 10.5 11\ndec float64? [deg]: -3.25 ·\nname string: \"a;b\" \"c\"\n"},
	{"tabs.tab", "csv", "id int64: 1 2\nra float64: 10.5 11\nmag float64?: · 9.5\n"},
	{"vizier.tsv", "vizier", "_RAJ2000 float64 [deg]: 10.684793 10.7\n_DEJ2000 float64 [deg]: 41.269065 41.3\n2MASS string: \"00424433+4116085\" \"00424800+4118000\"\nJmag float64? [mag]: 9.453 ·\n"},
	{"columns.mrt", "cds", lines(`Name string: "HD 1" "HD 2" "HD 3"`, "RAh int64 [h]: 0 10 10", "RAm int64 [min]: 42 30 30", "RAs float64 [s]: 44.33 0.5 0.6",
		`DE- string: "+" "-" "-"`, "DEd int64 [deg]: 41 0 0", "DEm int64 [arcmin]: 16 30 30", "DEs float64 [arcsec]: 7.5 15 15", "Bmag float64? [mag]: 9.453 · -1.5", "Code int64?: 7 · 12")},
	{"cds/table2.dat", "cds", "ID int64: 1 2\nRAdeg float64 [deg]: 10.6847 359.9999\nDEdeg float64 [deg]: 41.2688 -41.2688\nFlag string?: \"a\" ·\n"},
	{"deluxe.tex", "latex", "Name string: \"NGC 104\" \"M 31\"\nra float64 [deg]: 10.5 11\ndec float64? [deg]: -3.25 ·\n"},
	{"tabular.tex", "latex", "Name string: \"NGC 104\" \"M 31\"\nra float64 [deg]: 10.5 11\ndec float64? [deg]: -3.25 ·\n"},
	{"short.tbl", "ipac", "ra float64 [deg]: 10.1\ndec float64 [deg]: 20.1\n"},
	{"nulls.tbl", "ipac", "ra float64 [deg]: 10.5 11\ndec float64 [deg]: -3 -3.1\nname string: \"a\" \"b\"\n"},
	{"sentinel.tbl", "ipac", "id int64: 7 12\nra float64? [deg]: 10 ·\nname string?: · \"x y\"\n"},
	{"sextractor.cat", "sextractor", "NUMBER int64: 1 2\nFLUX_APER float64 [count]: 10.5 11.5\nFLUX_APER_1 float64 [count]: 20.25 21.25\nALPHA_J2000 float64 [deg]: 10.6847 10.7\nDELTA_J2000 float64 [deg]: 41.26875 -0.3\n"},
	{"daophot.mag", "daophot", lines("ID int64: 14 18", "XCENTER float64 [pixels]: 138.538 18.114", "YCENTER float64 [pixels]: 256.405 280.17", "MAG float64 [magnitudes]: 15.461 22.329",
		"MERR float64? [magnitudes]: 0.003 ·", "MSKY float64 [counts]: 34.85955 30.12784", "NITER int64: 4 4", "SHARPNESS float64: -0.032 -2.544", "CHI float64: 0.802 1.104",
		"PIER int64: 0 0", `PERROR string [perrors]: "No_error" "No_error"`)},
	{"apertures.mag", "daophot", lines("ID int64: 1 2", "XCENTER float64 [pixels]: 10.5 11.5", "YCENTER float64 [pixels]: 20.5 21.5", "RAPERT float64 [scale]: 3 3",
		"MAG float64 [mags]: 15.5 16.5", "RAPERT2 float64 [scale]: 5 5", "MAG2 float64? [mags]: 15.2 ·")},
	{"types.rdb", "rdb", "id int64: 7 8\nra float64?: 10.5 ·\nname string: \"007\" \"x y\"\n"},
	{"rule.txt", "fixed", "id int64: 1 2 3\nname string: \"Star one\" \"Ä b\" \"c\"\nmag float64?: 9.5 10.25 ·\n"},
	{"units.txt", "fixed", "_RAJ2000 float64 [deg]: 10.684793 10.7\n_DEJ2000 float64 [deg]: 41.269065 -0.3\nName string?: \"M 31\" ·\nJmag float64? [mag]: 9.453 ·\n"},
	{"rst.txt", "fixed", "id int64: 1 2\nname string: \"Star one\" \"b\"\nmag float64: 9.5 10.2\n"},
	{"bars.txt", "fixed", "id int64: 1 2\nname string?: \"Star one\" ·\nmag float64: 9.5 10.2\n"},
	{"markdown.txt", "fixed", "id int64: 1 2\nname string: \"Star one\" \"b\"\nmag float64: 9.5 10.2\n"},
	{"psql.txt", "fixed", "id int64: 1 2\nname string?: \"Star one\" ·\nmag float64: 9.5 10.2\n"},
	{"ecsv.ecsv", "ecsv", "id int64: 1 2\nra float64? [deg]: 10.5 ·\nname string: \"Star one\" \"b\"\n"},
	{"weka.arff", "arff", "ra float64?: 10.5 ·\nthe name string: \"Star one\" \"b\"\n"},
}

func TestForms(t *testing.T) {
	for _, f := range formFiles {
		c := open(t, filepath.Join("testdata/forms", f.file))
		if got := c.Files()[0].Format; got != f.format {
			t.Errorf("%s: read as %s, it is %s", f.file, got, f.format)
		}
		if d := cmp.Diff(f.want, table(t, c)); d != "" {
			t.Errorf("%s: %s", f.file, d)
		}
	}
}

// What a header says besides names and units is kept, too.
func TestFormsDescribed(t *testing.T) {
	for _, f := range []struct{ file, column, description, key, value string }{
		{"vizier.tsv", "_RAJ2000", "Right ascension", "", ""},
		{"columns.mrt", "Bmag", "Magnitude in B, on two lines (1)", "title", "A table of stars"},
		{"sextractor.cat", "FLUX_APER_1", "Flux vector within fixed circular aperture(s)", "", ""},
		{"daophot.mag", "ID", "", "IRAF", "NOAO/IRAFV2.10EXPORT"},
		{"sentinel.tbl", "ra", "", "origin", "an archive"},
		{"types.rdb", "id", "", "comments", "# from an archive"},
	} {
		c := open(t, filepath.Join("testdata/forms", f.file))
		col, err := c.Field(f.column)
		if err != nil || col.Description != f.description {
			t.Errorf("%s: %s is described %q, %v", f.file, f.column, col.Description, err)
		}
		found := f.key == ""
		for _, kv := range c.Metadata() {
			found = found || kv == KeyValue{f.key, f.value}
		}
		if !found {
			t.Errorf("%s: %s = %s is not among %v", f.file, f.key, f.value, c.Metadata())
		}
	}
}

// Files that do not say what they are can be misread: they are refused, with what
// helps, or the user says how they are written.
func TestFormsByRequest(t *testing.T) {
	for _, f := range []struct {
		name, text string
		opt        Options
		want, fail string
	}{
		{"numbers", "1 2.5\n3 4\n", Options{}, "", "line 1: numbers stand where the column names should: 1 2.5; add a line of names, or name the 2 columns with --names a,b"},
		{"numbers, named", "1 2.5\n3 4\n", Options{Names: []string{"x", "y"}}, "x int64: 1 3\ny float64: 2.5 4\n", ""},
		{"commas, named", "1,2.5\n3,4\n", Options{Names: []string{"x", "y"}}, "x int64: 1 3\ny float64: 2.5 4\n", ""},
		{"too few names", "1 2.5\n3 4\n", Options{Names: []string{"x"}}, "", "--names has 1 name, line 1 has 2 cells"},
		{"a first row of data", "M31 10.5\nM32 11.5\n", Options{}, "", "line 1: the first row, M31 10.5, is no line of names: 10.5 stands where the next row has 11.5; add a line of names, or name the 2 columns with --names a,b"},
		{"a first row of data, with commas", "M31,10.5\nM32,11.5\n", Options{}, "", "line 1: the first row, M31,10.5, is no line of names: 10.5 stands where the next row has 11.5; add a line of names, or name the 2 columns with --names a,b"},
		{"a first row of data, named", "M31 10.5\nM32 11.5\n", Options{Names: []string{"n", "x"}}, "n string: \"M31\" \"M32\"\nx float64: 10.5 11.5\n", ""},
		{"one column of classes that RDB has for types", "class\nn\ns\nn\n", Options{}, "class string: \"n\" \"s\" \"n\"\n", ""},
		{"one column by its types", "class\nS\nn\n", Options{Format: "rdb"}, "class string: \"n\"\n", ""},
		{"names replaced", "a,b\n1,2\n", Options{Names: []string{"x", "y"}}, "x int64: 1\ny int64: 2\n", ""},
		{"names of FITS", "SIMPLE  =", Options{Names: []string{"x"}}, "", "it is fits, which has names of columns; --names belongs to tables of text without"},
		{"cells below each other", "n      x    y\nM 1  1.5    2\nM 2         3\n", Options{}, "", "line 1: the columns may be separated by blanks, but rows differ in their number of words: n      x    y; --format ascii, fixed (cells below each other) or csv (one column) says how the table is written"},
		{"rules alone", "-----\n-----\n", Options{Format: "ascii"}, "", "there is no line of column names, only comments and empty lines"},
		{"a letter", "From: a b\nTo: c\nSubject: some words\n\nand a text of these\n", Options{}, "", "line 1: the columns may be separated by blanks, but rows differ in their number of words: From: a b; --format ascii, fixed (cells below each other) or csv (one column) says how the table is written"},
		{"a rule below names, and cells of words", "name  type\n----------\nM 31  Gal\nx\n", Options{}, "", "line 1: the columns may be separated by blanks, but rows differ in their number of words: name  type; --format ascii, fixed (cells below each other) or csv (one column) says how the table is written"},
		{"cells below each other, fixed", "n      x    y\nM_1  1.5    2\nM_2         3\n", Options{Format: "fixed"}, "n string: \"M_1\" \"M_2\"\nx float64?: 1.5 ·\ny int64: 2 3\n", ""},
		{"one column of words", "a b\nc 1\nd 2\n", Options{Format: "csv"}, "a b string: \"c 1\" \"d 2\"\n", ""},
		{"a cell beyond its place", "a    b\n---- ----\n1234567 2\n", Options{}, "", "line 3: text stands between the places of the columns, or goes beyond one"},
		{"a value below a bar", "| a  | b  |\n|int |int |\n  123412  \n", Options{}, "", "line 3: text stands between the places of the columns, or goes beyond one"},
		{"an unknown format", "a\n1\n", Options{Format: "xls"}, "", "--format xls: formats that are read are parquet, fits, votable, npy, arrow, csv, ecsv, arff, cds, latex, ipac, daophot, sextractor, vizier, rdb, fixed, ascii"},
		{"no description", "a\n1\n", Options{Format: "cds"}, "", "no Byte-by-byte Description is in the file, and no ReadMe with one of it is beside it"},
		{"an answer without a table", "#\n#INFO\tError=No table J/X/1\n#\n", Options{}, "", "VizieR has sent no table: Error=No table J/X/1"},
	} {
		path := writeText(t, "t.txt", f.text)
		c, err := Open(context.Background(), []string{path}, f.opt)
		switch {
		case err != nil && err.Error() != path+": "+f.fail && err.Error() != f.fail:
			t.Errorf("%s: %v, want %s", f.name, err, f.fail)
		case err == nil && f.fail != "":
			t.Errorf("%s: read, want %s", f.name, f.fail)
		case err == nil:
			if d := cmp.Diff(f.want, table(t, c)); d != "" {
				t.Errorf("%s: %s", f.name, d)
			}
		}
	}
}

// Of several tables of an answer of VizieR the first is read, and that is said.
func TestFormsSeveralTables(t *testing.T) {
	path := writeText(t, "t.tsv", "#Table\tone:\nra\tdec\ndeg\tdeg\n--\t---\n1\t2\n3\t4\n\n#Table\ttwo:\nx\ty\n\t\n--\t---\n5\t6\n")
	c := open(t, path)
	if d := cmp.Diff("ra int64 [deg]: 1 3\ndec int64 [deg]: 2 4\n", table(t, c)); d != "" {
		t.Error(d)
	}
	if notes := strings.Join(c.Files()[0].Notes, "\n"); !strings.Contains(notes, "only the first of its tables is read") {
		t.Errorf("notes: %s", notes)
	}
}

// Astropy reads the same values in the forms that it knows.
func TestFormsAsAstropy(t *testing.T) {
	known := map[string]string{
		"commented.dat": "ascii.commented_header", "words.txt": "ascii.basic", "vizier.tsv": "", "columns.mrt": "ascii.mrt", "short.tbl": "ascii.ipac", "nulls.tbl": "ascii.ipac",
		"sentinel.tbl": "ascii.ipac", "sextractor.cat": "ascii.sextractor", "daophot.mag": "ascii.daophot", "types.rdb": "ascii.rdb", "rule.txt": "ascii.fixed_width_two_line",
		"rst.txt": "ascii.rst", "bars.txt": "ascii.fixed_width", "ecsv.ecsv": "ascii.ecsv",
	}
	var asked [][2]string
	for _, f := range formFiles {
		if kind := known[f.file]; kind != "" {
			asked = append(asked, [2]string{filepath.Join("testdata/forms", f.file), kind})
		}
	}
	sameAsAstropy(t, asked)
}

// Every table below $SKYJOIN_CORPUS that astropy reads has the same values here.
func TestCorpusAsAstropy(t *testing.T) {
	root := os.Getenv("SKYJOIN_CORPUS")
	if root == "" {
		t.Skip("SKYJOIN_CORPUS names no folder of tables")
	}
	var asked [][2]string
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || slices.Contains([]string{".sh", ".py", ".go", ".md", ".properties", ""}, filepath.Ext(path)) {
			return err // no table
		}
		kind := ""
		if c, err := Open(context.Background(), []string{path}, Options{}); err == nil {
			kind = astropyNames[c.Files()[0].Format]
		}
		asked = append(asked, [2]string{path, kind})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sameAsAstropy(t, asked)
}

// astropyNames are the formats as astropy names them; it guesses others.
var astropyNames = map[string]string{
	"votable": "votable", "fits": "fits", "parquet": "parquet", "ecsv": "ascii.ecsv", "cds": "ascii.cds", "ipac": "ascii.ipac", "latex": "ascii.latex",
	"sextractor": "ascii.sextractor", "daophot": "ascii.daophot", "rdb": "ascii.rdb", "csv": "ascii.csv", "ascii": "ascii", "fixed": "ascii",
}

// readByAstropy prints, for each file, the columns that are numbers or text as
// lists of texts, null for what is masked.
const readByAstropy = `
import sys, json, warnings
warnings.simplefilter("ignore")
import numpy as np
from astropy.table import Table
def read(path, kind):
    try:
        t = Table.read(path, format=kind) if kind else Table.read(path)
    except Exception as e:
        return {"error": str(e)[:200]}
    out = {}
    for n in t.colnames:
        c = t[n]
        if getattr(c, "ndim", 2) != 1 or not hasattr(c, "dtype") or c.dtype.kind not in "iufUSb":
            continue
        mask = getattr(c, "mask", np.zeros(len(c), bool))
        out[n] = [None if m or str(v) == "" else float(v) if c.dtype.kind == "f" else (v.decode() if isinstance(v, bytes) else str(v)).rstrip() for v, m in zip(c.tolist() if c.dtype.kind in "US" else c, mask)]
        out[n] = [repr(v) if isinstance(v, float) else v for v in out[n]]
    return {"columns": out, "names": t.colnames}
print(json.dumps([read(*q) for q in json.load(sys.stdin)]))`

// sameAsAstropy compares files, given with the format for astropy, with what
// astropy reads of them.
func sameAsAstropy(t *testing.T, asked [][2]string) {
	t.Helper()
	type answer struct {
		Error   string
		Columns map[string][]*string
		Names   []string // of all columns, in order
	}
	answers := pyref.Ask[answer](t, "astropy", readByAstropy, asked)
	read := 0
	for i, q := range asked {
		if answers[i].Error != "" {
			t.Logf("%s: astropy: %s", q[0], answers[i].Error)
			continue
		}
		c, err := Open(context.Background(), []string{q[0]}, Options{})
		if err != nil {
			t.Errorf("astropy reads %d columns, here: %v", len(answers[i].Columns), err)
			continue
		}
		read++
		for name, want := range answers[i].Columns {
			if at := slices.Index(answers[i].Names, name); len(answers[i].Names) == len(c.Fields()) {
				name = c.Fields()[at].Name // those without one have others in astropy
			}
			if f, err := c.Field(name); err == nil && f.Type == List {
				continue // text to astropy
			}
			cols, err := c.Read(context.Background(), []string{name}, nil)
			if err != nil {
				t.Errorf("%s: %v", q[0], err)
				continue
			}
			raw := cols[0].raw()
			for row := range max(len(want), raw.Len()) {
				if row >= len(want) || row >= raw.Len() {
					t.Errorf("%s: %s has %d rows, astropy reads %d", q[0], name, raw.Len(), len(want))
					break
				}
				if raw.IsNull(row) && zeroForNull(c.Files()[0].Format, want[row]) {
					t.Logf("%s: %s of row %d is null, 0 to astropy", q[0], name, row)
					continue
				}
				if !sameText(raw.Text(row), raw.IsNull(row), want[row], raw.Float32 != nil) {
					t.Errorf("%s: %s of row %d is %q, astropy reads %s", q[0], name, row, raw.Text(row), quoted(want[row]))
					break
				}
			}
		}
	}
	if t.Logf("%d of %d files are read by both", read, len(asked)); read == 0 {
		t.Error("astropy reads none of the files")
	}
}

// zeroForNull reports whether astropy may read 0 for null: a blank field of a FITS
// table of text, and an integer of VOTable that is the word null.
func zeroForNull(format string, want *string) bool {
	return (format == "fits" || format == "votable") && want != nil && (*want == "0" || *want == "0.0")
}

// sameText compares values as text: numbers by value, NaN and empty text as null.
func sameText(got string, null bool, want *string, single bool) bool {
	a, errA := strconv.ParseFloat(got, 64)
	if want == nil {
		return null || got == "" || errA == nil && math.IsNaN(a)
	}
	b, errB := strconv.ParseFloat(*want, 64)
	if errA == nil && errB == nil {
		return a == b || single && float32(a) == float32(b) || math.IsNaN(a) && math.IsNaN(b)
	}
	return !null && strings.EqualFold(got, *want) || null && errB == nil && math.IsNaN(b)
}

func quoted(s *string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
