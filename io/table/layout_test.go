package table

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// laidOut has complex numbers, arrays of several axes, lists of texts and bits.
const laidOut = `<VOTABLE version="1.4"><RESOURCE><TABLE>
<FIELD name="c" datatype="doubleComplex"/><FIELD name="f" datatype="floatComplex" arraysize="2"/>
<FIELD name="m" datatype="double" arraysize="3x2"/><FIELD name="n" datatype="short" arraysize="2x1x2"/>
<FIELD name="s" datatype="char" arraysize="4x2"/><FIELD name="b" datatype="bit" arraysize="11"/><FIELD name="x" datatype="bit"/>
<DATA><TABLEDATA>
<TR><TD>1 2</TD><TD>1 2 3 4</TD><TD>1 2 3 4 5 6</TD><TD>1 2 3 4</TD><TD>ab  cd  </TD><TD>1 0 1 0 1 0 1 0 1 0 1</TD><TD>1</TD></TR>
<TR><TD>0 -1</TD><TD>0 0 0.5 -0.5</TD><TD>6 5 4 3 2 1</TD><TD>-1 -2 -3 -4</TD><TD>    abcd</TD><TD>0 0 0 0 0 0 0 0 0 0 1</TD><TD>0</TD></TR>
</TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>`

// Formats that have complex numbers, arrays of several axes, lists of texts and bits
// keep them; others say what becomes of them.
func TestLayoutIsKept(t *testing.T) {
	in := lines(t, "in.vot", laidOut)
	for _, f := range []struct {
		via     []string
		says    []string // the output
		changes []Change
	}{
		{[]string{".vot"}, []string{`name="c" datatype="doubleComplex">`, `datatype="floatComplex" arraysize="2"`, `arraysize="3x2"`, `arraysize="2x1x2"`, `datatype="bit" arraysize="11"`, `name="x" datatype="bit">`}, []Change{{"s", "text"}}},
		{[]string{".fits"}, []string{"'1M      '", "'2C      '", "TDIM3   = '(3,2)   '", "TDIM4   = '(2,1,2) '", "'8A      '", "TDIM5   = '(4,2)   '", "'11X     '", "'1L      '"}, nil},
		{[]string{".ecsv"}, []string{"complex128", "float32[null]", "float64[2,3]", "int16[2,1,2]", "string[2]", `[[1,2,3],[4,5,6]]`}, []Change{{"f", "pairs of numbers"}}},
		{[]string{".parquet"}, nil, []Change{{"c", "pairs of numbers"}, {"f", "pairs of numbers"}, {"m", "lists without their axes"}, {"n", "lists without their axes"}}},
		{[]string{".fits", ".vot"}, []string{`name="c" datatype="doubleComplex">`, `arraysize="3x2"`, `datatype="bit" arraysize="11"`}, []Change{{"s", "text"}}},
		{[]string{".parquet", ".fits"}, []string{"'2D      '"}, []Change{{"s", "text"}}},
	} {
		at := in
		var changed []Change
		for _, ext := range f.via {
			out := filepath.Join(t.TempDir(), "out"+ext)
			changed = nil
			if _, err := Append(ctx, out, open(t, at), nil, Options{Changed: &changed, Decode: true}); err != nil {
				t.Fatalf("%v: %v", f.via, err)
			}
			at = out
		}
		text, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range f.says {
			if !strings.Contains(string(text), want) {
				t.Errorf("%v: no %s in the output", f.via, want)
			}
		}
		if d := cmp.Diff(f.changes, changed); d != "" {
			t.Errorf("%v: changes %s", f.via, d)
		}
		was, is := readAll(t, in), readAll(t, at)
		for i := range was {
			if d := cmp.Diff(shown(t, &was[i]), shown(t, &is[i])); d != "" && !slices.Contains(changed, Change{was[i].Field.Name, "text"}) {
				t.Errorf("%v: %s: %s", f.via, was[i].Field.Name, d)
			}
		}
	}
}

// Astropy reads the same complex numbers, arrays and texts.
func TestLayoutAsAstropy(t *testing.T) {
	in := lines(t, "in.vot", laidOut)
	const script = `
import sys
from astropy.table import Table
t = Table.read(sys.argv[1], format=sys.argv[2])
print(*[t[n].tolist() for n in "cfmn"], [[v.decode().strip() for v in r] for r in t["s"]], t["b"].tolist(), t["x"].ravel().tolist())`
	const want = "[(1+2j), -1j] [[(1+2j), (3+4j)], [0j, (0.5-0.5j)]] [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[6.0, 5.0, 4.0], [3.0, 2.0, 1.0]]] [[[[1, 2]], [[3, 4]]], [[[-1, -2]], [[-3, -4]]]] [['ab', 'cd'], ['', 'abcd']] " +
		"[[True, False, True, False, True, False, True, False, True, False, True], [False, False, False, False, False, False, False, False, False, False, True]] [True, False]\n"
	out := filepath.Join(t.TempDir(), "out.fits")
	if _, err := Append(ctx, out, open(t, in), nil, Options{}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, astropy(t, script, out, "fits")); d != "" {
		t.Error(d)
	}
}

// Astropy compares TNULL with the values to which it has added TZERO, so that it shows the
// nulls of unsigned integers that have one: those below 2^63 do without it.
func TestUnsignedNullsAsAstropy(t *testing.T) {
	in := lines(t, "in.ecsv", "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: u, datatype: uint64}\n# - {name: v, datatype: uint64}\n# schema: astropy-2.0\nu v\n5 \"\"\n\"\" \"\"\n9223372036854775807 \"\"\n")
	out := filepath.Join(t.TempDir(), "out.fits")
	if _, err := Append(ctx, out, open(t, in), nil, Options{}); err != nil {
		t.Fatal(err)
	}
	const script = `
import sys
from astropy.table import Table
t = Table.read(sys.argv[1], format=sys.argv[2])
print(t["u"].tolist(), t["v"].tolist())`
	if d := cmp.Diff("[5, None, 9223372036854775807] [None, None, None]\n", astropy(t, script, out, "fits")); d != "" {
		t.Error(d)
	}
	c := readAll(t, out)
	if got := shown(t, &c[0]); !strings.Contains(strings.Join(got, " "), "9223372036854775807") || !c[0].IsNull(1) {
		t.Errorf("read again: %v", got)
	}
}
