package table

import (
	"skyjoin/internal/format"
	"skyjoin/internal/hook"
	"skyjoin/io/catalog"
)

// Columns come in the types of io/catalog and go to formats in those of
// package format, which are the same but for their names. Values are shared,
// never copied.
var (
	readersOf = hook.Get[func(*catalog.Catalog) []format.Reader]("catalog.Readers")
	rawField  = hook.Get[func(catalog.Field) format.Field]("catalog.RawField")
	rawColumn = hook.Get[func(*catalog.Column) format.Column]("catalog.RawColumn")
)

func rawFields(fields []catalog.Field) []format.Field {
	raw := make([]format.Field, len(fields))
	for i, f := range fields {
		raw[i] = rawField(f)
	}
	return raw
}

func rawColumns(cols []catalog.Column) []format.Column {
	raw := make([]format.Column, len(cols))
	for i := range cols {
		raw[i] = rawColumn(&cols[i])
	}
	return raw
}
