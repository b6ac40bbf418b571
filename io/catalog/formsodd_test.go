package catalog

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Tables in which places, delimiters or a row of units can be misread, as programs
// write them.
var oddForms = []struct{ name, file, text, want string }{
	{"an image's name fills its cell, apertures end in asterisks", "a.mag", apphot,
		lines(`IMAGE string [imagename]: "median_S" "median_S"`, "XINIT float64 [pixels]: 299.929 85.452", "ID int64: 366 367", "RAPERT float64 [scale]: 6 6", "MAG float64 [mag]: 24.673 20.175", `PERROR string [perrors]: "NoError" "NoError"`,
			"RAPERT2 float64 [scale]: 11 11", "MAG2 float64? [mag]: · 19.992", `PERROR2 string [perrors]: "BadPixels" "NoError"`)},
	{"bars that are not below each other", "t.txt", "|name|ra|\n|x|2|\n|yyyy|4|\n", "name string: \"x\" \"yyyy\"\nra int64: 2 4\n"},
	{"Markdown", "t.md", "| name | mag |\n|:-|-:|\n| a \\| b | 10.5 |\n| a very long name | 3 |\n", "name string: \"a | b\" \"a very long name\"\nmag float64: 10.5 3\n"},
	{"Markdown without bars at the ends", "t.md", "name | mag\n--- | ---\na very long name | 10.5\nb |\n", "name string: \"a very long name\" \"b\"\nmag float64?: 10.5 ·\n"},
	{"bars with units", "t.txt", "| ra | dec |\n| deg | deg |\n| 1.5 | -2 |\n", "ra float64 [deg]: 1.5\ndec int64 [deg]: -2\n"},
	{"psql says how many rows there are", "t.txt", " id | name \n----+------\n  1 | a\n  2 | b\n(2 rows)\n", "id int64: 1 2\nname string: \"a\" \"b\"\n"},
	{"a bar within a cell that has its place", "t.txt", "| id | name  |\n| 1  | a | b |\n| 2  | c     |\n", "id int64: 1 2\nname string: \"a | b\" \"c\"\n"},
	{"units above angles", "t.csv", "ra,dec\ndeg,deg\n10:30:00,1:00:00\n11:00:00,\n", "ra string [deg]: \"10:30:00\" \"11:00:00\"\ndec string? [deg]: \"1:00:00\" ·\n"},
	{"units in parentheses", "t.csv", "ra,m\n(deg),(mag)\n1.5,2\n", "ra float64 [deg]: 1.5\nm int64 [mag]: 2\n"},
	{"units of angles", "t.dat", "RA Dec mag\n\"h:m:s\" \"d:m:s\" mag\n12:30:00 -1:0:0 3.5\n", "RA string [h:m:s]: \"12:30:00\"\nDec string [d:m:s]: \"-1:0:0\"\nmag float64 [mag]: 3.5\n"},
	{"units above a column with a word", "t.csv", "ra,mag\ndeg,mag\n1.5,2\n2.5,bad\n3.5,4\n", "ra float64 [deg]: 1.5 2.5 3.5\nmag string [mag]: \"2\" \"bad\" \"4\"\n"},
	{"a number beyond the range is no unit", "t.csv", "x\n1e400\n1\n", "x string: \"1e400\" \"1\"\n"},
	{"an angle is no unit", "t.csv", "x,y\n12h,1d\n3,4\n", "x string: \"12h\" \"3\"\ny string: \"1d\" \"4\"\n"},
	{"bands are no units", "t.csv", "name,band\n-,J\na,H\n", "name string: \"-\" \"a\"\nband string: \"J\" \"H\"\n"},
	{"a ReadMe ends before the data", "t.mrt", readMeAbove, "ra float64 [deg]: 10.5 150\nn int64: 7 8\n"},
	{"Fortran's exponents, where the file says numbers", "t.tbl", "|   ra   | name |\n| double | char |\n 1.5D+02   1D2  \n 2.5-101   x    \n", "ra float64: 150 2.5e-101\nname string: \"1D2\" \"x\"\n"},
	{"Fortran's exponents, where it does not", "t.csv", "ra,b\n1.5D+02,1\n2,3\n", "ra string: \"1.5D+02\" \"2\"\nb int64: 1 3\n"},
	{"LaTeX of astropy", "t.tex", "\\begin{tabular}{ccc}\na & f & m \\\\\n$\\mathrm{{}^{\\circ}}$ & $\\mathrm{\\frac{erg}{\\mathring{A}\\,s\\,cm^{2}}}$ & $\\mathrm{M_{\\odot}}$ \\\\\n1.5 & 2 & 3 \\\\\n\\end{tabular}\n",
		"a float64 [deg]: 1.5\nf int64 [erg/(Angstrom s cm2)]: 2\nm int64 [Msun]: 3\n"},
	{"comments of QDP and MATLAB", "t.dat", "! of a run\n! ra dec\n1 2\n! more\n3 4\n", "ra int64: 1 3\ndec int64: 2 4\n"},
	{"nulls of QDP", "t.qdp", "!a b\n1 NO\n3 4.5\n", "a int64: 1 3\nb float64?: · 4.5\n"},
	{"texts of RDB in quotes", "t.rdb", "a\tb\nN\tS\n1\t\"q\"\"t\"\n2\tu\n", "a int64: 1 2\nb string: \"q\\\"t\" \"u\"\n"},
	{"comments of RDB with blanks before them", "t.rdb", "a\tb\nN\tN\n1\t2\n # c\n3\t4\n", "a int64: 1 3\nb int64: 2 4\n"},
	{"RDB that ends in blanks", "t.rdb", "a\tb\nN\tN\n1\t2\n  ", "a int64: 1\nb int64: 2\n"},
	{"an IPAC table without rows", "t.tbl", "\\catalog = sao\n|  ra  |  n  |\n| real | int |\n| deg  |     |\n| null | -9  |\n", "ra float64 [deg]:\nn int64:\n"},
	{"dashes for null", "t.mrt", strings.ReplaceAll(strings.ReplaceAll(readMeAbove, "Right", "?=- Right"), "1.05E+01 7", "    ---- 7"), "ra float64? [deg]: · 150\nn int64: 7 8\n"},
	{"names in a comment above texts", "t.csv", "#name,type\nM31,Gal\nM33,Gal\n", "name string: \"M31\" \"M33\"\ntype string: \"Gal\" \"Gal\"\n"},
	{"names in a comment above texts and codes", "t.tsv", "#name\tflag\tcode\nM31\tT\t007\nM33\t\t008\n", "name string: \"M31\" \"M33\"\nflag string?: \"T\" ·\ncode string: \"007\" \"008\"\n"},
	{"one name in a comment", "t.dat", "# name\nM31\nM33\n", "name string: \"M31\" \"M33\"\n"},
	{"names in a comment above words", "t.dat", "# name type host\nM31 Gal yes\nM33 Gal no\n", "name string: \"M31\" \"M33\"\ntype string: \"Gal\" \"Gal\"\nhost string: \"yes\" \"no\"\n"},
	{"names in a comment above Fortran's numbers", "t.lis", "#image filter exp\na.fits V 1.5D0\nb.fits R 3D0\n", "image string: \"a.fits\" \"b.fits\"\nfilter string: \"V\" \"R\"\nexp string: \"1.5D0\" \"3D0\"\n"},
	{"a comment above names", "t.csv", "# of,mine\nname,kind\nM31,Gal\n", "name string: \"M31\"\nkind string: \"Gal\"\n"},
	{"a comment of a word above a name", "t.csv", "# stars\nname\nM31\n", "name string: \"M31\"\n"},
	{"a title of as many words above names", "t.dat", "# my catalog\n# ra dec\n1 2\n3 4\n", "ra int64: 1 3\ndec int64: 2 4\n"},
	{"a remark of as many words below names", "t.dat", "# id ra dec\n# deg means degrees\n1 10.5 3\n", "id int64: 1\nra float64: 10.5\ndec int64: 3\n"},
	{"a longer remark below names", "t.dat", "# columns: id ra dec\n#\n# a remark of more words\n1 10.5 3\n", "id int64: 1\nra float64: 10.5\ndec int64: 3\n"},
	{"numbers of columns below names", "t.dat", "#id ra dec\n#(1) (2) (3)\n1 10.5 3\n", "id int64: 1\nra float64: 10.5\ndec int64: 3\n"},
	{"numbers in parentheses before names", "t.dat", "# (1) id\n# (2) ra\n1 10.5\n", "id int64: 1\nra float64: 10.5\n"},
	{"names in a comment between rules", "t.dat", "# -----------\n# id ra dec\n# -----------\n1 10.5 3\n", "id int64: 1\nra float64: 10.5\ndec int64: 3\n"},
	{"units in brackets in a comment", "t.dat", "# id ra dec\n# [] [deg] [deg]\n1 10.5 3\n", "id int64: 1\nra float64 [deg]: 10.5\ndec int64 [deg]: 3\n"},
	{"units below some of the names", "t.dat", "# id  ra    dec\n#     (deg) (deg)\n1 10.5 3\n", "id int64: 1\nra float64 [deg]: 10.5\ndec int64 [deg]: 3\n"},
	{"units in brackets", "t.csv", "x,y,name\n[m],[m/s],[-]\n1,2,x\n", "x int64 [m]: 1\ny int64 [m/s]: 2\nname string: \"x\"\n"},
	{"a logarithm among units", "t.csv", "x,y\nm,[Lsun]\n1,2\n", "x int64 [m]: 1\ny int64 [[Lsun]]: 2\n"},
	{"empty units in brackets", "t.dat", "id ra dec\n[] [deg] [deg]\n1 10.5 3\n", "id int64: 1\nra float64 [deg]: 10.5\ndec int64 [deg]: 3\n"},
	{"units in words", "t.csv", "id,ra,mag\n-,hrs,mags\n1,2,3\n", "id int64: 1\nra int64 [hrs]: 2\nmag int64 [mags]: 3\n"},
	{"a row of types", "t.csv", "id,ra\nint,double\n1,2.5\n", "id int64: 1\nra float64: 2.5\n"},
	{"words between blanks", "t.dat", "name type host\nM31 Gal yes\nM33 Gal no\n", "name string: \"M31\" \"M33\"\ntype string: \"Gal\" \"Gal\"\nhost string: \"yes\" \"no\"\n"},
	{"a rule below names between blanks", "t.dat", "id   ra     dec\n--------------\n1    10.5   3\n2    3      4\n", "id int64: 1 2\nra float64: 10.5 3\ndec int64: 3 4\n"},
	{"a rule below names, and no row", "t.dat", "id ra\n-----\n", "id float64:\nra float64:\n"},
	{"rules around names and below rows", "t.dat", "==============\nid   ra     dec\n==============\n1    10.5   3\n2    3      4\n==============\n", "id int64: 1 2\nra float64: 10.5 3\ndec int64: 3 4\n"},
	{"a list of SIMBAD", "t.txt", simbad, "# int64: 1 2\nidentifier string: \"M 31\" \"M 33\"\ntyp string: \"G\" \"G\"\nMag V float64?: 3.44 ·\n"},
	{"an answer of SIMBAD", "t.txt", "C.D.S.  -  SIMBAD4 rel 1.8\n----------------\n\nNumber of objects : 2\n\n" + simbad + "====================\n", "# int64: 1 2\nidentifier string: \"M 31\" \"M 33\"\ntyp string: \"G\" \"G\"\nMag V float64?: 3.44 ·\n"},
	{"a text of DOS", "t.dat", "id ra\r\n1 2\r\n4 5\r\n\x1a", "id int64: 1 4\nra int64: 2 5\n"},
	{"Excel's delimiter", "t.csv", "sep=;\na;b\n1,5;2\n", "a string: \"1,5\"\nb int64: 2\n"},
}

const simbad = "#|identifier|typ|Mag V \n-|----------|---|------\n1|M 31      |G  |3.44  \n2|M 33      |G  |  ~   \n"

const apphot = `#K REJFILE    = "hello world"           filename   %-23s
#
#N IMAGE  XINIT     ID    \
#U imagename pixels ##    \
#F %-8s   %-10.3f   %-6d
#
#N RAPERT   MAG    PERROR \
#U scale    mag    perrors \
#F %-12.2f  %-7.3f %-9s
#
median_S299.929   366    \
   6.00     24.673 NoError   *\
   11.00    INDEF  BadPixels*
median_S85.452    367    \
   6.00     20.175 NoError   *\
   11.00    19.992 NoError   *
`

const readMeAbove = `Title: a table
================================================================================
Byte-by-byte Description of file: t.dat
--------------------------------------------------------------------------------
   Bytes Format Units   Label   Explanations
--------------------------------------------------------------------------------
   1-  8 E8.2   deg     ra      Right ascension
  10     I1     ---     n       Number
--------------------------------------------------------------------------------

Acknowledgements:
   Somebody

================================================================================
(End)                                     Somebody [CDS]    16-Jul-2013
--------------------------------------------------------------------------------
1.05E+01 7
1.50D+02 8
`

func TestOddForms(t *testing.T) {
	for _, f := range oddForms {
		c, err := Open(context.Background(), []string{writeText(t, f.file, f.text)}, Options{})
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
		} else if d := cmp.Diff(f.want, table(t, c)); d != "" {
			t.Errorf("%s: %s", f.name, d)
		}
	}
}

// A row that is taken for units is said to be.
func TestUnitsAreSaid(t *testing.T) {
	for text, want := range map[string]string{
		"ra,dec\ndeg,deg\n1,2\n":                                    "line 2 is taken for units: deg, deg",
		"# ra dec\n# deg deg\n1 2\n3 4\n":                           "a comment is taken for units: deg, deg",
		"a,b\n1,2\n#3,4\n# a remark, too\n5,6\n":                    "1 line with as many cells as there are columns, from line 3 on, left out as comments",
		"a,b\n#1,2\n#3,4\n":                                         "2 lines with as many cells as there are columns, from line 2 on, left out as comments",
		"id ra dec\n1 10.5 3\n2 3 4\nend of file\n":                 "line 4 has text where most rows have numbers, so that id, ra, dec are text",
		"name\nNGC 224\nM 31 A\n":                                   "each line is one text of the column name",
		"BatchStart\n\nResults from x: y\n|name |ra |\n|A B |3 |\n": "each line is one text of the column BatchStart",
		"#a,b\nM31,Gal\nM33,Gal\n":                                  "names are taken from the comment #a,b; the first row is line 2",
		"id,ra\nint,double\n1,2.5\n":                                "line 2 is taken for types",
		"# a b\n# some words\n1 2\n3 4\n":                           "names are taken from the comment # a b, and not from # some words",
	} {
		c := open(t, writeText(t, "t.dat", text))
		if notes := strings.Join(c.Files()[0].Notes, "\n"); !strings.Contains(notes, want) {
			t.Errorf("%q: notes %q, want %q", text, notes, want)
		}
	}
}

// QDP with columns of errors is refused, with what makes a table of it.
func TestQDPErrors(t *testing.T) {
	_, err := Open(context.Background(), []string{writeText(t, "t.qdp", "READ SERR 1\n!a(erg) b\n1 0.5 2\n")}, Options{})
	if err == nil || !strings.Contains(err.Error(), "it is QDP with columns of errors") {
		t.Error(err)
	}
}

// Columns that are no coordinates are named with what would make them some.
func TestNoCoordinates(t *testing.T) {
	for text, want := range map[string]string{
		"ra;dec\n1,5;2\n3,5;4\n":         "column ra is string (PATH, line 2 has \"1,5\": write decimal points); name the coordinate columns",
		"ra,dec\n1.5D+02,1d3\n":          "column ra is string (PATH, line 2 has \"1.5D+02\": write its exponent with E); name the coordinate columns",
		"ra,dec\n1.5,2\n2.5,2:30\n3,4\n": "column dec is string (PATH, line 3 has \"2:30\", other rows plain numbers: write all in one way); name the coordinate columns",
		"l,b\n1,2\n":                     "l and b are galactic by name: --frame galactic",
		"a,b\n1,2\n":                     "no columns are recognised as right ascension and declination; name the coordinate columns",
	} {
		path := writeText(t, "t.csv", text)
		_, _, err := open(t, path).Detect()
		if want = strings.ReplaceAll(want, "PATH", path); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Lines whose cells fit neither the widths that the file has nor its number of columns
// are refused.
func TestLinesOfOtherWidths(t *testing.T) {
	for old, now := range map[string]string{"median_S299.929   366": "median_S x y z 299.929 366", "NoError   *": "NoError"} {
		_, err := Open(context.Background(), []string{writeText(t, "a.mag", strings.Replace(apphot, old, now, 1))}, Options{})
		if err == nil || !strings.Contains(err.Error(), "line 11: its lines are not as #N and #F have them") {
			t.Errorf("%s: read, or refused without the line: %v", now, err)
		}
	}
}
