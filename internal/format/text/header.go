package text

import (
	"errors"
	"io"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
)

// A header is the part of a CSV file before the data rows, and the first data row.
type header struct {
	comments []string       // lines before the names, and between them and the data, with their comment character
	names    headerRow      // the line of names; its raw text is that of the comment where they are in one
	fields   []format.Field // named only
	declared *ecsv.Header   // which types them; nil if there is none
	dialect  *dialect
	first    headerRow // the first row of data, or the row of units; empty if there is none
}

// csvDelims are the possible delimiters.
const csvDelims = ",;\t|"

// read reads up to the first row after the line of names.
func (h *header) read(in *head) error {
	line, err := h.skipComments(in)
	if err == io.EOF {
		if in.line == 0 {
			return errors.New("the file is empty, a line of column names is needed")
		}
		return errors.New("there is no line of column names, only comments and empty lines")
	}
	if err != nil {
		return err
	}
	if err := refuseOther(line); err != nil {
		return err
	}
	if err := h.findDialect(line); err != nil {
		return err
	}
	// The names, and the row after them, may hold quoted line ends.
	if h.names, err = in.row(h.dialect); err != nil {
		return err
	}
	if commented := h.commentedNames(); commented != nil {
		// Names in the last comment, as numpy writes them: this row is data.
		h.first = h.names
		h.names.raw, h.comments = h.comments[len(h.comments)-1], h.comments[:len(h.comments)-1]
		return h.setNames(commented)
	}
	if err := h.setNames(h.names.cells); err != nil {
		return err
	}
	_, err = h.skipComments(in)
	if err == io.EOF {
		h.first = headerRow{lo: int64(in.pos), hi: int64(in.pos), line: in.line + 1}
		return nil
	}
	if err != nil {
		return err
	}
	if h.first, err = in.row(h.dialect); err != nil {
		return err
	}
	return h.refuseBlanks()
}

// refuseBlanks returns an error if columns are separated by blanks: the line of
// names is one name with as many words as the next row has numbers.
func (h *header) refuseBlanks() error {
	words, numbers := strings.Fields(h.names.raw), strings.Fields(h.first.raw)
	if h.declared != nil || len(h.fields) > 1 || len(words) < 2 || len(words) != len(numbers) || !allNumbers(numbers) {
		return nil
	}
	return lineError(h.names.line, "the columns are separated by blanks: %s; commas, semicolons, tabs or bars are needed", format.Clip(h.names.raw))
}

// skipComments goes to the next line that is neither a comment nor empty, and
// returns it. Comments are kept.
func (h *header) skipComments(in *head) (string, error) {
	for {
		at := *in
		line, err := in.next()
		switch {
		case err != nil:
			return "", err
		case strings.HasPrefix(line, "#"):
			h.comments = append(h.comments, line)
		case strings.TrimSpace(line) != "":
			*in = at
			return line, nil
		}
	}
}

// refuseOther returns an error for files that are not delimited text.
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

// findDialect finds the delimiter: the one declared by an ECSV header, otherwise
// the most frequent candidate in the line of names, outside quotes.
func (h *header) findDialect(names string) error {
	if len(h.comments) > 0 && strings.HasPrefix(h.comments[0], ecsv.Prefix) {
		var err error
		h.declared, h.dialect, err = ecsvHeader(h.comments)
		return err
	}
	counts := map[rune]int{}
	quoted := false
	for _, c := range names {
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
	h.dialect = newDialect(byte(best), `"`, '#', false)
	return nil
}

// commentedNames returns the names in the last comment before a first line of
// nothing but numbers, nil if that line has names itself.
func (h *header) commentedNames() []string {
	cells := h.names.cells
	if h.declared != nil || !allNumbers(cells) || len(h.comments) == 0 {
		return nil
	}
	last := strings.TrimLeft(h.comments[len(h.comments)-1], "#")
	s := scanner{dialect: h.dialect, buf: []byte(last)}
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
	return names
}

// allNumbers reports whether all cells that are not empty are numbers, and some
// are.
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

// setNames makes fields of the names.
func (h *header) setNames(names []string) (err error) {
	if h.declared == nil && allNumbers(names) {
		return lineError(h.names.line, "numbers stand where the column names should: %s; add a line of names", format.Clip(h.names.raw))
	}
	taken := map[string]int{}
	for i, name := range names {
		name = format.ColumnName(name, i)
		if first, ok := taken[name]; ok {
			return lineError(h.names.line, "columns %d and %d are both named %q", first+1, i+1, name)
		}
		taken[name] = i
		h.fields = append(h.fields, format.Field{Name: name})
	}
	if h.declared != nil {
		h.fields, err = declaredFields(h.declared, h.names)
	}
	return err
}
