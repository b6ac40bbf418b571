package table

import (
	"cmp"

	model "skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
	"skyjoin/io/catalog"
)

// ecsvTypes are the datatypes of ECSV; lists are strings in the notation of
// JSON, and times are strings.
var ecsvTypes = map[catalog.Type]string{
	catalog.Float64: "float64", catalog.Decimal: "float64", catalog.Float32: "float32",
	catalog.Int64: "int64", catalog.Int32: "int32", catalog.Int16: "int16", catalog.Int8: "int8",
	catalog.Uint64: "uint64", catalog.Uint32: "uint32", catalog.Uint16: "uint16", catalog.Uint8: "uint8",
	catalog.Bool: "bool", catalog.String: "string", catalog.Timestamp: "string", catalog.List: "string",
}

// newECSVEncoder writes a table as ECSV: CSV behind a header that declares
// types, units and descriptions. ECSV has one notation for empty strings and
// nulls, so that an empty string is null when it is read again.
func newECSVEncoder(out *output, fields []catalog.Field, opt Options) (encoder, error) {
	e := newCSVLines(out, opt)
	h := ecsv.Header{Delimiter: ","}
	for _, f := range fields {
		c := ecsv.Column{Name: f.Name, Datatype: ecsvTypes[f.Type], Unit: f.Unit, UCD: f.UCD, Description: f.Description}
		if f.Type == catalog.List {
			c.Subtype = cmp.Or(ecsvTypes[f.Elem.Type], "string") + "[null]"
		}
		h.Columns = append(h.Columns, c)
	}
	for _, kv := range opt.Metadata {
		h.Meta = append(h.Meta, model.KeyValue(kv))
	}
	e.buf = h.Append(e.buf)
	e.start = len(e.buf)
	if err := e.columns(fields); err != nil {
		return nil, err
	}
	for i, f := range fields {
		if f.Type == catalog.Bool { // as Python has them, which astropy asks for
			e.cell[i] = func(dst []byte, c *catalog.Column, row int) []byte {
				if c.Bool[row] {
					return append(dst, "True"...)
				}
				return append(dst, "False"...)
			}
		}
	}
	return e, nil
}
