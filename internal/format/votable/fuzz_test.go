package votable

import (
	"bytes"
	"io"
	"testing"
)

// FuzzRead reads damaged documents to their ends: an error or rows, no panic.
func FuzzRead(f *testing.F) {
	field := `<FIELD name="a" datatype="int"><VALUES null="-1"/></FIELD><FIELD name="b" datatype="double" arraysize="2"/><FIELD name="c" datatype="char" arraysize="3x*"/><FIELD name="d" datatype="bit" arraysize="*"/>`
	head := `<?xml version="1.0"?><VOTABLE version="1.4"><RESOURCE><INFO name="x" value="y"/><TABLE><DESCRIPTION>t</DESCRIPTION>` + field + `<DATA>`
	tail := `</DATA></TABLE></RESOURCE></VOTABLE>`
	f.Add([]byte(head + `<TABLEDATA><TR><TD>1</TD><TD>1 2.5</TD><TD>abcdef</TD><TD>1 0</TD></TR><TR><TD/><TD/></TR></TABLEDATA>` + tail))
	f.Add([]byte(head + `<BINARY><STREAM encoding="base64">AAAAAT/wAAAAAAAAQAAAAAAAAAAAAAABYWJjAAAACYGA</STREAM></BINARY>` + tail))
	f.Add([]byte(head + `<BINARY2><STREAM encoding="base64">gAAAAAE/8AAAAAAAAEAAAAAAAAAAAAAAAWFiYwAAAAmBgA==</STREAM></BINARY2>` + tail))
	f.Add([]byte(`<?xml version="1.0"?><!DOCTYPE VOTABLE [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><VOTABLE><RESOURCE>&b;</RESOURCE></VOTABLE>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data), "", "")
		if err != nil {
			return
		}
		values := 0
		for range 1000 {
			cells, err := r.Next(nil)
			if err != nil {
				if err != io.EOF && err.Error() == "" {
					t.Fatal("an error without a word")
				}
				return
			}
			for _, c := range cells {
				values += len(c.Ints) + len(c.Floats) + len(c.Text)
			}
			if values > 8*len(data)+64 && len(r.Fields) < 100 {
				// Bits are eight to a byte, base64 three bytes of four.
				t.Fatalf("%d values of %d bytes", values, len(data))
			}
		}
	})
}
