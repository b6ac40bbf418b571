package columns

import (
	"skyjoin/io/catalog"
)

// PairBlock is how many rows a thread writes at once.
const PairBlock = 1 << 16

// PairFields are the columns of every table of pairs.
func PairFields(unit string) []catalog.Field {
	return []catalog.Field{
		{Name: "row", Type: catalog.Int64, Description: "row of the first catalog, from 0"},
		{Name: "neighbor", Type: catalog.Int64, Description: "row of the catalog of the neighbours, from 0"},
		{Name: "distance", Type: catalog.Float64, Unit: unit, Description: "distance of the two rows"},
	}
}
