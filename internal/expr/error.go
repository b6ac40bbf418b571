package expr

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// An Error is a fault in the text of an expression. Its message is one line
// that ends in the place: "… at column 7".
type Error struct {
	Message string
	Column  int // 1-based, in characters
}

// Error returns the message with the column.
func (e *Error) Error() string { return fmt.Sprintf("%s, at column %d", e.Message, e.Column) }

// ErrOverflow marks integer arithmetic that left the 64 bits.
var ErrOverflow = errors.New("integer overflow")

// errorAt returns an Error at byte offset pos of src.
func errorAt(src string, pos int, format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Column: utf8.RuneCountInString(src[:pos]) + 1}
}
