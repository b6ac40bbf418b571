package text

import (
	"path/filepath"
	"slices"
	"strings"

	"skyjoin/internal/format"
)

// Tables whose cells are between blanks, as numpy, topcat and astropy's basic and
// commented_header write them: names in the first row or in a comment, "text with
// blanks" in quotes, -- and INDEF for null besides null.

// sniffedRows is how many rows are looked at to recognise such a table.
const sniffedRows = 100

// isBlanks recognises rows that have as many words, with some numbers among them, known
// names or three lines at least, but no delimiter that divides them alike. Rules may stand among them, if one
// is above the rows.
func isBlanks(start *format.Start) bool {
	rows := withoutComments(start.Lines())
	if len(rows) == 0 || strings.ContainsAny(rows[0][:1], "<{@") {
		return false
	}
	rows = rows[:min(len(rows), sniffedRows)]
	ruled := hasWholeRule(rows)
	if ruled {
		if rows = slices.DeleteFunc(rows, isWholeRule); len(rows) == 0 {
			return false
		}
	}
	d, n, numbers := byBlanks(`"`, '#'), 0, false
	for i, line := range rows {
		cells := d.cells(line)
		if n == 0 {
			n = len(cells)
		}
		if len(cells) != n || n < 2 {
			return false
		}
		numbers = numbers || (i > 0 || len(rows) == 1) && hasNumber(cells)
	}
	known := knownNames(d.cells(rows[0])) > 0 || slices.ContainsFunc(start.Lines(), func(line string) bool {
		return commentMark(line) != 0 && knownNames(commentCells(line, d, n)) > 0
	})
	return (numbers || len(rows) > 2 || (len(rows) > 1 || ruled) && known) && !delimited(rows)
}

// delimited reports whether a delimiter divides all rows into as many cells.
func delimited(rows []string) bool {
	delim, n := delimiter(rows[0])
	if n == 0 {
		return false
	}
	d := newDialect(delim, `"`, '#', false)
	for _, line := range rows {
		if len(d.cells(line)) != n+1 {
			return false
		}
	}
	return true
}

// readBlanks reads up to the data.
func (s *reader) readBlanks(in *head) error {
	s.setNulls("null", "--", "INDEF")
	if strings.EqualFold(filepath.Ext(s.path), ".qdp") {
		s.setNulls("null", "--", "INDEF", "NO")
	}
	s.nullEmpty = true
	d := byBlanks(`"`, '#')
	lines, err := in.peek(sniffedRows)
	if err != nil {
		return err
	}
	if first := withoutComments(lines); hasWholeRule(first) {
		d.rule = "--"
	}
	return s.readNamed(in, func(string) *dialect { return d })
}

// isWholeRule reports whether a line is one run of dashes or equals signs.
func isWholeRule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) > 3 && (strings.Trim(line, "-") == "" || strings.Trim(line, "=") == "")
}

// hasWholeRule reports whether a rule is one of the first lines, above the rows.
func hasWholeRule(rows []string) bool {
	return slices.ContainsFunc(rows[:min(len(rows), 3)], isWholeRule)
}
