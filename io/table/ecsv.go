package table

import (
	"cmp"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
)

// ecsvTypes are the datatypes of ECSV; lists are strings in the notation of
// JSON, and times are strings.
var ecsvTypes = map[format.Type]string{
	format.Float64: "float64", format.Decimal: "float64", format.Float32: "float32",
	format.Int64: "int64", format.Int32: "int32", format.Int16: "int16", format.Int8: "int8",
	format.Uint64: "uint64", format.Uint32: "uint32", format.Uint16: "uint16", format.Uint8: "uint8",
	format.Bool: "bool", format.String: "string", format.Timestamp: "string", format.List: "string",
}

// newECSVEncoder writes a table as ECSV: CSV behind a header that declares
// types, units and descriptions. ECSV has one notation for empty strings and
// nulls, so that an empty string is null when it is read again.
func newECSVEncoder(out format.Sink, fields []format.Field, opt format.WriteOptions) (format.Writer, error) {
	e := newCSVLines(out, opt)
	h := ecsv.Header{Delimiter: ","}
	for _, f := range fields {
		c := ecsv.Column{Name: f.Name, Datatype: ecsvTypes[f.Type], Unit: f.Unit, UCD: f.UCD, Description: f.Description}
		if f.Type == format.List {
			c.Subtype = cmp.Or(ecsvTypes[f.Elem.Type], "string") + "[null]"
		}
		h.Columns = append(h.Columns, c)
	}
	for _, kv := range opt.Metadata {
		h.Meta = append(h.Meta, format.KeyValue(kv))
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
