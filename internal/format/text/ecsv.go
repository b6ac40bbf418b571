package text

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
)

// ECSV is CSV after a header in comments that declares, in YAML, the delimiter and
// the type, unit and description of each column (Astropy Proposal for Enhancement
// 6).

// ecsvHeader reads the header of ECSV, and the dialect it declares: delimited by
// blanks if it says nothing. Cells that are empty, in quotes or not, are null.
func ecsvHeader(comments []string) (*ecsv.Header, *dialect, error) {
	h, err := ecsv.Parse(strings.Join(comments, "\n"))
	if err != nil {
		return nil, nil, fmt.Errorf("the header of ECSV: %w", err)
	}
	delim := cmp.Or(h.Delimiter, " ")
	if delim != " " && delim != "," {
		return nil, nil, fmt.Errorf("the header of ECSV has the delimiter %q, it must be a comma or a blank", delim)
	}
	return h, newDialect(delim[0], `"`, '#', false), nil
}

// ecsvTypes are the datatypes that can be read; others are named by info.
var ecsvTypes = map[string]format.Type{
	"float64": format.Float64, "float32": format.Float32, "float16": format.Float32,
	"int64": format.Int64, "int32": format.Int32, "int16": format.Int16, "int8": format.Int8,
	"uint64": format.Uint64, "uint32": format.Uint32, "uint16": format.Uint16, "uint8": format.Uint8,
	"bool": format.Bool, "string": format.String,
}

// setSubtype makes a field a list if its subtype is an array, which is written as
// a string in JSON notation: float64[null] has any length, int16[3,2] six
// elements. Columns with other subtypes, such as json, stay strings.
func setSubtype(f *format.Field, subtype string) {
	f.Text += " of " + subtype
	name, _, shaped := strings.Cut(subtype, "[")
	t, ok := ecsvTypes[strings.TrimSpace(name)]
	if !shaped || !ok || f.Type != format.String {
		return
	}
	e := *f
	e.Type, e.Text, e.Nullable = t, t.String(), true
	f.Type, f.Elem = format.List, &e
}

// isJSON reports whether the texts of a column are JSON, as astropy writes objects.
func isJSON(c ecsv.Column) bool { return c.Datatype == "string" && c.Subtype == "json" }

// fromJSON returns the text that JSON stands for: what a string of it says, nil of
// null, and other values as they are written.
func fromJSON(text []byte) []byte {
	switch {
	case bytes.Equal(text, []byte("null")):
		return nil
	case len(text) > 1 && text[0] == '"':
		var said string
		if json.Unmarshal(text, &said) == nil {
			return append([]byte{}, said...)
		}
	}
	return text
}

// declaredFields returns the fields that a header declares. The line of names must
// have the same names.
func declaredFields(h *ecsv.Header, line headerRow) (fields []format.Field, err error) {
	var declared []string
	for i, c := range h.Columns {
		f := format.Field{Name: format.ColumnName(c.Name, i), Type: ecsvTypes[c.Datatype], Text: c.Datatype, Unit: c.Unit, UCD: c.UCD, Description: c.Description}
		if c.Subtype != "" {
			setSubtype(&f, c.Subtype)
		}
		fields, declared = append(fields, f), append(declared, c.Name)
	}
	if slices.Equal(declared, line.cells) {
		return fields, nil
	}
	if len(declared) == 0 {
		return nil, errors.New("the header of ECSV has no datatype list, which declares the columns")
	}
	names, promised := format.Clip(line.raw), format.Clip(strings.Join(declared, ","))
	if slices.ContainsFunc(line.cells, func(name string) bool { return slices.Contains(declared, name) }) {
		return nil, lineError(line.line, "the column line, %s, differs from the columns that the header declares: %s", names, promised)
	}
	return nil, lineError(line.line, "column line missing: %s stands where the header promises %s", names, promised)
}

// datatypes are those that values are written as; lists are strings in the
// notation of JSON, and times are strings.
var datatypes = map[format.Type]string{
	format.Float64: "float64", format.Decimal: "float64", format.Float32: "float32",
	format.Int64: "int64", format.Int32: "int32", format.Int16: "int16", format.Int8: "int8",
	format.Uint64: "uint64", format.Uint32: "uint32", format.Uint16: "uint16", format.Uint8: "uint8",
	format.Bool: "bool", format.String: "string", format.Timestamp: "string", format.List: "string",
}

// createECSV writes a table as ECSV. Empty strings and nulls look alike in ECSV:
// an empty string is null when it is read again.
func createECSV(to format.Sink, fields []format.Field, opt format.WriteOptions) (format.Writer, error) {
	e := newEncoder(to, opt)
	h := ecsv.Header{Delimiter: ",", Meta: opt.Metadata}
	for _, f := range fields {
		c := ecsv.Column{Name: f.Name, Datatype: datatypes[f.Type], Unit: f.Unit, UCD: f.UCD, Description: f.Description}
		if f.Type == format.List {
			c.Subtype = cmp.Or(datatypes[f.Elem.Type], "string") + "[null]"
		}
		h.Columns = append(h.Columns, c)
	}
	e.buf = h.Append(e.buf)
	e.start = len(e.buf)
	if err := e.columns(fields); err != nil {
		return nil, err
	}
	for i, f := range fields {
		if f.Type == format.Bool { // as Python has them, which astropy asks for
			e.cell[i] = func(dst []byte, c *format.Column, row int) []byte {
				if c.Bool[row] {
					return append(dst, "True"...)
				}
				return append(dst, "False"...)
			}
		}
	}
	return e, nil
}
