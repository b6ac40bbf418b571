package expr

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name writes the name of a column as expressions have it: as it is, or in double
// quotes where it would not be read as that column.
func Name(column string) string {
	first, _ := utf8.DecodeRuneInString(column)
	lower := strings.ToLower(column)
	_, constant := constants[lower]
	if (first == '_' || unicode.IsLetter(first)) && wholeName.FindString(column) == column && !constant && !slices.Contains(reserved, lower) {
		return column
	}
	return `"` + strings.ReplaceAll(column, `"`, `""`) + `"`
}
