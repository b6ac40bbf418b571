package catalog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// A textHeader is what precedes the data rows of a text file, and the first of
// them.
type textHeader struct {
	comments []string // lines before the names, and between them and the data, with their comment character
	names    string   // the line of names, raw
	lineEnd  string   // of that line
	namesAt  int      // its line number, from 1
	fields   []Field  // named only
	ecsv     bool     // fields are typed by a header of ECSV

	first   string   // the first row of data, or the row of units; "" if there is none
	cells   []string // its cells
	firstLo int64    // its byte offset
	firstHi int64    // byte offset after it
	lines   int      // lines before it
	more    int      // lines it has
}

// csvDelims are the delimiters that are looked for in the line of names.
const csvDelims = ",;\t|"

// readCSVHeader reads up to the first row after the line of names.
func readCSVHeader(r io.Reader) (*textHeader, *dialect, error) {
	in := &lineReader{r: bufio.NewReaderSize(r, 1<<16)}
	h := &textHeader{}
	line, err := h.skipComments(in)
	if err == io.EOF {
		if h.lines == 0 {
			return nil, nil, errors.New("the file is empty, a line of column names is needed")
		}
		return nil, nil, errors.New("there is no line of column names, only comments and empty lines")
	}
	if err != nil {
		return nil, nil, err
	}
	h.names, h.lineEnd, h.namesAt = line.text, line.end, h.lines+1
	if err := refuseOther(h.names); err != nil {
		return nil, nil, err
	}
	d, err := h.dialect()
	if err != nil {
		return nil, nil, err
	}
	// The names, and the row after them, may hold quoted line ends.
	names, err := in.row(d, line)
	if err != nil {
		return nil, nil, textError(h.namesAt, "%w", err)
	}
	h.names = names.raw
	h.lineEnd = names.end
	if commented := h.commentedNames(d, names.cells); commented != nil {
		// Names in the last comment, as numpy writes them: this row is data.
		h.setFirst(names, h.namesAt)
		return h, d, h.setNames(commented)
	}
	h.lines += names.lines
	if err := h.setNames(names.cells); err != nil {
		return nil, nil, err
	}
	line, err = h.skipComments(in)
	h.firstLo, h.firstHi = line.at, line.at
	if err == io.EOF {
		return h, d, nil
	}
	if err != nil {
		return nil, nil, err
	}
	first, err := in.row(d, line)
	if err != nil {
		return nil, nil, textError(h.lines+1, "%w", err)
	}
	h.setFirst(first, h.lines+1)
	return h, d, h.refuseBlanks()
}

// refuseBlanks reports columns that are separated by blanks: one name in which
// there are as many words as numbers in the row below.
func (h *textHeader) refuseBlanks() error {
	words, numbers := strings.Fields(h.names), strings.Fields(h.first)
	if h.ecsv || len(h.fields) > 1 || len(words) < 2 || len(words) != len(numbers) || !allNumbers(numbers) {
		return nil
	}
	return textError(h.namesAt, "the columns are separated by blanks: %s; commas, semicolons, tabs or bars are needed", clip(h.names))
}

func (h *textHeader) setFirst(r headerRow, line int) {
	h.first, h.cells, h.lines, h.more, h.firstLo, h.firstHi = r.raw, r.cells, line-1, r.lines, r.at, r.hi
}

// skipComments returns the next line that is neither a comment nor empty.
// Comments are kept.
func (h *textHeader) skipComments(in *lineReader) (headerLine, error) {
	for {
		line, err := in.next()
		switch {
		case err != nil:
			return line, err
		case strings.HasPrefix(line.text, "#"):
			h.comments = append(h.comments, line.text)
		case strings.TrimSpace(line.text) != "":
			return line, nil
		}
		h.lines++
	}
}

// refuseOther names the files that are no CSV at all.
func refuseOther(line string) error {
	switch {
	case strings.HasPrefix(line, "\xff\xfe"), strings.HasPrefix(line, "\xfe\xff"):
		return errors.New("the text is UTF-16, UTF-8 is needed: iconv -f UTF-16 -t UTF-8")
	case strings.IndexByte(line, 0) >= 0:
		return errors.New("the file is binary, not a table of text")
	case strings.HasPrefix(line, "<?xml"), strings.HasPrefix(line, "<!DOCTYPE"), strings.HasPrefix(line, "<html"):
		return errors.New("the file is XML or HTML, not a table of text")
	}
	return nil
}

// dialect finds the delimiter: the one that a header of ECSV names, otherwise
// the most frequent in the line of names, outside quotes.
func (h *textHeader) dialect() (*dialect, error) {
	if len(h.comments) > 0 && isECSV(h.comments[0]) {
		h.ecsv = true
		return h.ecsvDialect()
	}
	counts := map[rune]int{}
	quoted := false
	for _, c := range h.names {
		if c == '"' {
			quoted = !quoted
		} else if !quoted {
			counts[c]++
		}
	}
	best := rune(csvDelims[0])
	for _, c := range csvDelims {
		if counts[c] > counts[best] {
			best = c
		}
	}
	return newDialect(byte(best), `"`, '#', false), nil
}

// commentedNames returns the names in the last comment before a first line of
// nothing but numbers, nil if that line has names itself.
func (h *textHeader) commentedNames(d *dialect, cells []string) []string {
	if h.ecsv || !allNumbers(cells) || len(h.comments) == 0 {
		return nil
	}
	last := strings.TrimLeft(h.comments[len(h.comments)-1], "#")
	s := rowScanner{dialect: d, buf: []byte(last)}
	if s.next() != rowData || len(s.cells) != len(cells) {
		return nil
	}
	names := make([]string, len(cells))
	for i, c := range s.cells {
		names[i] = s.text(c)
		if names[i] == "" || classify([]byte(names[i]))&classNumber != 0 {
			return nil
		}
	}
	h.names = h.comments[len(h.comments)-1]
	h.comments = h.comments[:len(h.comments)-1]
	return names
}

// allNumbers reports whether the cells are numbers, but for empty ones.
func allNumbers(cells []string) bool {
	some := false
	for _, c := range cells {
		if c == "" {
			continue
		}
		if classify([]byte(c))&classNumber == 0 {
			return false
		}
		some = true
	}
	return some
}

// setNames makes fields of the names. A column without a name is called by its
// position, col1 for the first.
func (h *textHeader) setNames(names []string) error {
	if !h.ecsv && allNumbers(names) {
		return textError(h.namesAt, "numbers stand where the column names should: %s; add a line of names", clip(h.names))
	}
	taken := map[string]int{}
	for i, name := range names {
		if name == "" {
			name = fmt.Sprintf("col%d", i+1)
		}
		if first, ok := taken[name]; ok {
			return textError(h.namesAt, "columns %d and %d are both named %q", first+1, i+1, name)
		}
		taken[name] = i
		h.fields = append(h.fields, Field{Name: name})
	}
	if h.ecsv {
		return h.checkECSV(names)
	}
	return nil
}

// clip shortens a text for a message of one line.
func clip(s string) string {
	const limit = 60
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, s)
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// A lineReader reads lines that end in LF, CR LF or CR.
type lineReader struct {
	r  *bufio.Reader
	at int64
}

type headerLine struct {
	text, end string
	at        int64 // byte offset
}

// next returns the next line, io.EOF after the last one.
func (in *lineReader) next() (headerLine, error) {
	line := headerLine{at: in.at}
	var text []byte
	for {
		c, err := in.r.ReadByte()
		if err == io.EOF && len(text) > 0 {
			break
		}
		if err != nil {
			return line, err
		}
		in.at++
		if c == '\n' {
			line.end = "\n"
			break
		}
		if c == '\r' {
			line.end = "\r"
			if next, err := in.r.Peek(1); err == nil && next[0] == '\n' {
				line.end = "\r\n"
				in.r.Discard(1)
				in.at++
			}
			break
		}
		if text = append(text, c); len(text) > maxTextRow {
			return line, errRowTooLong
		}
	}
	line.text = string(text)
	return line, nil
}

// A headerRow is a row of the header and its cells.
type headerRow struct {
	raw, end string
	cells    []string
	lines    int
	at, hi   int64 // byte offsets
}

// row divides a line, and as many after it as its quotes enclose, into cells.
func (in *lineReader) row(d *dialect, line headerLine) (headerRow, error) {
	r := headerRow{raw: line.text, end: line.end, lines: 1, at: line.at}
	for {
		s := rowScanner{dialect: d, buf: []byte(r.raw)}
		switch s.next() {
		case rowData:
			for _, c := range s.cells {
				r.cells = append(r.cells, s.text(c))
			}
			r.hi = in.at
			return r, nil
		case rowGarbage:
			return r, fmt.Errorf("text follows a closing quote in %s", clip(string(bytes.TrimSpace(s.buf))))
		case rowNone:
			return r, fmt.Errorf("there are no column names in %q", clip(r.raw))
		}
		if err := in.untilQuote(&r, d); err != nil {
			return r, fmt.Errorf("%w in %s", err, clip(line.text))
		}
	}
}

// maxHeaderRow is the most bytes of a row of the header.
const maxHeaderRow = 1 << 20

// untilQuote adds lines to a row that has an open quote, up to the next that
// may close it.
func (in *lineReader) untilQuote(r *headerRow, d *dialect) error {
	raw := []byte(r.raw)
	for {
		more, err := in.next()
		if err == io.EOF || len(raw) > maxHeaderRow {
			return errors.New("a quote is never closed")
		}
		if err != nil {
			return err
		}
		raw = append(append(raw, r.end...), more.text...)
		r.end = more.end
		r.lines++
		if strings.ContainsAny(more.text, d.quotes) {
			r.raw = string(raw)
			return nil
		}
	}
}
