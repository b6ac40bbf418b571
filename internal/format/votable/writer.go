package votable

import (
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf16"

	be "encoding/binary"

	"skyjoin/internal/format"
)

// A Writer writes a document with one table, whose rows are BINARY2.
type Writer struct {
	w      io.Writer
	base64 io.WriteCloser
}

// NewWriter writes a document up to the rows. Of a Field, Name, Unit, UCD,
// Xtype, Description, Kind, Arraysize and what SetNull sets count.
func NewWriter(w io.Writer, fields []Field, notes []format.KeyValue) (*Writer, error) {
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
		fmt.Fprintf(&b, "<FIELD%s%s", attribute("name", f.Name), attribute("datatype", f.Kind.String()))
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
	if _, err := io.WriteString(w, b.String()); err != nil {
		return nil, err
	}
	return &Writer{w, base64.NewEncoder(base64.StdEncoding, &lines{w: w})}, nil
}

// SetNull declares an integer to be null.
func (f *Field) SetNull(v int64) { f.null, f.hasNull = v, true }

func attribute(name, value string) string { return fmt.Sprintf(` %s="%s"`, name, escape(value)) }

// escape writes text for XML, which has no control characters but those of
// white space.
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

// Write writes bytes of rows: for each row a mask of one bit a field, set for
// null, the first in the highest bit, then the values, which the Append
// functions make.
func (w *Writer) Write(rows []byte) error {
	_, err := w.base64.Write(rows)
	return err
}

// Close ends the document.
func (w *Writer) Close() error {
	if err := w.base64.Close(); err != nil {
		return err
	}
	_, err := io.WriteString(w.w, "\n</STREAM></BINARY2></DATA>\n</TABLE>\n</RESOURCE>\n</VOTABLE>\n")
	return err
}

// AppendInt appends an integer of a kind.
func AppendInt(dst []byte, k Kind, v int64) []byte {
	switch k {
	case Int16:
		return be.BigEndian.AppendUint16(dst, uint16(v))
	case Int32:
		return be.BigEndian.AppendUint32(dst, uint32(v))
	case Int64:
		return be.BigEndian.AppendUint64(dst, uint64(v))
	}
	return append(dst, byte(v))
}

// AppendFloat appends a real number of a kind.
func AppendFloat(dst []byte, k Kind, v float64) []byte {
	if k == Float32 {
		return be.BigEndian.AppendUint32(dst, math.Float32bits(float32(v)))
	}
	return be.BigEndian.AppendUint64(dst, math.Float64bits(v))
}

// AppendCount appends the number of elements of a variable-length array,
// which come after it.
func AppendCount(dst []byte, n int) []byte { return be.BigEndian.AppendUint32(dst, uint32(n)) }

// AppendText appends a string of any length: of Char, which must be ASCII to be
// read by all, or of Unicode.
func AppendText(dst []byte, k Kind, s string) []byte {
	if k == Char {
		return append(AppendCount(dst, len(s)), s...)
	}
	units := utf16.Encode([]rune(s))
	dst = AppendCount(dst, len(units))
	for _, u := range units {
		dst = be.BigEndian.AppendUint16(dst, u)
	}
	return dst
}
