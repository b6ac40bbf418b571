package text

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"skyjoin/internal/format"
)

// DAOPHOT and APPHOT of IRAF describe their tables in comments: #K parameters, #N
// names, #U units, #F formats. A row has several lines, of which all but the last
// end in a backslash. Names of lines that end in an asterisk are repeated, one set
// for each aperture: MAG, MAG2, MAG3. INDEF is null.

// isDAOPHOT recognises a line of names above one of units or formats.
func isDAOPHOT(start *format.Start) bool {
	return slices.ContainsFunc(start.Lines(), func(line string) bool { return strings.HasPrefix(line, "#N ") }) &&
		slices.ContainsFunc(start.Lines(), func(line string) bool { return strings.HasPrefix(line, "#F ") || strings.HasPrefix(line, "#U ") })
}

// readDAOPHOT reads up to the first row.
func (s *reader) readDAOPHOT(in *head) error {
	s.setNulls("INDEF", "null")
	s.dialect = byBlanks("", '#')
	s.dialect.joined = true
	var units []string
	set := 0 // columns that the last line of names has
	for {
		at := *in
		line, err := in.next()
		if err == io.EOF || err == nil && !isComment(line) {
			*in = at
			break
		}
		if err != nil {
			return err
		}
		if len(line) < 3 {
			continue
		}
		words := strings.Fields(strings.TrimRight(line[2:], " \\*"))
		switch line[:2] {
		case "#K":
			if name, value, ok := strings.Cut(line[2:], "="); ok {
				s.Meta = append(s.Meta, format.KeyValue{Key: strings.TrimSpace(name), Value: parameter(value)})
			}
		case "#N":
			set = len(words)
			s.name(words, in.line)
		case "#U":
			units = append(units, words...)
		}
	}
	for i, u := range units {
		if i < len(s.Columns) && strings.Trim(u, "#") != "" {
			s.Columns[i].Unit = u
		}
	}
	s.dataFrom(in)
	first, err := in.row(s.dialect)
	if err == errMore {
		return err
	}
	if more := len(first.cells) - len(s.Columns); err == nil && set > 0 && more > 0 && more%set == 0 && len(first.cells) <= maxColumns {
		once := s.Columns[len(s.Columns)-set:]
		for i := 2; more > 0; i, more = i+1, more-set {
			for _, f := range once {
				f.Name += strconv.Itoa(i)
				s.Columns = append(s.Columns, f)
			}
		}
	}
	return nil
}

// parameter is the value of a parameter, without its unit and format.
func parameter(text string) string {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return ""
	}
	return strings.Trim(fields[0], `"`)
}
