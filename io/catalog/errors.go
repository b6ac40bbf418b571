package catalog

import (
	"errors"
	"fmt"
	"strings"

	"skyjoin/internal/expr"
	"skyjoin/internal/format"
)

// Sentinels that callers can test with errors.Is. Everything else that this
// package returns says that the run failed: a missing, corrupt or changed
// file.
var (
	// ErrRequest marks a request that cannot be right for the catalog: a column
	// it does not have, an element of a column that is no list, an expression
	// that does not parse.
	ErrRequest = format.ErrRequest

	// ErrUnusable marks rows that cannot be used where the request does not
	// allow any to be left out, and catalogs without a usable row.
	ErrUnusable = errors.New("unusable rows")

	// ErrEmpty marks catalogs without a usable row. Such errors wrap ErrUnusable, too.
	ErrEmpty = fmt.Errorf("%w: none is usable", ErrUnusable)
)

// An ExpressionError is an error in a row filter or in the definition of a column.
// It wraps ErrRequest.
type ExpressionError struct {
	Name       string // of the column that is defined, "" for a row filter
	Expression string
	Err        error
}

// Error returns a line with the expression, shortened if it is long, and the
// fault.
func (e *ExpressionError) Error() string {
	if e.Name == "" {
		return "where " + e.Shown()
	}
	return e.Shown()
}

// Shown is Error without the word "where" that marks row filters.
func (e *ExpressionError) Shown() string {
	text := expr.Short(e.Expression)
	if e.Name != "" {
		text = e.Name + " = " + text
	}
	return fmt.Sprintf("%s: %v", text, e.Err)
}

// IsDefinedBy reports whether the error is about this definition, which is written
// as in Options.Let.
func (e *ExpressionError) IsDefinedBy(definition string) bool {
	name, src, ok := cutDefinition(definition)
	return ok && name == e.Name && strings.TrimSpace(src) == e.Expression
}

// cutDefinition splits "name = expression"; the name may be in double quotes.
func cutDefinition(text string) (name, src string, ok bool) {
	text = strings.TrimSpace(text)
	if rest, quoted := strings.CutPrefix(text, `"`); quoted {
		if name, rest, ok = strings.Cut(rest, `"`); !ok {
			return "", "", false
		}
		src, ok = strings.CutPrefix(strings.TrimSpace(rest), "=")
	} else {
		name, src, ok = strings.Cut(text, "=")
		name = strings.TrimSpace(name)
	}
	return name, src, ok && name != "" && strings.TrimSpace(src) != "" && src[0] != '='
}

// Unwrap returns the fault and ErrRequest.
func (e *ExpressionError) Unwrap() []error { return []error{e.Err, ErrRequest} }

// emptyf is fmt.Errorf for errors that wrap ErrEmpty, which stays out of the text.
func emptyf(text string, args ...any) error {
	return format.Mark(fmt.Errorf(text, args...), ErrEmpty)
}
