package columns

import (
	"skyjoin/io/catalog"
)

// Passed gives the rows of the catalog that the filter keeps.
func Passed(sel *catalog.Selection) func(yield func(int64) bool) {
	return func(yield func(int64) bool) {
		for row := range sel.Total {
			if (sel.Passed == nil || sel.Passed[row]) && !yield(row) {
				return
			}
		}
	}
}
