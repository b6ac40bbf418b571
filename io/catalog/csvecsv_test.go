package catalog

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const ecsvHead = "# %ECSV 1.0\n# ---\n"

func TestECSV(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"flow style, blanks", ecsvHead + "# datatype:\n# - {name: ra, unit: deg, datatype: float64, description: 'Right, ascension'}\n" +
			"# - {name: n, datatype: uint8}\n# - {name: ok, datatype: bool}\n# - {name: s, datatype: string}\n# schema: astropy-2.0\n" +
			"ra n ok s\n10.5 255 True \"a b\"\nnan \"\" False \"\"\n", lines(
			"ra float64 [deg]: 10.5 NaN", "n uint8?: 255 ·", "ok bool: true false", `s string?: "a b" ·`)},
		{"block style, commas", ecsvHead + "# delimiter: ','\n# datatype:\n# -\n#   name: id\n#   datatype: int64\n#   meta:\n#     ucd: meta.id\n" +
			"# -\n#   name: g\n#   datatype: float32\n#   unit: mag\nid,g\n5188146736371635584,0.1\n,\n", lines(
			"id int64?: 5188146736371635584 ·", "g float32? [mag]: 0.1 ·")},
		{"arrays", ecsvHead + "# datatype:\n# - {name: v, datatype: string, subtype: 'float32[null]'}\n# - {name: s, datatype: string, subtype: 'string[2]'}\n" +
			"v s\n[1.5,null,NaN] \"[\"\"a b\"\",\"\"c\\\"\"d\"\"]\"\n\"\" \"\"\n", lines("v list?: [1.5;;NaN;] ·", "s list?: [a b;c\"d;] ·")},
		{"astropy units", ecsvHead + "# datatype:\n# - {name: v, unit: !astropy.units.Unit {unit: km / s}, datatype: float16}\nv\n1\n", "v float32 [km / s]: 1\n"},
	} {
		if d := cmp.Diff(c.want, table(t, open(t, writeText(t, "t.csv", c.text)))); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	f, err := open(t, writeText(t, "t.ecsv", ecsvHead+"# datatype:\n# -\n#   name: id\n#   datatype: int64\n#   description: An identifier\n#   meta:\n#     ucd: meta.id\nid\n1\n")).Field("id")
	if err != nil || f.UCD != "meta.id" || f.Description != "An identifier" {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestECSVErrors(t *testing.T) {
	two := ecsvHead + "# delimiter: ','\n# datatype:\n# - {name: ra, datatype: float64}\n# - {name: n, datatype: int8}\n"
	for _, c := range []struct{ name, text, want string }{
		// C41.
		{"no column line", two + "10.5,1\n11,2\n", "line 7: column line missing: 10.5,1 stands where the header promises ra,n"},
		{"another column line", two + "ra,m\n11,2\n", "line 7: the column line, ra,m, differs from the columns that the header declares: ra,n"},
		{"no datatype", ecsvHead + "ra\n1\n", "the header of ECSV has no datatype list, which declares the columns"},
		{"delimiter", ecsvHead + "# delimiter: ';'\n# datatype:\n# - {name: ra, datatype: float64}\nra\n", `the header of ECSV has the delimiter ";", it must be a comma or a blank`},
		{"a bad float", two + "ra,n\n1,2\nx,2\n", `line 9: column ra has "x", which is no float64`},
		{"out of range", two + "ra,n\n1,128\n", `line 8: column n has "128", which is no int8`},
		{"nan in an integer", two + "ra,n\n1,nan\n", `line 8: column n has "nan", which is no int8`},
	} {
		path := writeText(t, "t.ecsv", c.text)
		_, err := Open(context.Background(), []string{path}, Options{})
		if err == nil || err.Error() != path+": "+c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// Texts of subtype json are what JSON says of them: its quotes are no part of an
// identifier. Other values stay as they are written.
func TestECSVOfJSON(t *testing.T) {
	path := writeText(t, "t.ecsv", ecsvHead+"# datatype:\n# - {name: id, datatype: int64}\n# - {name: name, datatype: string, subtype: json}\nid name\n"+
		"1 \"\"\"Star A\"\"\"\n2 null\n3 \"{\"\"a\"\": 1}\"\n4 2.5\n5 \"\"\"\u00e9 \\\\ \\\"\"x\\\"\"\"\"\"\n")
	col := read(t, open(t, path), "name")[0]
	for row, want := range []string{"Star A", "", `{"a": 1}`, "2.5", `é \ "x"`} {
		if got := col.text(row); got != want || col.IsNull(row) != (row == 1) {
			t.Errorf("row %d: %q (null %v), want %q", row, got, col.IsNull(row), want)
		}
	}
}

// In a column of strings the word null is a text, as it is to astropy.
func TestECSVOfTheWordNull(t *testing.T) {
	c := open(t, writeText(t, "t.ecsv", ecsvHead+"# datatype:\n# - {name: name, datatype: string}\n# - {name: x, datatype: float64}\nname x\nnull 1\n\"\" null\n"))
	if got, want := table(t, c), "name string?: \"null\" ·\nx float64?: 1 ·\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Complex numbers, as Python writes them, are lists of two.
func TestECSVComplex(t *testing.T) {
	path := writeText(t, "t.ecsv", ecsvHead+"# datatype:\n# - {name: id, datatype: int64}\n# - {name: z, datatype: complex128}\nid z\n1 (1+2j)\n2 -1e+20-2.5e-3j\n3 2j\n4 -4\n5 \"\"\n6 (nan-infj)\n")
	c := open(t, path)
	re, im := read(t, c, "z[0]")[0], read(t, c, "z[1]")[0]
	for row, want := range []string{"1 2", "-1e+20 -0.0025", "0 2", "-4 0", " ", "NaN -Inf"} {
		if got := re.text(row) + " " + im.text(row); got != want {
			t.Errorf("row %d: %s, want %s", row, got, want)
		}
	}
}

// The coordinates of a SkyCoord are recognised, unless there are two.
func TestDetectSkyCoord(t *testing.T) {
	c := open(t, writeText(t, "t.csv", "target.ra,target.dec,ra.x\n10,1,3\n"))
	if ra, dec, err := c.Detect(); ra != "target.ra" || dec != "target.dec" || err != nil || !c.IsSky([]string{ra, dec}) {
		t.Errorf("%s, %s, %v", ra, dec, err)
	}
	c = open(t, writeText(t, "t.csv", "a.ra,a.dec,b.ra,b.dec\n10,1,3,4\n"))
	if _, _, err := c.Detect(); err == nil || !strings.Contains(err.Error(), "right ascension is a.ra or b.ra") {
		t.Error(err)
	}
}

// A column that cannot be read is an error only when it is asked for.
func TestECSVUnsupported(t *testing.T) {
	path := writeText(t, "t.ecsv", ecsvHead+"# datatype:\n# - {name: z, datatype: datetime64}\n# - {name: a, datatype: int32}\nz a\n2015-01-01 3\n")
	c := open(t, path)
	if got := read(t, c, "a")[0].Int64[0]; got != 3 {
		t.Errorf("a = %d, want 3", got)
	}
	_, err := c.Read(context.Background(), []string{"z"}, nil)
	if want := "column z is datetime64, which cannot be read"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// The Gaia archive's own ECSV: integer columns wholly empty, nan in float ones.
func TestECSVGaiaArchive(t *testing.T) {
	c := open(t, dataFile(t, "gaia_dr3_archive.ecsv"))
	cols := read(t, c, "source_id", "parallax", "rv_nb_transits", "phot_bp_mean_mag")
	if got, want := fmt.Sprint(cols[0].Int64), "[6636090334814214528 6636090339112400000 6636090339113063296 6636090339112213760 6636090334814217600]"; got != want {
		t.Errorf("source_id %s, want %s", got, want)
	}
	if got := cols[1].text(0) + " " + cols[1].text(1); got != "0.05755191318641077 NaN" {
		t.Errorf("parallax %s", got)
	}
	if f := cols[1].Field; f.Unit != "mas" || f.UCD != "pos.parallax.trig" || f.Type != Float64 {
		t.Errorf("%+v", f)
	}
	if f := cols[2].Field; f.Type != Int16 {
		t.Errorf("%+v", f)
	}
	if f := cols[3].Field; f.Type != Float32 {
		t.Errorf("%+v", f)
	}
}
