package text

import (
	"bytes"
	"encoding/json"
	"errors"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
)

// errList is the error for a cell that should be a list but is not.
var errList = errors.New("it is no list, as [1, 2.5, null]")

// An item is an element of a list.
type item struct {
	text []byte // of a string what the quotes hold
	null bool
}

// A listText is the elements of a cell that holds a list.
type listText struct {
	buf   []byte // of the cell
	items []item
}

// read reads the list in a cell.
func (l *listText) read(sc *scanner, c rawCell) error {
	l.buf = sc.unescape(l.buf[:0], c)
	return l.parse(l.buf)
}

// readList reads the list in a cell of a column.
func (s *reader) readList(l *listText, sc *scanner, c rawCell, column int) error {
	if s.notation == nil || s.notation[column] != ecsv.Complex {
		return l.read(sc, c)
	}
	l.buf = sc.unescape(l.buf[:0], c)
	return l.complex(l.buf)
}

// complex reads a complex number as Python writes it, as (1+2j), 1 or 2j: a list of
// the real and the imaginary part.
func (l *listText) complex(b []byte) error {
	b = bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSpace(b), []byte("(")), []byte(")"))
	re, im := b, []byte("0")
	if rest, ok := bytes.CutSuffix(b, []byte("j")); ok {
		sign := len(rest) - 1
		for sign > 0 && !(bytes.IndexByte([]byte("+-"), rest[sign]) >= 0 && rest[sign-1]|0x20 != 'e') {
			sign--
		}
		if re, im = rest[:max(sign, 0)], rest[max(sign, 0):]; len(re) == 0 {
			re = []byte("0")
		}
	}
	for _, part := range [][]byte{re, im} {
		if _, err := parseFloat(part); err != nil {
			return errList
		}
	}
	l.items = append(l.items[:0], item{text: re}, item{text: im})
	return nil
}

// parse reads a list in JSON notation, or in parentheses. Nested lists are
// flattened.
func (l *listText) parse(b []byte) error {
	l.items = l.items[:0]
	depth := 0
	before := byte(',') // what precedes: a comma or bracket, v for a value or a closed list
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case depth == 0 && i > 0 && before == 'v': // it is over
			return errList
		case c == '[' || c == '(':
			if before == 'v' {
				return errList
			}
			depth, before = depth+1, '['
		case depth == 0:
			return errList
		case c == ']' || c == ')':
			if before == ',' && c != ')' { // (1,) is a list of one
				return errList
			}
			depth, before = depth-1, 'v'
		case c == ',':
			if before != 'v' {
				return errList
			}
			before = ','
		default:
			if before == 'v' {
				return errList
			}
			n, one, err := parseItem(b[i:])
			if err != nil {
				return err
			}
			l.items = append(l.items, one)
			before = 'v'
			i += n
			continue
		}
		i++
	}
	if depth != 0 || before != 'v' {
		return errList
	}
	return nil
}

// parseItem parses the first element of b and returns its length in bytes.
func parseItem(b []byte) (n int, one item, err error) {
	if b[0] == '"' {
		for n = 1; n < len(b) && b[n] != '"'; n++ {
			if b[n] == '\\' {
				n++
			}
		}
		var s string
		if n >= len(b) || json.Unmarshal(b[:n+1], &s) != nil {
			return 0, item{}, errList
		}
		return n + 1, item{text: []byte(s)}, nil
	}
	for n < len(b) && b[n] > ' ' && b[n] != ',' && b[n] != ']' && b[n] != ')' && b[n] != '[' && b[n] != '(' {
		n++
	}
	w := b[:n]
	return n, item{w, fold(w, "null") || fold(w, "none") || fold(w, "--")}, nil
}

// classify returns the class of a text cell that may be a list: it is one if it
// has at least two elements, all numbers or null.
func (l *listText) classify(b []byte) class {
	if b[0] != '[' && b[0] != '(' || l.parse(b) != nil || len(l.items) < 2 {
		return classText
	}
	seen := class(0)
	for _, one := range l.items {
		c := classNull
		if !one.null {
			c = classify(one.text)
			if c&classNumber == 0 || c&classHuge != 0 {
				return classText
			}
		}
		seen |= c
	}
	if seen.columnType() == format.String {
		return classText
	}
	return classList | seen<<elementShift
}
