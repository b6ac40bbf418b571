package text

import "strings"

// isRule reports whether a line is a rule: runs of dashes or equals signs, at least
// two of them, with nothing between them but what divides columns.
func isRule(line string) bool {
	return strings.Trim(line, "-=+|:;, \t") == "" && (strings.Contains(line, "--") || strings.Contains(line, "=="))
}

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
