package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/internal/pyref"
)

// A dialect is the same four stars as one kind of file has them: three within an
// arcminute, one alone, whose magnitude is null.
type dialect struct {
	name  string // of the file
	text  string
	form  string // as which it is read
	units bool   // it has that of RA
	mag   string // column of magnitudes, "" of none
	flags string
}

// dialectRows are the stars as cells.
var dialectRows = [][4]string{{"S1", "10.500000", "-3.250000", "9.5"}, {"S2", "10.501000", "-3.251000", "10.25"}, {"S3", "10.502000", "-3.249000", "11"}, {"S4", "200.125000", "45.000000", ""}}

// between writes the stars between delimiters, null as a word.
func between(delim, null string) string {
	var b strings.Builder
	for _, r := range dialectRows {
		if r[3] == "" {
			r[3] = null
		}
		fmt.Fprintln(&b, strings.Join(r[:], delim))
	}
	return b.String()
}

// laid writes them in places, null as a word, with a margin.
func laid(margin, null string) string {
	var b strings.Builder
	for _, r := range dialectRows {
		if r[3] == "" {
			r[3] = null
		}
		fmt.Fprintf(&b, "%s%-4s %10s %10s %5s\n", margin, r[0], r[1], r[2], r[3])
	}
	return b.String()
}

// barred writes them in places, with ~ for the bars between them.
func barred() string {
	var b strings.Builder
	for _, r := range dialectRows {
		fmt.Fprintf(&b, "| %-4s~%10s~%10s~%5s\n", r[0], r[1], r[2], r[3])
	}
	return b.String()
}

// dialects are the tables of text that are in use.
var dialects = []dialect{
	{"commas.csv", "name,ra,dec,mag\n,deg,deg,mag\n" + between(",", ""), "csv", true, "mag", ""},
	{"semicolons.dat", "# a list\nname;ra;dec;mag\n" + between(";", ""), "csv", false, "mag", ""},
	{"tabs.txt", "name\tra\tdec\tmag\n" + between("\t", "null"), "csv", false, "mag", ""},
	{"bars.tab", "name|ra|dec|mag\n" + between("|", ""), "csv", false, "mag", ""},
	{"names-in-comment.dat", "# name ra dec mag\n# - deg deg mag\n" + between(" ", "nan"), "ascii", true, "", ""},
	{"blanks.txt", "name ra dec mag\n" + between("   ", "--"), "ascii", false, "mag", ""},
	{"no-names.dat", between(" ", "INDEF"), "ascii", false, "mag", "--names name,ra,dec,mag"},
	{"vizier.tsv", "#Table\tJ_ApJ_1:\nName\t_RAJ2000\t_DEJ2000\tVmag\n \tdeg\tdeg\tmag\n----\t----------\t----------\t-----\n" + between("\t", "     "), "vizier", true, "Vmag", ""},
	{"journal.mrt", "Title: Stars\n" + strings.Repeat("=", 80) + "\nByte-by-byte Description of file: stars.txt\n" + strings.Repeat("-", 80) +
		"\n   Bytes Format Units  Label   Explanations\n" + strings.Repeat("-", 80) + "\n   1-  4 A4     ---    Name    Name\n   6- 15 F10.6  deg    RAdeg   Right ascension\n  17- 26 F10.6  deg    DEdeg   Declination\n  28- 32 F5.2   mag    Vmag    ? Magnitude\n" +
		strings.Repeat("-", 80) + "\n" + laid("", ""), "cds", true, "Vmag", ""},
	{"triples.mrt", "Title: Stars\n" + strings.Repeat("=", 80) + "\nByte-by-byte Description of file: stars.txt\n" + strings.Repeat("-", 80) +
		"\n   Bytes Format Units  Label   Explanations\n" + strings.Repeat("-", 80) + "\n   1-  2 I2     h      RAh     Hour\n   4-  5 I2     min    RAm     Minute\n   7- 11 F5.2   s      RAs     Second\n  13     A1     ---    DE-     Sign\n  14- 15 I2     deg    DEd     Degree\n  17- 18 I2     arcmin DEm     Minute\n  20- 23 F4.1   arcsec DEs     Second\n  25- 29 F5.2   mag    Vmag    ? Magnitude\n" +
		strings.Repeat("-", 80) + "\n00 42 00.00 -03 15 00.0   9.5\n00 42 00.24 -03 15 03.6 10.25\n00 42 00.48 -03 14 56.4    11\n13 20 30.00 +45 00 00.0      \n", "cds", false, "Vmag", ""},
	{"irsa.tbl", "\\origin = 'IRSA'\n|name|ra        |dec       |mag  |\n|char|double    |double    |real |\n|    |deg       |deg       |mag  |\n|null|null      |null      |null |\n" + laid(" ", "null"), "ipac", true, "mag", ""},
	{"sextractor.cat", "#   1 NUMBER          Running object number\n#   2 ALPHA_J2000     Right ascension of barycenter (J2000)  [deg]\n#   3 DELTA_J2000     Declination of barycenter (J2000)  [deg]\n#   4 MAG_AUTO        Kron-like magnitude  [mag]\n" + strings.ReplaceAll(between(" ", "null"), "S", ""), "sextractor", true, "MAG_AUTO", ""},
	{"daophot.mag", "#K IRAF = NOAO version %-23s\n#N ID      RA         DEC        MAG\n#U ##      deg        deg        magnitudes\n#F %-7s    %-10.6f    %-10.6f    %-9.3f\n" + between("  ", "INDEF"), "daophot", true, "MAG", ""},
	{"types.rdb", "name\tra\tdec\tmag\n4S\t10N\t10N\t5N\n" + between("\t", ""), "rdb", false, "mag", ""},
	{"rule.txt", "name ra         dec        mag\n---- ---------- ---------- -----\n" + laid("", ""), "fixed", false, "mag", ""},
	{"bars.txt", "| name |         ra |        dec |   mag |\n" + strings.NewReplacer("~", " | ", "\n", " |\n").Replace(barred()), "fixed", false, "mag", ""},
	{"declared.ecsv", "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: name, datatype: string}\n# - {name: ra, unit: deg, datatype: float64}\n# - {name: dec, unit: deg, datatype: float64}\n# - {name: mag, unit: mag, datatype: float64}\nname ra dec mag\n" + between(" ", `""`), "ecsv", true, "mag", ""},
	{"weka.arff", "@relation stars\n@attribute name string\n@attribute ra numeric\n@attribute dec numeric\n@attribute mag numeric\n@data\n" + between(",", "?"), "arff", false, "mag", ""},
	{"paper.tex", "\\begin{deluxetable}{lRRR}\n\\tablehead{\\colhead{name} & \\colhead{ra} & \\colhead{dec} & \\colhead{mag} \\\\ \\colhead{} & \\colhead{(deg)} & \\colhead{(deg)} & \\colhead{(mag)}}\n\\startdata\n" +
		strings.ReplaceAll(between(" & ", "\\nodata"), "\n", " \\\\\n") + "\\enddata\n\\end{deluxetable}\n", "latex", true, "mag", ""},
	{"colons.csv", "name;RA;Dec;mag\nS1;00:42:00.00;-03:15:00.0;9.5\nS2;00:42:00.24;-03:15:03.6;10.25\nS3;00:42:00.48;-03:14:56.4;11\nS4;13:20:30.00;+45:00:00.0;\n", "csv", false, "mag", ""},
	{"letters.csv", "name,RA,Dec,mag\nS1,00h42m00.00s,-03d15m00.0s,9.5\nS2,00h42m00.24s,-03d15m03.6s,10.25\nS3,00h42m00.48s,-03d14m56.4s,11\nS4,13h20m30.00s,+45d00m00.0s,\n", "csv", false, "mag", ""},
	{"words.csv", "name,R.A. (J2000),Dec. (J2000),mag\nS1,00 42 00.00,-03 15 00.0,9.5\nS2,00 42 00.24,-03 15 03.6,10.25\nS3,00 42 00.48,-03 14 56.4,11\nS4,13 20 30.00,+45 00 00.0,\n", "csv", false, "mag", ""},
}

// inOtherFormats returns the stars of the first dialect in every format that is written
// or that testdata/dialects has.
func inOtherFormats(t *testing.T) (list []dialect) {
	t.Helper()
	content := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	in := cmdtest.Write(t, dialects[0].name, dialects[0].text)
	for _, f := range [][2]string{{"stars.parquet", "parquet"}, {"stars.fits", "fits"}, {"stars.vot", "votable"}, {"stars.ecsv", "ecsv"}, {"stars.mrt", "cds"}, {"stars.tbl", "ipac"}, {"stars.tex", "latex"}} {
		out := filepath.Join(t.TempDir(), f[0])
		cmdtest.Succeed(t, "convert", in, "-o", out, "-q")
		list = append(list, dialect{f[0], content(out), f[1], true, "mag", ""})
	}
	return append(list,
		dialect{"text-table.fits", content("testdata/dialects/text-table.fits"), "fits", true, "mag", ""},
		dialect{"records.npy", content("testdata/dialects/records.npy"), "npy", false, "", ""},
		dialect{"arrays.npz", content("testdata/dialects/arrays.npz"), "npy", false, "", ""},
		dialect{"tabledata.xml", votableOf(), "votable", true, "mag", ""},
	)
}

// votableOf is the stars as TABLEDATA.
func votableOf() string {
	rows := ""
	for _, r := range dialectRows {
		rows += "<TR><TD>" + strings.Join(r[:], "</TD><TD>") + "</TD></TR>\n"
	}
	return `<?xml version="1.0"?><VOTABLE version="1.4"><RESOURCE><TABLE><FIELD name="name" datatype="char" arraysize="*"/><FIELD name="ra" datatype="double" unit="deg" ucd="pos.eq.ra;meta.main"/>` +
		`<FIELD name="dec" datatype="double" unit="deg" ucd="pos.eq.dec;meta.main"/><FIELD name="mag" datatype="float" unit="mag"/><DATA><TABLEDATA>` + rows + "</TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>\n"
}

// Every dialect is read with its units and nulls, from a pipe, too, clustered and
// matched from its own file, and comes back with its values from every format that is
// written, as the table in docs/formats.md says.
func TestDialects(t *testing.T) {
	dir := t.TempDir()
	reference := cmdtest.Write(t, "reference.csv", "ra,dec\n10.5,-3.25\n10.501,-3.251\n10.502,-3.249\n200.125,45\n")
	report := "| file | read as | from a pipe | units | nulls | comes back from every format | clustered | matched |\n|---|---|---|---|---|---|---|---|\n"
	for _, d := range append(inOtherFormats(t), dialects...) {
		in := cmdtest.Write(t, d.name, d.text)
		flags := strings.Fields(d.flags)
		with := func(args ...string) []string { return append(args, flags...) }
		info := cmdtest.Succeed(t, with("info", in, "--json")...).Stdout
		fails := t.Failed()
		check := func(what string, ok bool) {
			if !ok {
				t.Errorf("%s: %s: %s", d.name, what, info)
			}
		}
		check("read", strings.Contains(info, `"format":"`+d.form+`"`) && strings.Contains(info, `"rows":4`))
		triples := strings.Contains(d.text, " deg    DEd")
		check("units", strings.Contains(info, `"unit":"deg"`) == (d.units || triples))
		want := cmdtest.Succeed(t, with("convert", in, "-o", "-", "-q")...).Stdout
		for _, form := range []string{"", d.form} { // by content, and by name
			args := with("convert", "-", "-o", "-", "-q")
			if form != "" {
				args = append(args, "--format", form)
			}
			r := cmdtest.Piped(t, d.text, args...)
			check("from a pipe "+form+r.Stderr, r.Stdout == want)
		}
		column, stored := d.mag, "9.5 10.25 11 "
		if column == "" { // without nulls
			column, stored = "ra", "10.5 10.501 10.502 200.125"
		}
		values := func(path string) string { return strings.Join(cmdtest.Column(t, path, column), " ") }
		at := filepath.Join(dir, d.name+".csv")
		cmdtest.Succeed(t, with("convert", in, "-c", column, "-o", at, "-q")...)
		check("values and nulls", values(at) == stored)
		for _, ext := range []string{"parquet", "fits", "vot", "ecsv", "mrt", "tbl", "tex"} {
			out, back := filepath.Join(dir, d.name+"."+ext), filepath.Join(dir, d.name+ext+".csv")
			cmdtest.Succeed(t, with("convert", in, "-o", out, "-q")...)
			cmdtest.Succeed(t, "convert", out, "-o", back, "-q")
			check("round trip by "+ext, values(back) == stored)
		}
		s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, with("dbscan", in, "--eps", "1arcmin", "--min-points", "3", "--json")...))
		cmdtest.Expect(t, s.Result, map[string]int64{"clusters": 1, "noise": 1, "largest": 3})
		s = cmdtest.SummaryOf(t, cmdtest.Succeed(t, with("match", in, reference, "--radius", "0.01arcsec", "--json")...))
		cmdtest.Expect(t, s.Result, map[string]int64{"matches": 4})
		has := func(it bool) string { return map[bool]string{true: "yes", false: "it has none"}[it] }
		if !fails && !t.Failed() {
			report += fmt.Sprintf("| %s | %s | yes | %s | %s | yes | yes | yes |\n", d.name, d.form, has(d.units || triples), has(d.mag != ""))
		}
	}
	page, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), report) {
		t.Errorf("docs/formats.md should have\n%s", report)
	}
}

// -o - writes every format that --output-format names, as it is in a file; names of
// files say theirs.
func TestOutputFormatsOfPipes(t *testing.T) {
	in := cmdtest.Write(t, dialects[0].name, dialects[0].text)
	for format, ext := range map[string]string{"parquet": "parquet", "fits": "fits", "vot": "vot", "ecsv": "ecsv", "csv": "csv", "mrt": "mrt", "ipac": "tbl", "latex": "tex"} {
		for _, args := range [][]string{{"convert", in}, {"dbscan", in, "--eps", "1arcmin", "--min-points", "3"}} {
			out := filepath.Join(t.TempDir(), "out."+ext)
			cmdtest.Succeed(t, append(args, "-o", out, "-q")...)
			want, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			piped := cmdtest.Succeed(t, append(args, "-o", "-", "--output-format", format, "-q")...).Stdout
			if piped != string(want) {
				t.Errorf("%s -o - --output-format %s writes %d bytes, the file has %d", args[0], format, len(piped), len(want))
			}
			again := cmdtest.Piped(t, piped, "info", "-", "--json")
			if again.Status != 0 || !strings.Contains(again.Stdout, `"rows":4`) {
				t.Errorf("%s by %s through a pipe: %s", args[0], format, again.Stderr)
			}
		}
		cmdtest.Refuse(t, exit.Request, []string{"convert", in, "-o", "t.csv", "--output-format", format}, "is for -o -")
	}
}

// Catalogs with positions in text are where astropy has them: 400 positions, written as
// OpenNGC (colons, between semicolons) and 3HSP (blanks) have them, match those of
// astropy within 0.01 arcsec, one to one.
func TestSexagesimalPositionsAsAstropy(t *testing.T) {
	const read = `
import sys, json
from astropy.coordinates import SkyCoord
print(json.dumps([["%.17g,%.17g" % (c.ra.deg, c.dec.deg) for c in SkyCoord(q[0], q[1], unit=("hourangle", "deg"))] for q in json.load(sys.stdin)]))`
	rng := rand.New(rand.NewPCG(21, 8))
	var ra, dec []string
	ngc, hsp := "Name;Type;RA;Dec;Const\n", "Name,R.A. (J2000),Dec. (J2000)\n"
	for i := range 400 {
		sign := "+-"[rng.IntN(2)]
		h, m, s := rng.IntN(24), rng.IntN(60), float64(rng.IntN(6000))/100
		d, am, as := rng.IntN(90), rng.IntN(60), float64(rng.IntN(600))/10
		if i%7 == 0 {
			d = 0 // where the sign is all that tells south from north
		}
		ra, dec = append(ra, fmt.Sprintf("%02d:%02d:%05.2f", h, m, s)), append(dec, fmt.Sprintf("%c%02d:%02d:%04.1f", sign, d, am, as))
		ngc += fmt.Sprintf("NGC%04d;G;%s;%s;And\n", i, ra[i], dec[i])
		hsp += fmt.Sprintf("3HSP %d,%s,%s\n", i, strings.ReplaceAll(ra[i], ":", " "), strings.ReplaceAll(dec[i], ":", " "))
	}
	answer := pyref.Ask[[]string](t, "astropy", read, [][2][]string{{ra, dec}})[0]
	positions := cmdtest.Write(t, "astropy.csv", "ra,dec\n"+strings.Join(answer, "\n")+"\n")
	for name, text := range map[string]string{"NGC.csv": ngc, "3HSP.csv": hsp} {
		in, out := cmdtest.Write(t, name, text), filepath.Join(t.TempDir(), "pairs.csv")
		s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "match", in, positions, "--radius", "0.01arcsec", "-o", out, "--json"))
		cmdtest.Expect(t, s.Result, map[string]int64{"matches": 400})
		if lines, err := os.ReadFile(out); err != nil || strings.Count(string(lines), "\n") != 401 {
			t.Errorf("%s: %d lines, %v", name, strings.Count(string(lines), "\n"), err)
		}
	}
}
