package votable

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// tableData reads rows of TR and TD elements.
type tableData struct {
	in     *input
	xml    *xml.Decoder // of in, of which it has read nothing ahead between rows
	fields []Field
	cells  []Cell
	text   []byte
	texts  [][]byte // of the cells of a plain row
	lines  int      // of plain rows, which the decoder has not counted
}

func (d *tableData) next(want []bool) error {
	if done, err := d.plainRow(want); done || err != nil {
		return err
	}
	if end, err := d.find("TR", "TABLEDATA"); end || err != nil {
		if err == nil {
			err = io.EOF
		}
		return err
	}
	for i := range d.fields {
		end, err := d.find("TD", "TR")
		if err != nil {
			return err
		}
		if end {
			return fmt.Errorf("%d cells for %d fields", i, len(d.fields))
		}
		if err := d.content(); err != nil {
			return err
		}
		if want != nil && !want[i] {
			continue
		}
		if err := d.fields[i].parse(d.text, &d.cells[i]); err != nil {
			return err
		}
	}
	if end, err := d.find("TD", "TR"); err != nil {
		return err
	} else if !end {
		return fmt.Errorf("more cells than the %d fields", len(d.fields))
	}
	return nil
}

// find goes to the start of an element, or to the end of the one around it.
func (d *tableData) find(start, outer string) (end bool, err error) {
	for {
		d.in.begin()
		tok, err := d.xml.RawToken()
		if err != nil {
			return false, xmlError(err, d.lines)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if tok.Name.Local == start {
				return false, nil
			}
			return false, fmt.Errorf("<%.40s> stands where <%s> should", tok.Name.Local, start)
		case xml.EndElement:
			if tok.Name.Local == outer {
				return true, nil
			}
			return false, fmt.Errorf("</%.40s> stands where </%s> should", tok.Name.Local, outer)
		}
	}
}

// content reads the text of a TD, up to its end.
func (d *tableData) content() error {
	d.text = d.text[:0]
	d.in.begin()
	for {
		tok, err := d.xml.RawToken()
		if err != nil {
			return xmlError(err, d.lines)
		}
		switch tok := tok.(type) {
		case xml.CharData:
			d.text = append(d.text, tok...)
		case xml.StartElement:
			return fmt.Errorf("<%.40s> inside <TD>", tok.Name.Local)
		case xml.EndElement:
			if tok.Name.Local != "TD" {
				return fmt.Errorf("</%.40s> stands where </TD> should", tok.Name.Local)
			}
			return nil
		}
	}
}

// parse reads the text of a cell. An empty one is null.
func (f *Field) parse(text []byte, c *Cell) error {
	c.reset()
	if f.Kind.IsText() {
		c.Text = append(c.Text, text...)
		c.Null = len(text) == 0
		return nil
	}
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 {
		c.Null = true
		return nil
	}
	if !f.List {
		return f.parseElement(trimmed, c)
	}
	if f.Kind == Bit {
		for _, b := range bytes.Join(bytes.Fields(trimmed), nil) {
			if err := f.parseElement([]byte{b}, c); err != nil {
				return err
			}
		}
		return nil
	}
	for word := range bytes.FieldsSeq(trimmed) {
		if err := f.parseElement(word, c); err != nil {
			return err
		}
	}
	return nil
}

// noValue reports whether a word stands for no number, as services write it against
// the standard.
func noValue(word []byte) bool {
	return len(word) < 5 && (bytes.EqualFold(word, []byte("null")) || bytes.Equal(word, []byte("-")) || bytes.Equal(word, []byte("--")))
}

// parseElement appends an element.
func (f *Field) parseElement(word []byte, c *Cell) error {
	switch {
	case noValue(word):
		if f.Kind.IsFloat() {
			c.Floats, c.Nulls = append(c.Floats, math.NaN()), append(c.Nulls, true)
		} else {
			c.addInt(0, true)
		}
		return nil
	case f.Kind.IsFloat():
		v, err := f.parseReal(word)
		if err != nil {
			return fmt.Errorf("field %q has %.40q, which is no number", f.Name, word)
		}
		c.addFloat(f, v)
		return nil
	case f.Kind.IsInt():
		v, err := parseInt(word)
		if r := ranges[f.Kind]; err != nil || v < r[0] || v > r[1] {
			return fmt.Errorf("field %q has %.40q, which is no %s", f.Name, word, f.Kind)
		}
		c.addInt(v, f.hasNull && v == f.null)
		return nil
	}
	v, null, ok := truth(string(word))
	if !ok {
		return fmt.Errorf("field %q has %.40q, which is no %s", f.Name, word, f.Kind)
	}
	c.addInt(v, null)
	return nil
}

// xmlError says in one line where XML is damaged, some lines behind the one that the
// decoder knows.
func xmlError(err error, lines int) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errTruncated
	}
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		if strings.Contains(syntax.Msg, "unexpected EOF") {
			return errTruncated
		}
		return fmt.Errorf("line %d is no well-formed XML: %.200s", syntax.Line+lines, strings.TrimSpace(syntax.Msg))
	}
	return err
}

// parseReal reads a number in the precision of the field.
func (f *Field) parseReal(word []byte) (float64, error) {
	bits := 64
	if f.Kind == Float32 {
		bits = 32
	}
	return strconv.ParseFloat(string(word), bits)
}
