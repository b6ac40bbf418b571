package format

import "fmt"

// What is read of a table is bounded, so that a file which is damaged, or made to
// do harm, cannot take memory and time without end. No survey comes near.
const (
	MostColumns = 1 << 15
	MostRow     = 32 << 20 // bytes of a row of text, of a cell or element of XML
)

// FewColumns refuses a table of more than MostColumns.
func FewColumns(n int) error {
	if n > MostColumns {
		return fmt.Errorf("the table has more than %d columns", MostColumns)
	}
	return nil
}
