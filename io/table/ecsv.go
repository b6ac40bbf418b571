package table

import (
	"cmp"
	"strconv"
	"strings"

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
	lines := []string{"%ECSV 1.0", "---", "delimiter: ','", "datatype:"}
	for _, f := range fields {
		lines = append(lines, "- {"+strings.Join(ecsvColumn(f), ", ")+"}")
	}
	if len(opt.Metadata) > 0 {
		lines = append(lines, "meta: !!omap")
		for _, kv := range opt.Metadata {
			lines = append(lines, "- {"+strconv.Quote(kv.Key)+": "+strconv.Quote(kv.Value)+"}")
		}
	}
	for _, l := range append(lines, "schema: astropy-2.0") {
		e.buf = append(e.buf, "# "+l+"\n"...)
	}
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

// ecsvColumn returns the entries that declare a column. YAML and Go quote
// strings alike.
func ecsvColumn(f catalog.Field) []string {
	items := []string{"name: " + strconv.Quote(f.Name)}
	if f.Unit != "" {
		items = append(items, "unit: "+strconv.Quote(f.Unit))
	}
	items = append(items, "datatype: "+ecsvTypes[f.Type])
	if f.Type == catalog.List {
		items = append(items, "subtype: "+strconv.Quote(cmp.Or(ecsvTypes[f.Elem.Type], "string")+"[null]"))
	}
	if f.Description != "" {
		items = append(items, "description: "+strconv.Quote(f.Description))
	}
	if f.UCD != "" {
		items = append(items, "meta: !!omap [{ucd: "+strconv.Quote(f.UCD)+"}]")
	}
	return items
}
