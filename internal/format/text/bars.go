package text

import (
	"bytes"
	"strings"
)

// bars divide cells, and may stand before the first and behind the last.
type bars struct{ before, behind bool }

// byBars returns a dialect in which bars divide cells. Where the line of names has one
// at an end, others may, too. A bar after a backslash is text.
func byBars(names string) *dialect {
	d := newDialect('|', "", '#', false)
	names = strings.TrimSpace(names)
	d.bars = &bars{strings.HasPrefix(names, "|"), strings.HasSuffix(names, "|")}
	return d
}

// areBarred reports whether bars divide a line of names and the lines after it, as far
// as they are in the head, into as many cells.
func areBarred(names string, in head) bool {
	d := byBars(names)
	d.comment = 0
	n := len(d.cells(names))
	if n < 2 && !isBarred(names) {
		return false
	}
	for range sniffedRows {
		line, err := in.next()
		if err != nil {
			break
		}
		if cells := d.cells(line); len(cells) != n && len(cells) > 0 && !isRule(line) && !isWholeRule(line) && !isFooter([]byte(line)) {
			return false
		}
	}
	return true
}

// isBarred reports whether bars stand around the cells of a line.
func isBarred(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) > 2 && line[0] == '|' && line[len(line)-1] == '|'
}

// rowByBars is anyRow for cells between bars. A line of blanks, a rule and a count of
// rows are no row.
func (s *scanner) rowByBars() rowKind {
	at := s.pos
	s.skipLine()
	line := bytes.TrimRight(s.buf[at:s.pos], "\r\n")
	if line = bytes.TrimRight(line, " \t"); s.isNoRow(line) {
		return rowData // without cells
	}
	if bytes.TrimSpace(line)[0] == s.comment {
		return rowData
	}
	for s.pad[line[0]] {
		at, line = at+1, line[1:]
	}
	if s.bars.before && line[0] == '|' {
		at, line = at+1, line[1:]
	}
	if n := len(line) - 1; s.bars.behind && n >= 0 && line[n] == '|' && (n == 0 || line[n-1] != '\\') {
		line = line[:n]
	}
	c := rawCell{lo: at}
	for i := 0; i <= len(line); i++ {
		switch {
		case i < len(line) && line[i] == '\\' && i+1 < len(line) && line[i+1] == '|':
			c.escaped = true
			i++
		case i == len(line) || line[i] == '|':
			c.hi = at + i
			for c.hi > c.lo && s.pad[s.buf[c.hi-1]] {
				c.hi--
			}
			for c.lo < c.hi && s.pad[s.buf[c.lo]] {
				c.lo++
			}
			s.cells = append(s.cells, c)
			c = rawCell{lo: at + i + 1}
		}
	}
	return rowData
}
