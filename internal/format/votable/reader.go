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
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"skyjoin/internal/format"
)

// A Reader reads a table of a document.
type Reader struct {
	Fields      []Field
	Description string            // of the table
	Notes       []format.KeyValue // PARAM and INFO up to the data
	Beside      string            // the file that has binary rows, if it is another

	in    *input
	xml   *xml.Decoder
	cells []Cell
	rows  interface{ next(want []bool) error } // nil for no rows
	row   int64

	want   string // table, by name, ID or number
	tables []string
	more   bool // another table is behind the one that is read

	folder string            // in which files beside the document are
	away   *format.Elsewhere // where the rows are, if they are of another format
	inline io.Reader         // of them, if they are in the document
	file   io.Closer         // that has binary rows, if it is another
}

// NewReader reads a document up to the data of a table: the first that has columns, or
// the one with the wanted name, ID or number, where the first is 1. Files beside the
// document are in a folder.
func NewReader(r io.Reader, want, folder string) (*Reader, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if mark, _ := in.Peek(len(format.ByteOrderMark)); string(mark) == format.ByteOrderMark {
		in.Discard(len(mark))
	}
	t := &Reader{in: &input{ByteReader: in}, want: want, folder: folder}
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
				return t.elsewhere(tok)
			default:
				if name := strings.ToUpper(tok.Name.Local); name != tok.Name.Local && slices.Contains(structure, name) {
					return fmt.Errorf("<%s> stands where <%s> should: elements of VOTables are in capitals", tok.Name.Local, name)
				}
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

// structure are the elements that lead to the rows.
var structure = []string{"VOTABLE", "RESOURCE", "TABLE", "FIELD", "DATA", "TABLEDATA", "BINARY", "BINARY2", "FITS", "STREAM"}

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

// elsewhere finds out where rows of another format are: in another file, or in the
// text of the STREAM.
func (t *Reader) elsewhere(in xml.StartElement) error {
	stream, err := t.findStream(in.Name.Local)
	if err != nil {
		return err
	}
	t.away = &format.Elsewhere{}
	for _, a := range in.Attr {
		if a.Name.Local == "extnum" && a.Value != "0" { // the first extension, where it is 0
			t.away.Extension = a.Value
		}
	}
	href, encoding := attr(stream, "href"), attr(stream, "encoding")
	switch {
	case href != "":
		t.away.Path, err = beside(t.folder, href)
	case encoding == "base64":
		t.inline = base64.NewDecoder(base64.StdEncoding, &untilTag{in: t.in})
	default:
		err = fmt.Errorf("the %s data have the encoding %.40q; base64 is read", in.Name.Local, encoding)
	}
	return err
}

// beside returns the path of a file that a document names by an address.
func beside(folder, href string) (string, error) {
	u, err := url.Parse(href)
	switch {
	case err != nil:
		return "", fmt.Errorf("the rows are at %.200q, which is no address", href)
	case u.Scheme != "" && u.Scheme != "file" || u.Scheme == "" && u.Host != "":
		return "", fmt.Errorf("the rows are at %.200s, which is not fetched: download that file, and give it, or its name as href of the STREAM", href)
	}
	path := filepath.FromSlash(cmp.Or(u.Path, u.Opaque))
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	return path, nil
}

// attr returns an attribute, "" if there is none.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// findStream finds the STREAM of a serialization.
func (t *Reader) findStream(kind string) (xml.StartElement, error) {
	for {
		t.in.begin()
		tok, err := t.xml.Token()
		if err != nil {
			return xml.StartElement{}, xmlError(err, 0)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if tok.Name.Local != "STREAM" {
				return tok, fmt.Errorf("<%.40s> stands where the STREAM of %s data should", tok.Name.Local, kind)
			}
			return tok, nil
		case xml.EndElement:
			return xml.StartElement{}, fmt.Errorf("a %s element without a STREAM", tok.Name.Local)
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

// binary finds the STREAM of a binary serialization, here or in another file.
func (t *Reader) binary(masked bool) error {
	stream, err := t.findStream("binary")
	if err != nil {
		return err
	}
	b := &binary{fields: t.Fields, masked: masked}
	href, encoding := attr(stream, "href"), attr(stream, "encoding")
	switch {
	case href != "":
		path, err := beside(t.folder, href)
		if err != nil {
			return err
		}
		f, err := format.OpenAt(path, 0)
		if err != nil {
			return fmt.Errorf("the rows are in %s: %w", path, err)
		}
		t.file, b.r = f, bufio.NewReaderSize(f, 1<<16)
		if encoding == "base64" {
			b.r = bufio.NewReaderSize(base64.NewDecoder(base64.StdEncoding, f), 1<<16)
		}
		t.Beside = path
	case encoding == "base64":
		b.r = bufio.NewReaderSize(base64.NewDecoder(base64.StdEncoding, &untilTag{in: t.in}), 1<<16)
	default:
		return fmt.Errorf("the binary data have the encoding %.40q; base64 is read", encoding)
	}
	t.cells = make([]Cell, len(t.Fields))
	b.cells = t.cells
	t.rows = b
	return t.needFields()
}

// Close closes the file that has the rows, if that is another.
func (t *Reader) Close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
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
