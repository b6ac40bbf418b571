package text

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"skyjoin/internal/format"
)

// VizieR writes tables (asu-tsv, with semicolons asu-csv) as a line of names, a line
// of units and a rule of dashes, whose cells the data have. Comments describe the
// columns: #Column, name, (format), description, [ucd=…], with tabs between them.
// Several tables may follow each other, of which the first is read.

// isVizieR recognises a rule with delimiters, or the comments.
func isVizieR(start *format.Start) bool {
	rows := withoutComments(start.Lines())
	if at := ruleAt(rows); at > 0 {
		delim, n := ruledBy(rows[at])
		return delim != 0 && len(newDialect(delim, "", 0, false).cells(rows[at-1])) == n
	}
	return len(rows) == 0 && vizierProblem(start.Lines()) != ""
}

// readVizieR reads up to the line after the rule.
func (s *reader) readVizieR(in *head) error {
	s.setNulls("null")
	_, comments, err := in.skipComments()
	if err == io.EOF {
		if why := vizierProblem(comments); why != "" {
			return fmt.Errorf("VizieR has sent no table: %s", format.Clip(why))
		}
		return errNoNames
	}
	if err != nil {
		return err
	}
	s.namesLine = in.line + 1
	var above []string
	var rule string
	for rule == "" {
		line, err := in.next()
		if err != nil {
			return noMore(err, "the rule of dashes")
		}
		if isRule(line) {
			rule = line
			break
		}
		if above = append(above, line); len(above) > 2 {
			return lineError(s.namesLine, "no rule of dashes follows the names")
		}
	}
	delim, n := ruledBy(rule)
	s.dialect = newDialect(delim, "", '#', false)
	s.dialect.ends = []string{"#Table", "#RESOURCE"}
	if len(above) == 0 {
		return lineError(s.namesLine, "no names stand above the rule of dashes")
	}
	names := s.dialect.cells(above[0])
	if len(names) != n {
		return lineError(s.namesLine, "there are %s, and %s in the rule below", counted(len(names), "name"), counted(n, "run"))
	}
	s.name(names, s.namesLine)
	if len(above) > 1 {
		units := s.dialect.cells(above[1])
		for i, u := range units {
			units[i] = strings.Trim(u, `"`)
		}
		s.setUnits(units)
	}
	s.describe(comments)
	s.dataFrom(in)
	s.notef("written by VizieR or alike: names, units, a rule of dashes, then the data")
	return nil
}

// noMore is the error for a header that ends before what it should have.
func noMore(err error, what string) error {
	if err == io.EOF {
		return fmt.Errorf("the file ends before %s", what)
	}
	return err
}

// fortran is the format of a column of numbers: (I4), (F8.5), (E10.3), (A12).
var fortran = regexp.MustCompile(`^\(?([AIFEDL])\d*(\.\d+)?\)?$`)

// kindOf returns the kind of a Fortran format.
func kindOf(code string) kind {
	switch m := fortran.FindStringSubmatch(code); {
	case m == nil:
		return anything
	case m[1] == "A" || m[1] == "L":
		return asText
	case m[1] == "I":
		return asInteger
	}
	return asFloat
}

// ucdText is the UCD at the end of a description.
var ucdText = regexp.MustCompile(`\[ucd=([^\]]*)\]`)

// describe takes formats, descriptions and UCDs from comments; others are kept.
func (s *reader) describe(comments []string) {
	s.rules = make([]rule, len(s.Columns))
	next := 0 // column that a comment is probably of
	var kept []string
	for _, line := range comments {
		cells := strings.Split(line, "\t")
		if len(cells) < 3 || cells[0] != "#Column" {
			if strings.Trim(line, "# ") != "" {
				kept = append(kept, line)
			}
			continue
		}
		for i := range s.Columns {
			at := (next + i) % len(s.Columns)
			if f := &s.Columns[at]; f.Name == strings.TrimSpace(cells[1]) {
				s.rules[at].kind = kindOf(strings.TrimSpace(cells[2]))
				about := strings.Join(cells[3:], " ")
				if m := ucdText.FindStringSubmatch(about); m != nil {
					f.UCD, about = m[1], strings.Replace(about, m[0], "", 1)
				}
				f.Description = strings.TrimSpace(about)
				next = at + 1
				break
			}
		}
	}
	s.setComments(kept)
}

// vizierProblem returns what VizieR says where it sends no table.
func vizierProblem(lines []string) string {
	for _, line := range lines {
		if about, ok := strings.CutPrefix(line, "#INFO"); ok && strings.Contains(about, "Error=") {
			return strings.TrimSpace(about)
		}
	}
	return ""
}
