package votable

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"skyjoin/internal/format"
)

// A Reader reads a table of a document.
type Reader struct {
	Fields      []Field
	Description string            // of the table
	Notes       []format.KeyValue // PARAM and INFO up to the data

	in    *input
	xml   *xml.Decoder
	cells []Cell
	rows  interface{ next(want []bool) error } // nil for no rows
	row   int64

	want   string // table, by name, ID or number
	tables []string
	more   bool // another table is behind the one that is read
}

// NewReader reads a document up to the data of a table: the first that has columns, or
// the one with the wanted name, ID or number, where the first is 1.
func NewReader(r io.Reader, want string) (*Reader, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if mark, _ := in.Peek(len(format.ByteOrderMark)); string(mark) == format.ByteOrderMark {
		in.Discard(len(mark))
	}
	t := &Reader{in: &input{ByteReader: in}, want: want}
	t.xml = xml.NewDecoder(t.in)
	t.xml.CharsetReader = t.in.charset
	if err := t.header(); err != nil {
		return nil, err
	}
	return t, nil
}

// header reads up to the data.
func (t *Reader) header() error {
	inTable, seen := false, false
	status := ""
	for depth := 0; ; {
		t.in.begin()
		tok, err := t.xml.Token()
		if err == io.EOF {
			if !seen {
				return errors.New("the document is no VOTable")
			}
			if status != "" {
				return fmt.Errorf("the document has no table; the service says: %.200s", status)
			}
			if t.want != "" {
				return format.Requestf("the document has no table %.40s; it has %s", t.want, strings.Join(t.tables, ", "))
			}
			return errors.New("the document has no table with fields")
		}
		if err != nil {
			return xmlError(err, 0)
		}
		switch tok := tok.(type) {
		case xml.EndElement:
			depth--
			if tok.Name.Local == "TABLE" {
				if inTable = false; len(t.Fields) > 0 {
					return nil // a table without data
				}
			}
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return fmt.Errorf("elements are more than %d deep", maxDepth)
			}
			t.in.begin()
			switch tok.Name.Local {
			case "FIELD", "PARAM", "INFO", "DESCRIPTION": // read to their ends
				depth--
			}
			switch tok.Name.Local {
			case "VOTABLE":
				seen = true
			case "TABLE":
				if inTable = t.wants(tok); !inTable {
					depth--
					err = t.skipTable()
				}
			case "FIELD":
				err = t.field(tok)
			case "PARAM", "INFO":
				var kv format.KeyValue
				var text string
				if kv, text, err = t.note(tok); kv.Key == queryStatus && kv.Value == "ERROR" {
					status = cmp.Or(text, "QUERY_STATUS is ERROR")
				}
			case "DESCRIPTION":
				var text string
				if err = t.xml.DecodeElement(&text, &tok); inTable && t.Description == "" {
					t.Description = strings.TrimSpace(text)
				}
			case "TABLEDATA":
				t.cells = make([]Cell, len(t.Fields))
				t.rows = &tableData{in: t.in, xml: t.xml, fields: t.Fields, cells: t.cells}
				return t.needFields()
			case "BINARY", "BINARY2":
				return t.binary(tok.Name.Local == "BINARY2")
			case "FITS", "PARQUET":
				return t.elsewhere(tok.Name.Local)
			default:
				if !seen {
					return fmt.Errorf("the document starts with <%.40s>: it is no VOTable", tok.Name.Local)
				}
			}
			if err != nil {
				return xmlError(err, 0)
			}
		}
	}
}

// wants reports whether a table is the wanted one.
func (t *Reader) wants(start xml.StartElement) bool {
	number := strconv.Itoa(len(t.tables) + 1)
	label, is := number, t.want == "" || t.want == number
	for _, a := range start.Attr {
		if a.Name.Local == "name" || a.Name.Local == "ID" {
			is = is || strings.EqualFold(a.Value, t.want)
			label = number + " (" + format.Clip(a.Value) + ")"
		}
	}
	t.tables = append(t.tables, label)
	return is
}

// skipTable reads to the end of a table.
func (t *Reader) skipTable() error {
	for deep := 1; deep > 0; {
		t.in.begin()
		tok, err := t.xml.Token()
		if err != nil {
			return err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if deep++; tok.Name.Local == "STREAM" {
				if _, err := io.Copy(io.Discard, &untilTag{in: t.in}); err != nil {
					return err
				}
				t.in.ByteReader = &unread{'<', t.in, t.in.ByteReader}
			}
		case xml.EndElement:
			deep--
		}
	}
	return nil
}

// elsewhere is the error for rows that are in a file of another format.
func (t *Reader) elsewhere(kind string) error {
	for {
		t.in.begin()
		tok, err := t.xml.Token()
		start, ok := tok.(xml.StartElement)
		if _, end := tok.(xml.EndElement); err != nil || end || ok && start.Name.Local != "STREAM" {
			return fmt.Errorf("the rows are in a %s file beside the document; read that file", kind)
		}
		for _, a := range start.Attr {
			if a.Name.Local == "href" {
				return fmt.Errorf("the rows are in a %s file, %.200s; read that file", kind, strings.TrimPrefix(a.Value, "file://"))
			}
		}
		if ok {
			return fmt.Errorf("the rows are %s inside the document, which is not read; write the table as BINARY2 or to a file of its own", kind)
		}
	}
}

func (t *Reader) needFields() error {
	if len(t.Fields) == 0 {
		return errors.New("the table has data and no FIELD")
	}
	return nil
}

// field reads a FIELD element.
func (t *Reader) field(start xml.StartElement) error {
	var e struct {
		Name        string `xml:"name,attr"`
		ID          string `xml:"ID,attr"`
		Datatype    string `xml:"datatype,attr"`
		Arraysize   string `xml:"arraysize,attr"`
		Unit        string `xml:"unit,attr"`
		UCD         string `xml:"ucd,attr"`
		Xtype       string `xml:"xtype,attr"`
		Description string `xml:"DESCRIPTION"`
		Values      []struct {
			Null string `xml:"null,attr"`
		} `xml:"VALUES"`
	}
	if err := t.xml.DecodeElement(&e, &start); err != nil {
		return err
	}
	if err := format.FewColumns(len(t.Fields) + 1); err != nil {
		return err
	}
	null := ""
	for _, v := range e.Values {
		if v.Null != "" {
			null = v.Null
		}
	}
	f := Field{Name: e.Name, ID: e.ID, Unit: e.Unit, UCD: e.UCD, Xtype: e.Xtype, Description: strings.TrimSpace(e.Description)}
	if f.Name == "" {
		f.Name = e.ID
	}
	if err := f.setType(e.Datatype, e.Arraysize, null); err != nil {
		return err
	}
	t.Fields = append(t.Fields, f)
	return nil
}

// queryStatus is the INFO by which a service says how a query ended (DALI, section
// 4.4): OK, ERROR, or OVERFLOW of its limit of rows, before the table or behind it.
const queryStatus = "QUERY_STATUS"

// note reads a PARAM or INFO element, and the text in it.
func (t *Reader) note(start xml.StartElement) (kv format.KeyValue, text string, err error) {
	var e struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
		Text  string `xml:",chardata"`
	}
	if err := t.xml.DecodeElement(&e, &start); err != nil {
		return format.KeyValue{}, "", err
	}
	kv = format.KeyValue{Key: e.Name, Value: e.Value}
	if e.Name != "" && e.Value != "" {
		t.Notes = append(t.Notes, kv)
	}
	return kv, strings.Join(strings.Fields(e.Text), " "), nil
}

// Trailer reads what is behind the rows, for the status of the query there. What
// else is wrong there does not concern the table.
func (t *Reader) Trailer() error {
	failed := false
	for {
		t.in.begin()
		tok, err := t.xml.RawToken()
		if err != nil {
			return nil
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			kv := format.KeyValue{}
			for _, a := range tok.Attr {
				switch a.Name.Local {
				case "name":
					kv.Key = a.Value
				case "value":
					kv.Value = a.Value
				}
			}
			switch {
			case tok.Name.Local == "TABLE":
				t.more = true
				return nil // another one, whose status is its own
			case tok.Name.Local != "INFO" || kv.Key != queryStatus:
			case kv.Value == "ERROR":
				failed = true
			default:
				t.Notes = append(t.Notes, kv)
			}
		case xml.CharData:
			if failed {
				return fmt.Errorf("the rows end early; the service says: %.200s", bytes.TrimSpace(tok))
			}
		case xml.EndElement:
			if failed {
				return errors.New("the rows end early: QUERY_STATUS is ERROR behind them")
			}
		}
	}
}

// binary finds the STREAM of a binary serialization.
func (t *Reader) binary(masked bool) error {
	for {
		t.in.begin()
		tok, err := t.xml.Token()
		if err != nil {
			return xmlError(err, 0)
		}
		start, ok := tok.(xml.StartElement)
		if !ok {
			if end, ok := tok.(xml.EndElement); ok {
				return fmt.Errorf("a %s element without a STREAM", end.Name.Local)
			}
			continue
		}
		if start.Name.Local != "STREAM" {
			return fmt.Errorf("<%.40s> stands where the STREAM of binary data should", start.Name.Local)
		}
		encoding := ""
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "href":
				return fmt.Errorf("the rows are in another file, %.100s, which is not read", a.Value)
			case "encoding":
				encoding = a.Value
			}
		}
		if encoding != "base64" {
			return fmt.Errorf("the binary data have the encoding %.40q; base64 is read", encoding)
		}
		t.cells = make([]Cell, len(t.Fields))
		t.rows = &binary{fields: t.Fields, cells: t.cells, masked: masked, r: bufio.NewReaderSize(base64.NewDecoder(base64.StdEncoding, &untilTag{in: t.in}), 1<<16)}
		return t.needFields()
	}
}

// Next reads a row. The cells of fields that are not wanted are undefined; nil
// wants all fields. The error is io.EOF after the last row.
func (t *Reader) Next(want []bool) ([]Cell, error) {
	if t.rows == nil {
		return nil, io.EOF
	}
	if err := t.rows.next(want); err != nil {
		if err == io.EOF {
			return nil, err
		}
		return nil, fmt.Errorf("row %d: %w", t.row, err)
	}
	t.row++
	return t.cells, nil
}
