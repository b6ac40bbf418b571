package table

import (
	"skyjoin/internal/each"
	"skyjoin/internal/format"
	"skyjoin/internal/hook"
	"skyjoin/io/catalog"
)

// Columns have the types of io/catalog here and those of package format in formats;
// these differ only in their names. Values are shared, never copied.
var (
	readersOf = hook.Get[func(*catalog.Catalog) []format.Reader]("catalog.Readers")
	rawField  = hook.Get[func(catalog.Field) format.Field]("catalog.RawField")
	rawColumn = hook.Get[func(*catalog.Column) format.Column]("catalog.RawColumn")
)

func rawFields(fields []catalog.Field) []format.Field {
	return each.Of(fields, rawField)
}

func rawColumns(cols []catalog.Column) []format.Column {
	return each.To(len(cols), func(i int) format.Column { return rawColumn(&cols[i]) })
}
