package convert

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/internal/pyref"
)

// paperTable has what tables for papers write in ways of their own: units, long
// descriptions, nulls of every type, texts with the characters of TeX, powers of ten,
// uncertainties in the same and in another unit.
const paperTable = `# %ECSV 1.0
# ---
# delimiter: ','
# datatype:
# - {name: id, datatype: int64}
# - {name: name, datatype: string, description: what the observers of the field have called the star since 1999}
# - {name: ra, unit: deg, datatype: float64, description: right ascension}
# - {name: e_ra, unit: mas, datatype: float32}
# - {name: rv, unit: km / s, datatype: float32}
# - {name: rv_error, unit: km / s, datatype: float32}
# - {name: fl, unit: erg / (cm2 s), datatype: float64}
# meta: {title: Stars of a field}
# schema: astropy-2.0
id,name,ra,e_ra,rv,rv_error,fl
1,A_1 50% #2,10.123456789012,1.25,-12.5,0.3456,1.5e-14
2,"",20.5,,3,,nan
-3,"null",300,2.5,"",1.2,2e-15
`

// papers are the formats for papers, and as which they are read.
var papers = []struct{ ext, format string }{{"mrt", "cds"}, {"tbl", "ipac"}, {"tex", "latex"}}

// What is written for papers is read again with its names, values, nulls and units.
func TestPapersAreRead(t *testing.T) {
	in := cmdtest.Write(t, "in.ecsv", paperTable)
	for _, p := range papers {
		out := filepath.Join(t.TempDir(), "t."+p.ext)
		cmdtest.Succeed(t, "convert", in, "-o", out, "-q")
		fl := "nan" // IPAC has NaN, the others have not
		if p.ext != "tbl" {
			fl = ""
		}
		want := "id,name,ra,e_ra,rv,rv_error,fl\n1,A_1 50% #2,10.123456789012,1.25,-12.5,0.3456,1.5e-14\n2,,20.5,,3,," + fl + "\n-3,\"null\",300,2.5,,1.2,2e-15\n"
		back := filepath.Join(t.TempDir(), "back.csv")
		cmdtest.Succeed(t, "convert", out, "-o", back, "-q")
		if d := cmp.Diff(want, text(t, back)); d != "" {
			t.Errorf("%s: %s", p.ext, d)
		}
		columns := cmdtest.Succeed(t, "info", out, "--json").Stdout
		for _, part := range []string{`"format":"` + p.format + `"`, `"unit":"mas"`, `"unit":"km`} {
			if !strings.Contains(columns, part) {
				t.Errorf("%s: no %s in %s", p.ext, part, columns)
			}
		}
	}
}

// Names, types, units, nulls, what TeX needs, and digits as far as uncertainties let
// them have a meaning.
func TestPapersAsTheyAreWritten(t *testing.T) {
	in := cmdtest.Write(t, "in.ecsv", paperTable)
	for ext, want := range map[string]string{
		"mrt": `Title: Stars of a field
Authors:
Table:
================================================================================
Byte-by-byte Description of file: table.dat
--------------------------------------------------------------------------------
     Bytes Format Units        Label    Explanations
--------------------------------------------------------------------------------
    1-   2 I2     ---          id
    4-  13 A10    ---          name     ? what the observers of the field have
                                        called the star since 1999
   15-  26 F12.8  deg          ra       right ascension
   28-  30 F3.1   mas          e_ra     ?
   32-  37 F6.2   km/s         rv       ?
   39-  42 F4.2   km/s         rv_error ?
   44-  50 E7.1   erg.cm-2.s-1 fl       ?
--------------------------------------------------------------------------------
 1 A_1 50% #2  10.12345679 1.2 -12.50 0.35 1.5e-14
 2                    20.5        3.0             
-3 null       300.00000000 2.5         1.2 2.0e-15
`,
		"tbl": `\title = 'Stars of a field'
\ name
\ ___ what the observers of the field have called the star since 1999
\ ra (deg)
\ ___ right ascension
|  id|name      |          ra| e_ra|    rv|rv_error|           fl|
|long|char      |      double|float| float|   float|       double|
|    |          |         deg|  mas|km / s|  km / s|erg / (cm2 s)|
|null|-         |        null| null|  null|    null|         null|
    1 A_1 50% #2  10.12345679   1.2 -12.50     0.35       1.5e-14
    2 -                  20.5  null      3     null           nan
   -3 null       300.00000000   2.5   null      1.2         2e-15
`,
		"tex": `\begin{deluxetable}{RlRRRR}
\tablecaption{Stars of a field}
\tablehead{\colhead{id} & \colhead{name} & \colhead{ra} & \colhead{e_ra} & \colhead{rv} & \colhead{fl}}
\tablehead{\colhead{id} & \colhead{name} & \colhead{ra} & \colhead{e\_ra} & \colhead{rv} & \colhead{fl} \\ \colhead{} & \colhead{} & \colhead{deg} & \colhead{mas} & \colhead{km\,s$^{-1}$} & \colhead{erg\,cm$^{-2}$\,s$^{-1}$}}
\startdata
1 & A\_1 50\% \#2 & 10.12345679 & 1.2 & -12.50 \pm 0.35 & 1.5\times10^{-14} \\
2 & \nodata & 20.5 & \nodata & 3 & \nodata \\
-3 & null & 300.00000000 & 2.5 & \nodata & 2\times10^{-15}
\enddata
\end{deluxetable}
`,
	} {
		out := filepath.Join(t.TempDir(), "t."+ext)
		cmdtest.Succeed(t, "convert", in, "--digits", "2", "-o", out, "-q")
		if d := cmp.Diff(want, text(t, out)); d != "" {
			t.Errorf("%s: %s", ext, d)
		}
	}
}

// Astropy reads what is written for papers.
func TestPapersAsAstropy(t *testing.T) {
	const read = `
import sys, json, warnings
warnings.simplefilter("ignore")
from astropy.table import Table
out = []
for path, kind in json.load(sys.stdin):
    t = Table.read(path, format=kind, **({"fill_values": [("\\nodata", "0")]} if kind == "ascii.aastex" else {}))
    out.append([[c] + [str(v) for v in t[c].tolist()] + [str(t[c].unit)] for c in t.colnames])
print(json.dumps(out))`
	in := cmdtest.Write(t, "in.ecsv", paperTable)
	var asked [][2]string
	for _, p := range [][2]string{{"mrt", "ascii.mrt"}, {"tbl", "ascii.ipac"}, {"tex", "ascii.aastex"}} {
		out := filepath.Join(t.TempDir(), "t."+p[0])
		cmdtest.Succeed(t, "convert", in, "--columns", "id,ra,e_ra,rv,rv_error", "-o", out, "-q")
		asked = append(asked, [2]string{out, p[1]})
	}
	for i, got := range pyref.Ask[[][]string](t, "astropy", read, asked) {
		unit := func(u string) string {
			if asked[i][1] == "ascii.aastex" { // reads none
				return "None"
			}
			return u
		}
		want := [][]string{{"id", "1", "2", "-3", "None"}, {"ra", "10.123456789012", "20.5", "300.0", unit("deg")}, {"e_ra", "1.25", "None", "2.5", unit("mas")},
			{"rv", "-12.5", "3.0", "None", unit("km / s")}, {"rv_error", "0.3456", "None", "1.2", unit("km / s")}}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", asked[i][1], d)
		}
	}
}

// What a table for papers cannot hold is refused.
func TestPapersRefuse(t *testing.T) {
	nulls := cmdtest.CSVOf(t, "a,b", "1,2", ",")
	at := func(name string) string { return filepath.Join(t.TempDir(), name) }
	cmdtest.Refuse(t, exit.Request, []string{"convert", nulls, "-o", at("t.mrt")}, "row 1 is null in all columns")
	cmdtest.Refuse(t, exit.Request, []string{"convert", nulls, "--digits", "2", "-o", at("t.csv")}, "--digits is for tables of papers")
	cmdtest.Refuse(t, exit.Request, []string{"convert", nulls, "--digits", "18", "-o", at("t.tex")}, "a float has 17 at most")
}

// A deluxetable is one to TeX, with every character that commands are made of and with
// letters of formulas, and its texts come back.
func TestLaTeXCompiles(t *testing.T) {
	in := cmdtest.Write(t, "in.ecsv", "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: name, datatype: string}\n# - {name: 'pm_ra', unit: mas / yr, datatype: float64}\n# - {name: '50% #1 & ~$x^2$ {a}', unit: erg / (s cm2), datatype: float64}\n# - {name: e_flux, datatype: float64}\n# meta: {title: 'Stars of M 31_a & friends, 100%'}\n# schema: astropy-2.0\n"+
		"name pm_ra \"50% #1 & ~$x^2$ {a}\" e_flux\n\"NGC_224 {a} ~^ <b> |c|\" -1e-12 1.25e-14 2e-16\n\"α Cen & β, Ω, 5 μm, 3°, ±1, ☉\" 1e30 1.3e-14 \"\"\n\"50% #2 $\" nan \"\" 3e-16\n")
	dir := t.TempDir()
	cmdtest.Succeed(t, "convert", in, "-o", filepath.Join(dir, "table.tex"), "--digits", "2", "-q")
	back := cmdtest.Succeed(t, "convert", filepath.Join(dir, "table.tex"), "-c", "name", "-o", "-", "-q").Stdout
	if want := "name\nNGC_224 {a} ~^ <b> |c|\n\"α Cen & β, Ω, 5 μm, 3°, ±1, ☉\"\n50% #2 $\n"; back != want {
		t.Errorf("the names come back as %q, want %q", back, want)
	}
	if _, err := exec.LookPath("pdflatex"); err != nil {
		t.Skip("there is no pdflatex")
	}
	document := "\\documentclass{aastex631}\n\\begin{document}\n\\title{T}\n\\author{A}\n\\begin{abstract}x\\end{abstract}\n\\input{table.tex}\n\\end{document}\n"
	if err := os.WriteFile(filepath.Join(dir, "paper.tex"), []byte(document), 0o666); err != nil {
		t.Fatal(err)
	}
	tex := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex")
	tex.Dir = dir
	out, err := tex.CombinedOutput()
	if log := string(out); strings.Contains(log, ".cls' not found") || strings.Contains(log, ".sty' not found") || strings.Contains(log, "can't find file") {
		t.Skip("AASTeX is not installed, or not all that it needs")
	} else if err != nil {
		t.Errorf("%v: %s", err, log[strings.Index(log, "\n!")+1:])
	}
}
