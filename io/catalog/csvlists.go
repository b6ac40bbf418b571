package catalog

import (
	"encoding/json"
	"errors"

	"skyjoin/internal/format"
)

// errList is a cell that should be a list and is none.
var errList = errors.New("it is no list, as [1, 2.5, null]")

// elements calls visit for each element of a list in the notation of JSON, or
// in parentheses; lists in lists are taken for their elements in order. null
// elements have no text; the text of a string is what the quotes hold.
func elements(b []byte, visit func(text []byte, null bool) error) error {
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
			n, text, err := listItem(b[i:])
			if err != nil {
				return err
			}
			if err := visit(text, text == nil); err != nil {
				return err
			}
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

// listItem returns the bytes that the first element of b takes, and its text,
// nil for null.
func listItem(b []byte) (n int, text []byte, err error) {
	if b[0] == '"' {
		for n = 1; n < len(b) && b[n] != '"'; n++ {
			if b[n] == '\\' {
				n++
			}
		}
		var s string
		if n >= len(b) || json.Unmarshal(b[:n+1], &s) != nil {
			return 0, nil, errList
		}
		return n + 1, append([]byte{}, s...), nil
	}
	for n < len(b) && b[n] > ' ' && b[n] != ',' && b[n] != ']' && b[n] != ')' && b[n] != '[' && b[n] != '(' {
		n++
	}
	if w := b[:n]; fold(w, "null") || fold(w, "none") || fold(w, "--") {
		return n, nil, nil
	}
	return n, b[:n], nil
}

// classifyList returns the class of a cell of text that may be a list: with at
// least two elements, all numbers or null, it is taken for one.
func classifyList(b []byte) cellClass {
	if c := b[0]; c != '[' && c != '(' {
		return classText
	}
	n, seen := 0, cellClass(0)
	err := elements(b, func(text []byte, null bool) error {
		n++
		if null {
			seen |= classNull
			return nil
		}
		c := classify(text)
		if c&classNumber == 0 || c&classHuge != 0 {
			return errList
		}
		seen |= c
		return nil
	})
	if err != nil || n < 2 || columnType(seen) == format.String {
		return classText
	}
	return classList | seen<<elementShift
}

// cellBytes returns the text of a cell, in buf if its quotes hide something.
func cellBytes(sc *rowScanner, c cell, buf []byte) []byte { return sc.unescape(buf[:0], c) }

// checkList reports a cell that is no list of values of the type; scratch has
// one row of it.
func (s *textSource) checkList(text []byte, scratch *format.Column) error {
	return elements(text, func(b []byte, null bool) error {
		if null || scratch.String != nil {
			return nil
		}
		return s.decodeText(scratch, 0, b)
	})
}

// readElement puts an element of a list into a row of dst; false if it is null
// or not there.
func (s *textSource) readElement(text []byte, elem int, dst *format.Column, row int, arena *textArena) (bool, error) {
	at, found := 0, false
	err := elements(text, func(b []byte, null bool) error {
		if at++; at-1 != elem || null {
			return nil
		}
		found = true
		if dst.String != nil {
			arena.addText(b, row)
			return nil
		}
		return s.decodeText(dst, row, b)
	})
	return found, err
}

// appendList appends the elements of a list.
func (s *textSource) appendList(text []byte, dst format.ListColumn) error {
	e := &dst.List.Elem
	return elements(text, func(b []byte, null bool) error {
		at := dst.Grow(1)
		switch {
		case null:
			e.SetNull(at)
		case e.Field.Type == format.String:
			e.String[at] = string(b)
		default:
			return s.decodeText(e, at, b)
		}
		return nil
	})
}
