package votable

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Rows are read alike whether or not the XML decoder is needed for them, wherever
// buffers end. A document that says it is in Latin-1 is all for the decoder.
func TestPlainRowsAreReadAsTheDecoderDoes(t *testing.T) {
	rows := []string{
		"<TR><TD>1</TD><TD>plain</TD></TR>",
		"\n <TR>\r\n\t<TD> 2 </TD>\n<TD> a\tb \n</TD> </TR>",
		"<TR><TD></TD><TD></TD></TR>",
		"<TR><TD>3</TD><TD>a &lt; b &amp; c</TD></TR>",
		`<TR ID="r4"><TD encoding="base64">4</TD><TD>x</TD></TR>`,
		"<TR><TD>5</TD><TD/></TR>",
		"<TR><TD/><TD><![CDATA[<b>]]></TD></TR>",
		"<TR><!-- six --><TD>6</TD><TD>six</TD></TR>",
		"<TR><TD>7</TD><TD>" + strings.Repeat("long ", 20_000) + "</TD></TR>",
		"<TR ><TD>8</TD><TD>line\r\nend</TD></TR>",
	}
	var body strings.Builder
	for i := range 4000 {
		body.WriteString(rows[0])
		if i%400 == 0 {
			body.WriteString(rows[i/400])
		}
	}
	read := func(encoding string) (texts []string) {
		r, err := NewReader(strings.NewReader(document(encoding, body.String())), "", "")
		if err != nil {
			t.Fatal(err)
		}
		for {
			cells, err := r.Next(nil)
			if err == io.EOF {
				return texts
			}
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, fmt.Sprintf("%v %v %v %q", cells[0].Null, cells[0].Ints, cells[1].Null, cells[1].Text))
		}
	}
	got, want := read("UTF-8"), read("ISO-8859-1")
	if len(want) != 4010 || !slices.Equal(got, want) {
		t.Errorf("%d and %d rows, which differ", len(got), len(want))
	}
}

// Errors behind plain rows name the row and the line.
func TestErrorsBehindPlainRows(t *testing.T) {
	for last, want := range map[string]string{
		"<TR><TD>1</TD></TR>":                           "row 9: 1 cells for 2 fields",
		"<TR><TD>1</TD><TD>a</TD><TD>b</TD></TR>":       "row 9: more cells than the 2 fields",
		"<TR><TD>x</TD><TD>a</TD></TR>":                 `row 9: field "n" has "x", which is no int`,
		"<TR><TD>1</TD><TD>a & b</TD></TR>":             "row 9: line 11 is no well-formed XML: invalid character entity & (no semicolon)",
		"<TR><TD>1</TD><TD>a":                           "row 9: </TABLEDATA> stands where </TD> should",
		"<TR><TD>1</TD><TD>\x01</TD></TR>":              "row 9: line 11 is no well-formed XML: illegal character code U+0001",
		"<TR><TD>1</TD><TD>a]]></TD></TR>":              "row 9: line 11 is no well-formed XML: unescaped ]]> not in CDATA section",
		"<TR><TD>1</TD><TD><TABLE></TABLE></TD></TR>\n": "row 9: <TABLE> inside <TD>",
	} {
		r, err := NewReader(strings.NewReader(document("UTF-8", strings.Repeat("\n<TR><TD>1</TD><TD>a</TD></TR>", 9)+"\n"+last)), "", "")
		for err == nil {
			_, err = r.Next([]bool{true, false})
		}
		if err.Error() != want {
			t.Errorf("%s: %v, want %s", last, err, want)
		}
	}
}

// A field that nobody wants keeps what it had, and is not parsed.
func TestUnwantedCellsOfPlainRows(t *testing.T) {
	r, err := NewReader(strings.NewReader(document("UTF-8", "<TR><TD>no number</TD><TD>a</TD></TR>")), "", "")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := r.Next([]bool{false, true})
	if err != nil || string(cells[1].Text) != "a" || !reflect.ValueOf(cells[0]).IsZero() {
		t.Errorf("%v, %v", cells, err)
	}
}

func document(encoding, rows string) string {
	return `<?xml version="1.0" encoding="` + encoding + `"?><VOTABLE><RESOURCE><TABLE>` +
		`<FIELD name="n" datatype="int"/><FIELD name="s" datatype="char" arraysize="*"/>` +
		"<DATA><TABLEDATA>" + rows + "</TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>"
}
