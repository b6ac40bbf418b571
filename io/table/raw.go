package table

import (
	"skyjoin/internal/format"
	"skyjoin/io/catalog"
)

// Columns come in the types of io/catalog and go to formats in those of
// package format, which are the same but for their names. Values are shared,
// never copied.

func rawField(f catalog.Field) format.Field {
	r := format.Field{
		Name: f.Name, Type: format.Type(f.Type), Text: f.Text, Nullable: f.Nullable,
		Unit: f.Unit, UCD: f.UCD, Description: f.Description,
	}
	if f.Elem != nil {
		e := rawField(*f.Elem)
		r.Elem = &e
	}
	return r
}

func rawFields(fields []catalog.Field) []format.Field {
	raw := make([]format.Field, len(fields))
	for i, f := range fields {
		raw[i] = rawField(f)
	}
	return raw
}

func rawColumn(c *catalog.Column) format.Column {
	r := format.Column{
		Field: rawField(c.Field), Float64: c.Float64, Float32: c.Float32, Int64: c.Int64, Uint64: c.Uint64,
		Bool: c.Bool, String: c.String, Null: c.Null,
	}
	if c.List != nil {
		r.List = &format.Lists{Offset: c.List.Offset, Elem: rawColumn(&c.List.Elem)}
	}
	return r
}

func rawColumns(cols []catalog.Column) []format.Column {
	raw := make([]format.Column, len(cols))
	for i := range cols {
		raw[i] = rawColumn(&cols[i])
	}
	return raw
}
