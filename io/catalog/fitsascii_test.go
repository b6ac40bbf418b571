package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asciiTable returns a file with a table of text of rows of the given length. cards
// are those of the columns.
func asciiTable(rows []string, cards ...string) []byte {
	head := []string{
		"XTENSION= 'TABLE   '", "BITPIX  = 8", "NAXIS   = 2", fmt.Sprintf("NAXIS1  = %d", len(rows[0])),
		fmt.Sprintf("NAXIS2  = %d", len(rows)), "PCOUNT  = 0", "GCOUNT  = 1",
	}
	n := 0
	for _, c := range cards {
		if strings.HasPrefix(c, "TFORM") {
			n++
		}
	}
	data := fitsFile(append(append(head, fmt.Sprintf("TFIELDS = %d", n)), cards...), nil)
	return append(data, padTo([]byte(strings.Join(rows, "")), ' ')...)
}

// starsAsText is a table with a column of every TFORM, not in the order of their
// places; numbers as programs of Fortran and C write them.
func starsAsText() []byte {
	return asciiTable([]string{
		"  10.5000  -5.25 STAR    7 1.25E-03 12345678901 3",
		"  11.0000  1E+02  GAL    8-1.5D+100          -1 4",
		"  1.1D+01  -5.0  QSO    -1  2.5-101           0-5",
	},
		"TTYPE1  = 'ra      '", "TFORM1  = 'F9.4    '", "TBCOL1  = 1", "TUNIT1  = 'deg     '",
		"TTYPE2  = 'dec     '", "TFORM2  = 'F7.2    '", "TBCOL2  = 10", "TUNIT2  = 'deg     '",
		"TTYPE3  = 'big     '", "TFORM3  = 'I12     '", "TBCOL3  = 36",
		"TTYPE4  = 'cls     '", "TFORM4  = 'A5      '", "TBCOL4  = 18", "TCOMM4  = 'of the source'",
		"TTYPE5  = 'n       '", "TFORM5  = 'I4      '", "TBCOL5  = 23",
		"TTYPE6  = 'flux    '", "TFORM6  = 'E9.2    '", "TBCOL6  = 27",
		"TTYPE7  = 'half    '", "TFORM7  = 'I2      '", "TBCOL7  = 48", "TSCAL7  = 0.5", "TZERO7  = 10",
		"AUTHOR  = 'A. N. Other'")
}

func TestFITSTextTable(t *testing.T) {
	c := open(t, writeFile(t, "t.fits", starsAsText()))
	want := lines("ra float64? [deg]: 10.5 11 11", "dec float64? [deg]: -5.25 100 -5", "big int64?: 12345678901 -1 0", `cls string?: "STAR" " GAL" "QSO"`,
		"n int32?: 7 8 -1", "flux float64?: 0.00125 -1.5e+100 2.5e-101", "half float64?: 11.5 12 7.5")
	if d := cmp.Diff(want, table(t, c)); d != "" {
		t.Error(d)
	}
	if f, _ := c.Field("cls"); f.Description != "of the source" || f.Text != "A5" {
		t.Errorf("cls is %+v", f)
	}
	if m := c.Metadata(); len(m) != 1 || m[0].Key != "AUTHOR" {
		t.Errorf("metadata %v", m)
	}
	if notes := c.Files()[0].Notes; len(notes) != 1 || notes[0] != "an ASCII table (XTENSION = TABLE)" {
		t.Errorf("notes %v", notes)
	}
}

// Astropy reads the same values, but for the number whose exponent is only a sign.
func TestFITSTextTableAsAstropy(t *testing.T) {
	data := strings.Replace(string(starsAsText()), "  2.5-101", "2.5D-101 ", 1)
	sameAsAstropy(t, [][2]string{{writeFile(t, "t.fits", []byte(data)), "fits"}})
}

// TestFITSTextTableNulls has fields that are blank, or the TNULL of their column,
// which is cut to the width.
func TestFITSTextTableNulls(t *testing.T) {
	c := open(t, writeFile(t, "t.fits", asciiTable([]string{" 1.5 a 12", "     N/-9", "  NaNb   "},
		"TTYPE1  = 'x'", "TFORM1  = 'F5.1'", "TBCOL1  = 1", "TTYPE2  = 's'", "TFORM2  = 'A2'", "TBCOL2  = 6", "TNULL2  = 'N/A'",
		"TTYPE3  = 'n'", "TFORM3  = 'I2'", "TBCOL3  = 8", "TNULL3  = '-9'")))
	if d := cmp.Diff(lines("x float64?: 1.5 · ·", `s string?: "a" · "b"`, "n int32?: 12 · ·"), strings.ReplaceAll(table(t, c), "NaN", "·")); d != "" {
		t.Error(d)
	}
}

func TestFITSTextTableDamaged(t *testing.T) {
	for _, c := range []struct {
		want, row string
		cards     []string
	}{
		{"column 1: it has the characters 3 to 7 of rows of 5", "12345", []string{"TFORM1  = 'I5'", "TBCOL1  = 3"}},
		{"column 1: the header has no TBCOL1", "12345", []string{"TFORM1  = 'I5'"}},
		{`column 1: TFORM = "F" has no width`, "12345", []string{"TFORM1  = 'F'", "TBCOL1  = 1"}},
		{`column 1: TFORM = "I-5" has no width`, "12345", []string{"TFORM1  = 'I-5'", "TBCOL1  = 1"}},
		{`column 1: TFORM = "K5" has the unknown type K`, "12345", []string{"TFORM1  = 'K5'", "TBCOL1  = 1"}},
		{`column col1: "1 2" is no number as its TFORM I5 has them`, "1 2  ", []string{"TFORM1  = 'I5'", "TBCOL1  = 1"}},
		{`column col1: "1.2.3" is no number`, "1.2.3", []string{"TFORM1  = 'E5.1'", "TBCOL1  = 1"}},
		{`column col1: "9223372036854775808" is no number`, " 9223372036854775808", []string{"TFORM1  = 'I20'", "TBCOL1  = 1"}},
	} {
		cat, err := Open(t.Context(), []string{writeFile(t, "t.fits", asciiTable([]string{c.row}, c.cards...))}, Options{})
		if err == nil {
			_, err = cat.Read(t.Context(), []string{"col1"}, nil)
			cat.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.want, err)
		}
	}
}
