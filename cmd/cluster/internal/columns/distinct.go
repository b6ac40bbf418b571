package columns

import (
	"fmt"

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
