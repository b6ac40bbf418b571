package text

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
)

// ECSV is CSV behind a header in comments that declares, in YAML, the
// delimiter and for each column its type, unit and description (Astropy
// Proposal for Enhancement 6).

// declareDialect reads the header of ECSV and takes the dialect it declares:
// delimited by blanks if it says nothing. Cells that are empty, in quotes or not,
// are null.
func (h *header) declareDialect() (err error) {
	if h.declared, err = ecsv.Parse(strings.Join(h.comments, "\n")); err != nil {
		return fmt.Errorf("the header of ECSV: %w", err)
	}
	delim := cmp.Or(h.declared.Delimiter, " ")
	if delim != " " && delim != "," {
		return fmt.Errorf("the header of ECSV has the delimiter %q, it must be a comma or a blank", delim)
	}
	h.dialect = newDialect(delim[0], `"`, '#', false)
	return nil
}

// ecsvTypes are the datatypes that can be read; others are named by info.
var ecsvTypes = map[string]format.Type{
	"float64": format.Float64, "float32": format.Float32, "float16": format.Float32,
	"int64": format.Int64, "int32": format.Int32, "int16": format.Int16, "int8": format.Int8,
	"uint64": format.Uint64, "uint32": format.Uint32, "uint16": format.Uint16, "uint8": format.Uint8,
	"bool": format.Bool, "string": format.String,
}

// setSubtype makes a field one of arrays, which are strings in the notation
// of JSON: float64[null] of any length, int16[3,2] of six elements. Other
// subtypes, such as json, stay strings.
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

// declare checks the line of names, whose cells are given, against the
// declared columns, and takes their types and notes.
func (h *header) declare(names []string) error {
	var declared []string
	for _, c := range h.declared.Columns {
		f := format.Field{Name: c.Name, Type: ecsvTypes[c.Datatype], Text: c.Datatype, Unit: c.Unit, UCD: c.UCD, Description: c.Description}
		if c.Subtype != "" {
			setSubtype(&f, c.Subtype)
		}
		if n := len(declared); n < len(h.fields) && h.fields[n].Name == f.Name {
			h.fields[n] = f
		}
		declared = append(declared, f.Name)
	}
	if slices.Equal(declared, names) {
		return nil
	}
	if len(declared) == 0 {
		return errors.New("the header of ECSV has no datatype list, which declares the columns")
	}
	for _, name := range names {
		if slices.Contains(declared, name) {
			return lineError(h.names.line, "the column line, %s, differs from the columns that the header declares: %s",
				format.Clip(h.names.raw), format.Clip(strings.Join(declared, ",")))
		}
	}
	return lineError(h.names.line, "column line missing: %s stands where the header promises %s", format.Clip(h.names.raw), format.Clip(strings.Join(declared, ",")))
}

// datatypes are those that values are written as; lists are strings in the
// notation of JSON, and times are strings.
var datatypes = map[format.Type]string{
	format.Float64: "float64", format.Decimal: "float64", format.Float32: "float32",
	format.Int64: "int64", format.Int32: "int32", format.Int16: "int16", format.Int8: "int8",
	format.Uint64: "uint64", format.Uint32: "uint32", format.Uint16: "uint16", format.Uint8: "uint8",
	format.Bool: "bool", format.String: "string", format.Timestamp: "string", format.List: "string",
}

// createECSV writes a table as ECSV: CSV behind a header that declares types,
// units and descriptions. ECSV has one notation for empty strings and nulls, so
// that an empty string is null when it is read again.
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
