package votable

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"skyjoin/internal/format"
)

// documentHead is a document with one table up to its rows. Of a Field, Name,
// Unit, UCD, Xtype, Description, Kind, Complex, Arraysize and the null count.
func documentHead(fields []Field, notes []format.KeyValue) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3">
<RESOURCE type="results">
`)
	for _, n := range notes {
		fmt.Fprintf(&b, "<INFO%s%s/>\n", attribute("name", n.Key), attribute("value", n.Value))
	}
	b.WriteString("<TABLE>\n")
	for _, f := range fields {
		fmt.Fprintf(&b, "<FIELD%s%s", attribute("name", f.Name), attribute("datatype", f.datatype()))
		for _, a := range [][2]string{{"arraysize", f.Arraysize}, {"unit", f.Unit}, {"ucd", f.UCD}, {"xtype", f.Xtype}} {
			if a[1] != "" {
				b.WriteString(attribute(a[0], a[1]))
			}
		}
		b.WriteString(">")
		if f.Description != "" {
			b.WriteString("<DESCRIPTION>" + escape(f.Description) + "</DESCRIPTION>")
		}
		if f.hasNull {
			fmt.Fprintf(&b, `<VALUES null="%d"/>`, f.null)
		}
		b.WriteString("</FIELD>\n")
	}
	b.WriteString("<DATA><BINARY2><STREAM encoding=\"base64\">\n")
	return b.String()
}

// datatype is that of the field.
func (f *Field) datatype() string {
	if f.Complex {
		return f.Kind.String() + "Complex"
	}
	return f.Kind.String()
}

// documentEnd is the part of a document after the rows.
const documentEnd = "\n</STREAM></BINARY2></DATA>\n</TABLE>\n</RESOURCE>\n</VOTABLE>\n"

func attribute(name, value string) string { return fmt.Sprintf(` %s="%s"`, name, escape(value)) }

// escape escapes text for XML. Control characters, which XML does not allow, are
// replaced.
func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a strings.Builder does not fail
	return b.String()
}

// lines breaks text into lines.
type lines struct {
	w  io.Writer
	at int // in the line
}

const lineBytes = 76

func (l *lines) Write(p []byte) (int, error) {
	n := 0
	for len(p) > 0 {
		k := min(lineBytes-l.at, len(p))
		if _, err := l.w.Write(p[:k]); err != nil {
			return n, err
		}
		n, p = n+k, p[k:]
		if l.at += k; l.at == lineBytes {
			if _, err := l.w.Write([]byte{'\n'}); err != nil {
				return n, err
			}
			l.at = 0
		}
	}
	return n, nil
}
