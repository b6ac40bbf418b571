package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// threeTables is a document with a table in each serialization; the second is binary,
// of floats of 4 bytes 1 and 2.
const threeTables = `<?xml version="1.0"?>
<VOTABLE version="1.4"><RESOURCE>
<TABLE name="stars"><FIELD name="a" datatype="int"/><DATA><TABLEDATA><TR><TD>1</TD></TR><TR><TD>2</TD></TR></TABLEDATA></DATA></TABLE>
<TABLE ID="fluxes"><DESCRIPTION>of the second</DESCRIPTION><FIELD name="b" datatype="float"/><DATA><BINARY><STREAM encoding="base64">P4AAAEAA
AAA=</STREAM></BINARY></DATA></TABLE>
<TABLE name="Names"><FIELD name="c" datatype="string"/><FIELD name="d" datatype="unicodeString" arraysize="*"/><DATA><TABLEDATA><TR><TD>x y</TD><TD>é</TD></TR></TABLEDATA></DATA></TABLE>
</RESOURCE></VOTABLE>`

// TestVOTableTables chooses among the tables of a document by number, name and ID.
func TestVOTableTables(t *testing.T) {
	path := writeText(t, "t.vot", threeTables)
	first, second, third := lines("a int32?: 1 2"), lines("b float32?: 1 2"), lines(`c string?: "x y"`, `d string?: "é"`)
	for at, want := range map[string]string{"": first, "[1]": first, "[stars]": first, "[2]": second, "[fluxes]": second, "[3]": third, "[names]": third} {
		if d := cmp.Diff(want, table(t, open(t, path+at))); d != "" {
			t.Errorf("%s: %s", at, d)
		}
	}
	if notes := open(t, path).Files()[0].Notes; !slices.Equal(notes, []string{"the first of several tables; --hdu 2 reads the second"}) {
		t.Errorf("notes %v", notes)
	}
	if notes := open(t, path+"[3]").Files()[0].Notes; notes != nil {
		t.Errorf("notes %v", notes)
	}
	_, err := Open(t.Context(), []string{path + "[4]"}, Options{})
	if err == nil || !strings.Contains(err.Error(), "no table 4; it has 1 (stars), 2 (fluxes), 3 (Names)") {
		t.Errorf("a table that is not there: %v", err)
	}
}

// TestVOTableComplex reads complex numbers, one and many, as text and in binary.
func TestVOTableComplex(t *testing.T) {
	const head = `<VOTABLE version="1.4"><RESOURCE><TABLE><FIELD name="c" datatype="floatComplex"/><FIELD name="d" datatype="doubleComplex" arraysize="*"/><DATA>`
	const tail = `</DATA></TABLE></RESOURCE></VOTABLE>`
	for name, data := range map[string]string{
		"text": `<TABLEDATA><TR><TD>1 2</TD><TD>3 -4 5 6</TD></TR><TR><TD/><TD/></TR></TABLEDATA>`,
		// 1, 2; two numbers 3-4i and 5+6i, then a row of NaN and none.
		"binary": `<BINARY><STREAM encoding="base64">P4AAAEAAAAAAAAACQAgAAAAAAADAEAAAAAAAAEAUAAAAAAAAQBgAAAAAAAB/wAAAf8AAAAAAAAA=</STREAM></BINARY>`,
	} {
		c := open(t, writeText(t, "t.vot", head+data+tail))
		for column, want := range map[string][2]string{"c[0]": {"1", ""}, "c[1]": {"2", ""}, "d[1]": {"-4", ""}, "d[2]": {"5", ""}, "d[3]": {"6", ""}} {
			if col := read(t, c, column)[0]; col.text(0) != want[0] || col.text(1) != want[1] {
				t.Errorf("%s: %s is %q and %q", name, column, col.text(0), col.text(1))
			}
		}
		if f, _ := c.Field("c"); f.Text != "floatComplex (complex: real, imaginary)" {
			t.Errorf("c is %s", f.Text)
		}
	}
}

// Rows that cannot be had: the message says where they are.
func TestVOTableRowsOutOfReach(t *testing.T) {
	for data, want := range map[string]string{
		`<PARQUET type="VOTable-remote-file"><STREAM href="file:///nowhere/gaia.parquet"/></PARQUET>`: "the rows are in /nowhere/gaia.parquet: ",
		`<PARQUET><STREAM href="https://example.org/gaia.parquet"/></PARQUET>`:                        "the rows are at https://example.org/gaia.parquet, which is not fetched: download that file",
		`<BINARY2><STREAM href="ftp://example.org/rows"/></BINARY2>`:                                  "the rows are at ftp://example.org/rows, which is not fetched",
		`<BINARY><STREAM href="gone.bin"/></BINARY>`:                                                  "gone.bin: no such file",
		`<FITS><STREAM href="t.vot"/></FITS>`:                                                         "which is a VOTable, too",
		`<FITS extnum="1"><STREAM encoding="base64">AAAA</STREAM></FITS>`:                             "the rows are in the document: not a catalog",
		`<FITS><STREAM encoding="dynamic">AAAA</STREAM></FITS>`:                                       `the encoding "dynamic"`,
		`<PARQUET/>`: "a PARQUET element without a STREAM",
	} {
		_, err := Open(t.Context(), []string{writeText(t, "t.vot", `<VOTABLE><RESOURCE><TABLE><FIELD name="a" datatype="int"/><DATA>`+data+`</DATA></TABLE></RESOURCE></VOTABLE>`)}, Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
