package text

import (
	"io"
	"slices"
	"strings"

	"skyjoin/internal/each"
	"skyjoin/internal/format"
)

// Tables whose cells have their places in the line are recognised by a rule of
// dashes or equals signs below the names (astropy's fixed_width_two_line and rst,
// psql, VizieR's asu-txt), or by bars around every cell (fixed_width, Markdown,
// mysql). Bars divide the cells wherever they are if all of the first lines have as
// many, as those of Markdown need not be below each other. Where a file has neither,
// and the user says that it is such a table, the places are what the blank characters
// that all of its first lines share divide.

// isFixed recognises a rule that blanks, bars or plus signs divide, or lines with
// bars around them.
func isFixed(start *format.Start) bool {
	if hashedNames(start.Lines()) >= 0 {
		return true
	}
	rows := withoutComments(start.Lines())
	for len(rows) > 0 && isRule(rows[0]) {
		rows = rows[1:]
	}
	if at := ruleAt(rows); at > 0 {
		delim, n := ruledBy(rows[at])
		return delim == 0 && (n > 1 || isBarred(rows[0]))
	}
	return len(rows) > 1 && isBarred(rows[0]) && isBarred(rows[1])
}

// readFixed reads up to the first row.
func (s *reader) readFixed(in *head) error {
	s.setNulls("null", "--", "INDEF")
	lines, err := in.peek(hashedWithin)
	if err != nil {
		return err
	}
	if at := hashedNames(lines); at >= 0 {
		s.setNulls("null", "--", "INDEF", "~")
		for range at {
			in.next()
		}
		s.setComments(slices.DeleteFunc(slices.Clone(lines[:at]), func(line string) bool { return strings.TrimSpace(line) == "" }))
	} else {
		_, comments, err := in.skipComments()
		if err != nil {
			return noMore(err, "the line of names")
		}
		s.setComments(comments)
	}
	var rows []string // without rules before the first
	var after []head  // each of them
	rule := ""
	for len(rows) < 4 {
		line, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if isRule(line) && len(rows) == 0 {
			rule = strings.TrimSpace(line)
			continue
		}
		if len(rows) == 0 {
			s.namesLine = in.line
		}
		rows, after = append(rows, line), append(after, *in)
	}
	if len(rows) == 0 {
		return errNoNames
	}
	data, at := 1, ruleAt(rows) // rows before them; which is the rule
	if at > 2 {
		return lineError(s.namesLine, "three lines stand above the rule of dashes; names and units are read")
	}
	if at > 0 {
		data, rule = at+1, strings.TrimSpace(rows[at])
	}
	where := "have their places in the line"
	switch {
	case areBarred(rows[0], after[0]):
		s.dialect = byBars(rows[0])
		where = "stand between bars"
	case at > 0:
		s.dialect = bySpans(spansOf(rows[at]), '#')
	case isBarred(rows[0]):
		s.dialect = bySpans(barSpans(rows[0]), '#')
		s.dialect.walled = true
	default:
		spans := commonSpans(rows[0], after[0])
		if len(spans) < 2 {
			return lineError(s.namesLine, "no character is blank in all of the first lines, so that no two columns are told apart: %s", format.Clip(rows[0]))
		}
		s.dialect = bySpans(spans, '#')
	}
	s.dialect.rule = rule
	plain := *s.dialect
	plain.comment = 0 // # may be the name of a column
	names := plain.cells(rows[0])
	if len(names) == 0 {
		return lineError(s.namesLine, "%s is no line of names above the places of the columns", format.Clip(rows[0]))
	}
	if allNumbers(names, each.Of(names, isNumber)) {
		return lineError(s.namesLine, "numbers stand where the column names should: %s; add a line of names", format.Clip(rows[0]))
	}
	s.name(names, s.namesLine)
	if data == 3 {
		s.setUnits(s.dialect.cells(rows[1]))
	}
	*in = after[data-1]
	s.dataFrom(in)
	s.notef("cells %s, %s of them; names are in line %d", where, counted(len(names), "column"), s.namesLine)
	if data == 3 {
		return nil
	}
	s.units, err = in.row(s.dialect)
	if err != errMore {
		err = nil // whatever it is, it is no row of units
	}
	return err
}

// hashedWithin is within how many lines the names of a list of SIMBAD are.
const hashedWithin = 30

// hashedNames returns which of the lines has the names of a list of SIMBAD, -1 if none
// has: it starts with # and bars, and below it is a rule with as many.
func hashedNames(lines []string) int {
	for i, line := range lines[:min(len(lines), hashedWithin)] {
		if bars := strings.Count(line, "|"); bars > 0 && line[0] == '#' && i+1 < len(lines) && isRule(lines[i+1]) && strings.Count(lines[i+1], "|") == bars {
			return i
		}
	}
	return -1
}

// peek returns the next lines, at most n, without going over them.
func (in *head) peek(n int) (lines []string, err error) {
	for at := *in; len(lines) < n; {
		line, err := at.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// commonSpans returns what lies between the characters that are blank in the line
// of names and in the rows after it, as far as they are in the head.
func commonSpans(names string, in head) (spans []span) {
	var used []bool
	mark := func(line string) {
		at := 0
		for _, c := range line {
			for len(used) <= at {
				used = append(used, false)
			}
			used[at] = used[at] || c != ' ' && c != '\t'
			at++
		}
	}
	mark(names)
	for range sniffedRows {
		line, err := in.next()
		if err != nil {
			break
		}
		if !isComment(line) {
			mark(line)
		}
	}
	for at, u := range used {
		switch n := len(spans); {
		case u && n > 0 && spans[n-1].hi == at:
			spans[n-1].hi++
		case u:
			spans = append(spans, span{at, at + 1})
		}
	}
	return spans
}
