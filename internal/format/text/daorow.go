package text

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

// laidLines are the lines that a row of DAOPHOT has. The last may be repeated.
type laidLines []laidLine

// A laidLine is a line of a row.
type laidLine struct {
	cells  int
	widths []int  // of the cells in characters; nil where the file does not say
	kinds  []kind // what they hold
}

// cFormat is how a cell was written, as C has it: %-10.3f.
var cFormat = regexp.MustCompile(`^%-?(\d+)(?:\.\d+)?([a-z])$`)

// setFormats sets widths and kinds by formats, if there is one for each cell.
func (l *laidLine) setFormats(formats []string) {
	if len(formats) != l.cells {
		return
	}
	var widths []int
	var kinds []kind
	for _, f := range formats {
		m := cFormat.FindStringSubmatch(f)
		if m == nil {
			return
		}
		width, err := strconv.Atoi(m[1])
		if err != nil || width > maxHeaderRow {
			return
		}
		k := asText
		switch {
		case strings.Contains("dioux", m[2]):
			k = asInteger
		case strings.Contains("efgh", m[2]):
			k = asFloat
		}
		widths, kinds = append(widths, width), append(kinds, k)
	}
	l.widths, l.kinds = widths, kinds
}

// kindOf returns the kind of a column, of which those of the last line are repeated.
func (lines laidLines) kindOf(column int) kind {
	for i, l := range lines {
		if i == len(lines)-1 && l.cells > 0 {
			column %= l.cells
		}
		if column < l.cells {
			if l.kinds == nil {
				return anything
			}
			return l.kinds[column]
		}
		column -= l.cells
	}
	return anything
}

// rowOfLines is anyRow for rows of several lines, of which all but the last end in a
// backslash.
func (s *scanner) rowOfLines() rowKind {
	repeats := true // the line before has the asterisk of apertures
	for k := 0; ; k++ {
		at := s.pos
		s.skipLine()
		line := bytes.TrimRight(s.buf[at:s.pos], " \t\r\n")
		if k == 0 && (len(line) == 0 || line[0] == s.comment) {
			return rowData // without cells
		}
		whole := bytes.TrimSuffix(line, []byte(`\`))
		more := len(whole) < len(line)
		if n := len(s.laid); n > 0 {
			of, whole := s.laid[min(k, n-1)], bytes.TrimRight(whole, " \t")
			own := of.withoutMark(whole)
			if k >= n && !repeats || !s.cellsOfLine(at, own, of) {
				return rowOutside
			}
			repeats = len(own) < len(whole)
		}
		if !more || s.pos == len(s.buf) {
			return rowData
		}
	}
}

// withoutMark returns a line without the asterisk of apertures at its end.
func (l laidLine) withoutMark(line []byte) []byte {
	rest, marked := bytes.CutSuffix(line, []byte("*"))
	width := 0
	for _, w := range l.widths {
		width += w
	}
	if marked && (len(rest) == 0 || rest[len(rest)-1] == ' ' || l.widths != nil && len(rest) >= width) {
		return rest
	}
	return line
}

// cellsOfLine appends the cells of a line, which is at an offset of the buffer:
// by their widths, or where numbers do not fit these, between blanks. It reports
// whether the line can be divided.
func (s *scanner) cellsOfLine(at int, line []byte, l laidLine) bool {
	have, words := len(s.cells), bytes.Fields(line)
	numbers, empty := true, true // cells of numbers hold nothing else, or nothing
	lo := 0
	for i, w := range l.widths {
		hi := min(lo+w, len(line))
		if i == l.cells-1 {
			hi = len(line)
		}
		cell := bytes.Trim(line[lo:hi], " \t")
		if l.kinds[i] != asText {
			cut := hi > lo && hi < len(line) && line[hi-1] != ' ' && line[hi] != ' '
			number := isNumber(str(cell)) || fold(cell, "indef")
			numbers = numbers && number && !(cut && len(words) == l.cells)
			empty = empty && (number || len(cell) == 0)
		}
		from := at + lo
		for from < at+hi && (s.buf[from] == ' ' || s.buf[from] == '\t') {
			from++
		}
		s.cells = append(s.cells, rawCell{lo: from, hi: from + len(cell)})
		lo = hi
	}
	if l.widths != nil && numbers {
		return true
	}
	if l.widths == nil || len(words) == l.cells {
		s.cells = s.cells[:have]
		for _, w := range words {
			i := bytes.Index(line, w) // the first, as what is before has been cut off
			s.cells = append(s.cells, rawCell{lo: at + i, hi: at + i + len(w)})
			at, line = at+i+len(w), line[i+len(w):]
		}
		return true
	}
	return empty
}
