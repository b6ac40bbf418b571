package text

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"skyjoin/internal/format"
)

// A dialect says how a text format divides lines into cells. Lines end in LF,
// CR LF or CR. A cell that starts with a quote reaches to the closing one,
// over delimiters and line ends, and a doubled quote in it stands for itself;
// a quote elsewhere is an ordinary character. Blanks around cells do not
// count, nor do empty lines and lines that start with the comment character.
// Instead of a delimiter, runs of blanks may divide cells (see byBlanks), or
// each cell may have its place in the line (see bySpans), or stand between bars
// (see byBars).
type dialect struct {
	delim     byte
	quotes    string    // the characters that quote
	comment   byte      // 0 for none
	backslash bool      // in quotes a backslash takes the next character as it is
	stop      [256]bool // what ends a cell without quotes
	pad       [256]bool // what does not count around a cell

	ends     []string  // comments, if open lines, that start so end the table: another follows
	indented bool      // blanks may stand before comments, as no row has only one cell
	blanks   bool      // runs of blanks and tabs divide cells
	bars     *bars     // that divide cells; nil if others do
	laid     laidLines // of a row that has several; nil if rows have one
	spans    []span    // where the cells of a line are
	taken    []span    // by spans that overlap or are in no order: what they take together
	rule     string    // by blanks, spans and bars: a line of dashes, which is no row
	walled   bool      // by spans: a bar stands before each
	open     bool      // by spans: what is between cells, and touches none, does not count
}

func newDialect(delim byte, quotes string, comment byte, backslash bool) *dialect {
	d := &dialect{delim: delim, quotes: quotes, comment: comment, backslash: backslash}
	for _, c := range []byte{delim, '\n', '\r'} {
		d.stop[c] = true
	}
	d.pad[' '], d.pad['\t'] = delim != ' ', delim != '\t'
	return d
}

// A rawCell is the bytes [lo, hi) of the buffer, without quotes.
type rawCell struct {
	lo, hi  int
	quoted  bool
	escaped bool // holds doubled quotes or backslashes: see unescape
}

type rowKind uint8

const (
	rowData     rowKind = iota
	rowNone             // the end of the buffer
	rowUnclosed         // a quote is open at the end of the buffer
	rowGarbage          // characters follow a closing quote
	rowOutside          // characters are between the places of cells
)

// A scanner divides a buffer, which starts at the start of a line, into
// rows.
type scanner struct {
	*dialect
	buf   []byte
	pos   int       // after the row
	lo    int       // start of the row
	line  int       // lines before pos, counted from the buffer's first, which is 0
	first int       // line the row starts in
	ended bool      // at a comment that ends the table
	cells []rawCell // of the row

	wide   int   // comments with as many cells are told of; 0 for none
	hashed []int // their lines, counted as line is
}

// endOfFile is the Ctrl-Z with which texts of DOS may end.
const endOfFile = 0x1a

// next steps to the next row that is not empty or a comment.
func (s *scanner) next() rowKind {
	for {
		s.lo, s.first, s.cells = s.pos, s.line, s.cells[:0]
		if s.pos == len(s.buf) {
			return rowNone
		}
		if s.buf[s.pos] == s.comment || s.open {
			if s.ended = s.endsTable(); s.ended {
				s.pos = len(s.buf)
				return rowNone
			}
		}
		if s.buf[s.pos] == s.comment {
			s.skipLine()
			if s.wide > 0 && s.isHashed(string(bytes.TrimRight(s.buf[s.lo:s.pos], "\r\n")), s.wide) {
				s.hashed = append(s.hashed, s.first)
			}
			continue
		}
		if kind := s.anyRow(); kind != rowData {
			return kind
		}
		if s.buf[s.lo] == endOfFile && s.pos == len(s.buf) {
			return rowNone
		}
		if s.indented && len(s.cells) == 1 && s.cells[0].hi > s.cells[0].lo && s.buf[s.cells[0].lo] == s.comment && !s.cells[0].quoted {
			continue // a comment with blanks before it
		}
		if len(s.cells) > 1 || len(s.cells) == 1 && (s.cells[0].hi > s.cells[0].lo || s.cells[0].quoted) {
			return rowData
		}
	}
}

// anyRow appends the cells of the row at pos, and steps over its end.
func (s *scanner) anyRow() rowKind {
	switch {
	case s.blanks:
		return s.rowByBlanks()
	case s.bars != nil:
		return s.rowByBars()
	case s.laid != nil:
		return s.rowOfLines()
	case s.spans != nil:
		return s.rowBySpans()
	}
	return s.row()
}

// skipLine steps over the rest of the line.
func (s *scanner) skipLine() {
	if i := bytes.IndexAny(s.buf[s.pos:], "\r\n"); i >= 0 {
		s.pos += i
		s.endLine()
	} else {
		s.pos = len(s.buf)
	}
}

// endsTable reports whether the comment at pos ends the table.
func (s *scanner) endsTable() bool {
	return slices.ContainsFunc(s.ends, func(e string) bool { return bytes.HasPrefix(s.buf[s.pos:], []byte(e)) })
}

// row is anyRow for cells between delimiters.
func (s *scanner) row() rowKind {
	buf, pos := s.buf, s.pos
	for {
		for pos < len(buf) && s.pad[buf[pos]] {
			pos++
		}
		if pos < len(buf) && strings.IndexByte(s.quotes, buf[pos]) >= 0 {
			var kind rowKind
			if pos, kind = s.quoted(pos); kind != rowData {
				return kind
			}
		} else {
			lo := pos
			for pos < len(buf) && !s.stop[buf[pos]] {
				pos++
			}
			hi := pos
			for hi > lo && s.pad[buf[hi-1]] {
				hi--
			}
			s.cells = append(s.cells, rawCell{lo: lo, hi: hi})
		}
		if pos < len(buf) && buf[pos] == s.delim {
			pos++
			continue
		}
		s.pos = pos
		s.endLine()
		return rowData
	}
}

// endLine steps over the line end at pos, if the buffer does not end there.
func (s *scanner) endLine() {
	if s.pos == len(s.buf) {
		return
	}
	if s.buf[s.pos] == '\r' && s.pos+1 < len(s.buf) && s.buf[s.pos+1] == '\n' {
		s.pos++
	}
	s.pos++
	s.line++
}

// quoted appends the cell whose opening quote is at pos and returns the
// position of the delimiter or line end after it.
func (s *scanner) quoted(pos int) (int, rowKind) {
	q := s.buf[pos]
	c := rawCell{lo: pos + 1, quoted: true}
	pos++
	for ; ; pos++ {
		if s.backslash {
			for pos < len(s.buf) && s.buf[pos] != q {
				if s.buf[pos] == '\\' {
					c.escaped = true
					pos++
				}
				pos++
			}
		} else if i := bytes.IndexByte(s.buf[pos:], q); i >= 0 {
			pos += i
		} else {
			pos = len(s.buf)
		}
		if pos >= len(s.buf) {
			return pos, rowUnclosed
		}
		if pos++; pos == len(s.buf) || s.buf[pos] != q {
			break
		}
		c.escaped = true
	}
	c.hi = pos - 1
	s.line += countLines(s.buf[c.lo:c.hi])
	s.cells = append(s.cells, c)
	for pos < len(s.buf) && s.pad[s.buf[pos]] {
		pos++
	}
	if pos < len(s.buf) && !s.stop[s.buf[pos]] {
		return pos, rowGarbage
	}
	return pos, rowData
}

// countLines returns the number of line ends in b.
func countLines(b []byte) int {
	return bytes.Count(b, []byte{'\n'}) + bytes.Count(b, []byte{'\r'}) - bytes.Count(b, []byte("\r\n"))
}

// text returns the text of a cell, as [format.Texts] does.
func (s *scanner) text(c rawCell) string {
	b := s.unescape(nil, c)
	if !utf8.Valid(b) {
		b = format.FromLatin1(b)
	}
	return string(b)
}

// unescape appends the text of a cell to b.
func (s *scanner) unescape(b []byte, c rawCell) []byte {
	if !c.escaped {
		return append(b, s.buf[c.lo:c.hi]...)
	}
	if s.bars != nil {
		return append(b, bytes.ReplaceAll(s.buf[c.lo:c.hi], []byte(`\|`), []byte("|"))...)
	}
	q := s.buf[c.lo-1]
	for i := c.lo; i < c.hi; i++ {
		if s.buf[i] == q || s.backslash && s.buf[i] == '\\' {
			i++
		}
		b = append(b, s.buf[i])
	}
	return b
}

// lastRowEnd returns the end of the last complete row in a buffer that is not the
// end of the text, 0 if there is none.
func (d *dialect) lastRowEnd(buf []byte) int {
	if len(buf) == 0 {
		return 0
	}
	if d.laid == nil && (d.quotes == "" || !bytes.ContainsAny(buf, d.quotes)) {
		// A CR at the end may be half of a CR LF.
		if buf[len(buf)-1] == '\n' {
			return len(buf)
		}
		return bytes.LastIndexAny(buf[:len(buf)-1], "\r\n") + 1
	}
	s := scanner{dialect: d, buf: buf}
	end := 0
	for s.next() == rowData && (s.pos < len(buf) || buf[len(buf)-1] == '\n' && d.laid == nil) {
		end = s.pos
	}
	return end
}
