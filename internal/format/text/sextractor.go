package text

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"skyjoin/internal/format"
)

// SExtractor names its columns in comments, by number, with a description and a
// unit. A number that is left out belongs to the name before, which has an element
// for each: the names are then MAG_APER, MAG_APER_1, ….

// sextractorLine is such a comment.
var sextractorLine = regexp.MustCompile(`^#\s*(\d+)\s+([A-Za-z_]\S*)\s*(.*?)\s*(?:\[([^\]]*)\])?\s*$`)

// isSExtractor recognises two such comments, or one with a description, of which
// the first is of column 1.
func isSExtractor(start *format.Start) bool {
	lines := start.Lines()
	m := sextractorLine.FindStringSubmatch(lines[0])
	if m == nil || m[1] != "1" {
		return false
	}
	return m[3] != "" || len(lines) > 1 && sextractorLine.MatchString(lines[1])
}

// readSExtractor reads up to the first row.
func (s *reader) readSExtractor(in *head) error {
	s.setNulls("null")
	s.dialect = byBlanks("", '#')
	for number := 1; ; number++ {
		at := *in
		line, err := in.next()
		if err == io.EOF || err == nil && !isComment(line) {
			*in = at
			break
		}
		if err != nil {
			return err
		}
		m := sextractorLine.FindStringSubmatch(line)
		if m == nil {
			s.setComments([]string{line})
			continue
		}
		column, err := strconv.Atoi(m[1])
		if err != nil || column <= len(s.Columns) || column > maxColumns {
			return lineError(number, "column %s follows column %d", m[1], len(s.Columns))
		}
		s.elements(column - 1)
		s.Columns = append(s.Columns, format.Field{Name: m[2], Description: m[3], Unit: m[4]})
	}
	s.namesLine = 1
	s.dataFrom(in)
	if len(s.Columns) == 0 {
		return fmt.Errorf("no comment names a column, as # 1 NUMBER Running object number")
	}
	switch first, err := in.row(s.dialect); {
	case err == errMore:
		return err
	case err == nil && len(first.cells) <= maxColumns:
		s.elements(len(first.cells))
	}
	return nil
}

// maxColumns bounds the columns of a header that says their number.
const maxColumns = format.MostColumns

// elements makes columns of the further elements of the last one, up to n in all.
func (s *reader) elements(n int) {
	for i := 1; len(s.Columns) > 0 && len(s.Columns) < n; i++ {
		f := s.Columns[len(s.Columns)-1]
		if i > 1 {
			f.Name = strings.TrimSuffix(f.Name, "_"+strconv.Itoa(i-1))
		}
		f.Name += "_" + strconv.Itoa(i)
		s.Columns = append(s.Columns, f)
	}
}
