package expr

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Error is a fault in the text of an expression. Its message is one line
// that ends in the place: "…, at character 7".
type Error struct {
	Message   string
	Character int // 1-based
}

// Error returns the message with the place.
func (e *Error) Error() string { return fmt.Sprintf("%s, at character %d", e.Message, e.Character) }

// ErrOverflow marks integer arithmetic that left the 64 bits.
var ErrOverflow = errors.New("integer overflow")

// A Source is the text of an expression. Parsers and compilers, which go many
// calls deep, leave by its Fail; the function that began them defers Recover.
type Source string

// ErrorAt returns an Error at byte offset pos.
func (s Source) ErrorAt(pos int, format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Character: utf8.RuneCountInString(string(s[:pos])) + 1}
}

// Fail panics with an Error at byte offset pos.
func (s Source) Fail(pos int, format string, args ...any) { panic(s.ErrorAt(pos, format, args...)) }

// Recover ends a panic of Fail and makes its Error the result err. Other panics
// go on.
func Recover(err *error) {
	if e := recover(); e != nil {
		failed, ok := e.(*Error)
		if !ok {
			panic(e)
		}
		*err = failed
	}
}

// longest is how many letters Short leaves of an expression.
const longest = 120

// Short is an expression as messages show it: on one line, without its middle if
// it is long.
func Short(src string) string {
	letters := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.TrimSpace(src)))
	if len(letters) <= longest {
		return string(letters)
	}
	return string(letters[:longest*2/3]) + " … " + string(letters[len(letters)-longest/3:])
}
