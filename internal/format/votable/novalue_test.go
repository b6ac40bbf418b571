package votable

import (
	"math"
	"strings"
	"testing"
)

// Services write words for numbers that they do not have, against the standard: they
// are nulls, also in arrays.
func TestWordsForNoValue(t *testing.T) {
	const document = `<VOTABLE><RESOURCE><TABLE><FIELD name="e" datatype="double"/><FIELD name="n" datatype="int"/><FIELD name="a" datatype="float" arraysize="*"/><FIELD name="s" datatype="char" arraysize="*"/><DATA><TABLEDATA>` +
		`<TR><TD>null</TD><TD>-</TD><TD>1 null 3</TD><TD>null</TD></TR><TR><TD> NULL </TD><TD>--</TD><TD>-</TD><TD>-</TD></TR><TR><TD>-1</TD><TD>-2</TD><TD></TD><TD></TD></TR></TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>`
	r, err := NewReader(strings.NewReader(document), "", "")
	if err != nil {
		t.Fatal(err)
	}
	for row, want := range []struct {
		e, n  bool
		array []bool
		text  string
	}{{true, true, []bool{false, true, false}, "null"}, {true, true, []bool{true}, "-"}, {false, false, nil, ""}} {
		c, err := r.Next(nil)
		if err != nil {
			t.Fatal(err)
		}
		if c[0].Nulls[0] != want.e || c[1].Nulls[0] != want.n || want.e && !math.IsNaN(c[0].Floats[0]) || string(c[3].Text) != want.text {
			t.Errorf("row %d: %+v", row, c)
		}
		for i, null := range want.array {
			if c[2].Nulls[i] != null {
				t.Errorf("row %d, element %d: %v", row, i, c[2])
			}
		}
	}
	for _, bad := range []string{"nul", "---", "none"} {
		r, err := NewReader(strings.NewReader(strings.Replace(document, ">null<", ">"+bad+"<", 1)), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(nil); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
