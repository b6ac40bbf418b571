package text

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"skyjoin/internal/format"
)

// DAOPHOT and APPHOT of IRAF describe their tables in comments: #K parameters, #N
// names, #U units, #F formats, which have the widths of the cells. A row has several
// lines, of which all but the last end in a backslash. The last line is repeated for
// each aperture, an asterisk at its end; its names are then MAG, MAG2, MAG3. INDEF is
// null.

// isDAOPHOT recognises a line of names above one of units or formats.
func isDAOPHOT(start *format.Start) bool {
	return slices.ContainsFunc(start.Lines(), func(line string) bool { return strings.HasPrefix(line, "#N ") }) &&
		slices.ContainsFunc(start.Lines(), func(line string) bool { return strings.HasPrefix(line, "#F ") || strings.HasPrefix(line, "#U ") })
}

// readDAOPHOT reads up to the first row.
func (s *reader) readDAOPHOT(in *head) error {
	s.setNulls("INDEF", "null")
	s.dialect = newDialect(' ', "", '#', false)
	s.dialect.laid = laidLines{}
	var units []string
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
			s.name(words, in.line)
			s.dialect.laid = append(s.dialect.laid, laidLine{cells: len(words)})
		case "#U":
			units = append(units, words...)
		case "#F":
			if n := len(s.dialect.laid); n > 0 && s.dialect.laid[n-1].widths == nil {
				s.dialect.laid[n-1].setFormats(words)
			}
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
	if err == nil {
		s.repeatLast(len(first.cells))
	}
	for k := range s.Columns {
		s.rules = append(s.rules, rule{kind: s.dialect.laid.kindOf(k)})
	}
	return nil
}

// repeatLast repeats the columns of the last line up to n in all, if n is possible.
func (s *reader) repeatLast(n int) {
	lines := s.dialect.laid
	if len(lines) == 0 {
		return
	}
	set := lines[len(lines)-1].cells
	if more := n - len(s.Columns); set == 0 || more <= 0 || more%set != 0 || n > maxColumns {
		return
	}
	once := s.Columns[len(s.Columns)-set:]
	for i := 2; len(s.Columns) < n; i++ {
		for _, f := range once {
			f.Name += strconv.Itoa(i)
			s.Columns = append(s.Columns, f)
		}
	}
}

// parameter is the value of a parameter, without its unit and format.
func parameter(text string) string {
	words := strings.Fields(text)
	if n := len(words); n > 1 && strings.HasPrefix(words[n-1], "%") {
		words = words[:n-2]
	}
	return strings.Trim(strings.Join(words, " "), `"`)
}
