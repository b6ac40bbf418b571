package text

import (
	"regexp"
	"strings"

	"skyjoin/internal/format"
)

// RDB has tabs between cells, a line of names and a line of types: N for numbers, S
// for text, D or M for dates, with the width before the letter and the alignment
// after it. Astropy puts texts with quotes in quotes.

// rdbType is a type of RDB.
var rdbType = regexp.MustCompile(`^\d*[NSMDnsmd][<>]?$`)

// isRDB recognises the line of types.
func isRDB(start *format.Start) bool {
	rows := withoutComments(start.Lines())
	if len(rows) < 2 {
		return false
	}
	d := newDialect('\t', "", '#', false)
	names, types := d.cells(rows[0]), d.cells(rows[1])
	// A column of n and s alone is more likely one of classes.
	return len(names) > 1 && len(names) == len(types) && areRDBTypes(types)
}

func areRDBTypes(cells []string) bool {
	for _, c := range cells {
		if !rdbType.MatchString(c) {
			return false
		}
	}
	return len(cells) > 0
}

// readRDB reads up to the line after the types.
func (s *reader) readRDB(in *head) error {
	s.setNulls("null")
	s.dialect = newDialect('\t', `"`, '#', false)
	_, comments, err := in.skipComments()
	if err != nil {
		return noMore(err, "the line of names")
	}
	names, err := in.row(s.dialect)
	if err != nil {
		return err
	}
	types, err := in.row(s.dialect)
	if err != nil {
		return err
	}
	if len(types.cells) != len(names.cells) || !areRDBTypes(types.cells) {
		return lineError(types.line, "%s is no line of types, such as 10N or S for each column, which RDB needs", format.Clip(types.raw))
	}
	s.name(names.cells, names.line)
	s.dialect.indented = len(s.Columns) > 1
	s.rules = make([]rule, len(s.Columns))
	for i, t := range types.cells {
		s.rules[i].kind = asText
		if strings.ContainsAny(t, "Nn") {
			s.rules[i].kind = asInteger
		}
	}
	s.setComments(comments)
	s.dataFrom(in)
	return nil
}
