package columns

import (
	"fmt"
	"slices"

	"skyjoin/io/catalog"
)

// Distinct gives columns whose name is taken the first free suffix _1, _2, ….
func Distinct(cols []catalog.Column) []catalog.Column {
	taken := map[string]bool{}
	for i := range cols {
		name := cols[i].Field.Name
		for n := 1; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", cols[i].Field.Name, n)
		}
		taken[name] = true
		cols[i].Field.Name = name
	}
	return cols
}

// Ints is a column of whole numbers.
func Ints(name string, t catalog.Type, what string, v []int64) catalog.Column {
	return catalog.Column{Field: catalog.Field{Name: name, Type: t, Description: what}, Int64: v}
}

// Reals is a column of float64.
func Reals(name, unit, what string, v []float64) catalog.Column {
	return catalog.Column{Field: catalog.Field{Name: name, Type: catalog.Float64, Unit: unit, Description: what}, Float64: v}
}

// NullWhere makes columns null where they have no value, if there are such rows.
func NullWhere(cols []catalog.Column, null []bool) {
	if !slices.Contains(null, true) {
		return
	}
	for i := range cols {
		cols[i].Field.Nullable, cols[i].Null = true, null
	}
}
