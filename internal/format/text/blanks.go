package text

import "bytes"

// byBlanks returns a dialect in which runs of blanks and tabs divide cells. Blanks
// may stand before a comment, too. Where there is a rule, lines of dashes are no rows.
func byBlanks(quotes string, comment byte) *dialect {
	d := newDialect(' ', quotes, comment, false)
	d.blanks = true
	d.stop['\t'] = true
	d.pad['\t'] = false
	return d
}

// rowByBlanks is anyRow for cells between runs of blanks.
func (s *scanner) rowByBlanks() rowKind {
	if s.rule != "" {
		line := s.buf[s.pos:]
		if end := bytes.IndexAny(line, "\r\n"); end >= 0 {
			line = line[:end]
		}
		if isWholeRule(string(line)) {
			s.skipLine()
			return rowData // without cells
		}
	}
	for pos := s.pos; ; {
		for pos < len(s.buf) && (s.buf[pos] == ' ' || s.buf[pos] == '\t') {
			pos++
		}
		switch s.pos = pos; {
		case pos == len(s.buf):
			return rowData
		case s.buf[pos] == '\n' || s.buf[pos] == '\r':
			s.endLine()
			return rowData
		case len(s.cells) == 0 && s.buf[pos] == s.comment:
			s.skipLine()
			return rowData // without cells
		}
		if s.quotes != "" && s.buf[pos] == s.quotes[0] {
			var kind rowKind
			if pos, kind = s.quoted(pos); kind != rowData {
				return kind
			}
			continue
		}
		lo := pos
		for pos < len(s.buf) && !s.stop[s.buf[pos]] {
			pos++
		}
		s.cells = append(s.cells, rawCell{lo: lo, hi: pos})
	}
}
