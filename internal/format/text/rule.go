package text

import (
	"bytes"
	"regexp"
	"strings"
)

// isRule reports whether a line is a rule: runs of dashes or equals signs, at least
// two of them, with nothing between them but what divides columns.
func isRule(line string) bool {
	return strings.Trim(line, "-=+|:;, \t") == "" && ruleRun.MatchString(line)
}

// ruleRun is a run of a rule; that of Markdown between bars can be one dash.
var ruleRun = regexp.MustCompile(`--|==|\|:?-:?\|`)

// isNoRow reports whether a line of a table with a rule is blank, such a rule, of
// dashes or equals signs, or says how many rows there are.
func (d *dialect) isNoRow(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || d.rule != "" && isFooter(line) {
		return true
	}
	if d.bars != nil && isWholeRule(string(line)) {
		return true
	}
	if d.rule == "" || len(line) != len(d.rule) {
		return false
	}
	for i, c := range line {
		if c != d.rule[i] && (c != '=' && c != '-' || d.rule[i] != '-' && d.rule[i] != '=') {
			return false
		}
	}
	return true
}

// isFooter reports whether a line is what psql and mysql write below a table.
func isFooter(line []byte) bool {
	return len(line) > 0 && line[len(line)-1] == ')' && footer.Match(line)
}

var footer = regexp.MustCompile(`^\s*(\(\d+ rows?\)|\d+ rows? in set.*)\s*$`)

// ruledBy returns the cells that a rule divides a line of names into, by the
// delimiter of the rule; delim is 0 where it has none but blanks and bars.
func ruledBy(rule string) (delim byte, n int) {
	for _, c := range []byte("\t;,") {
		if k := strings.Count(rule, string(c)); k > 0 {
			return c, k + 1
		}
	}
	return 0, len(spansOf(rule))
}

// spansOf returns where the runs of dashes in a rule are.
func spansOf(rule string) (spans []span) {
	at := 0
	for _, c := range rule {
		dash := c == '-' || c == '=' || c == ':'
		switch n := len(spans); {
		case dash && n > 0 && spans[n-1].hi == at:
			spans[n-1].hi++
		case dash:
			spans = append(spans, span{at, at + 1})
		}
		at++
	}
	return spans
}

// ruleAt returns which of the first lines that are no comments is a rule below one
// or two other lines, -1 if none is.
func ruleAt(rows []string) int {
	for i, line := range rows[:min(len(rows), 4)] {
		if i > 0 && isRule(line) && !isRule(rows[i-1]) {
			return i
		}
	}
	return -1
}
