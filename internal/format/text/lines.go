package text

import (
	"slices"
	"strings"

	"skyjoin/internal/format"
)

// skipComments goes to the next line that is neither a comment nor empty, and
// returns it with the comments before it.
func (in *head) skipComments() (line string, comments []string, err error) {
	for {
		at := *in
		line, err := in.next()
		switch {
		case err != nil:
			return "", comments, err
		case !isComment(line):
			*in = at
			return line, comments, nil
		case strings.TrimSpace(line) != "":
			comments = append(comments, line)
		}
	}
}

// isComment reports whether a line is a comment or empty.
func isComment(line string) bool { return strings.TrimSpace(line) == "" || commentMark(line) != 0 }

// commentMark returns what a comment starts with: # or, as QDP, MATLAB and TeX have
// them, ! or %, the latter before a blank. It is 0 for other lines.
func commentMark(line string) byte {
	switch line = strings.TrimSpace(line); {
	case strings.HasPrefix(line, "#"), strings.HasPrefix(line, "!"):
		return line[0]
	case line == "%" || strings.HasPrefix(line, "% ") || strings.HasPrefix(line, "%%"):
		return '%'
	}
	return 0
}

// withoutComments returns the lines that are neither comments nor empty.
func withoutComments(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), isComment)
}

// cells divides a line into the texts of its cells.
func (d *dialect) cells(line string) (texts []string) {
	sc := scanner{dialect: d, buf: []byte(line)}
	if len(line) > 0 && sc.anyRow() == rowData {
		for _, c := range sc.cells {
			texts = append(texts, sc.text(c))
		}
	}
	return texts
}

// setComments keeps comments as metadata.
func (s *reader) setComments(lines []string) {
	if len(lines) > 0 {
		s.Meta = append(s.Meta, format.KeyValue{Key: "comments", Value: strings.Join(lines, "\n")})
	}
}

// setUnits sets the units of columns from the cells of a row; marks for no unit
// are none.
func (s *reader) setUnits(cells []string) {
	for i := range s.Columns {
		if i < len(cells) && !noUnit[cells[i]] {
			s.Columns[i].Unit = cells[i]
		}
	}
}

// dataFrom says that the rows start at the next line.
func (s *reader) dataFrom(in *head) { s.dataAt, s.dataLine = int64(in.pos), in.line+1 }

// nameAll names columns without a name by their positions.
func (s *reader) nameAll() {
	for i := range s.Columns {
		f := &s.Columns[i]
		f.Name = format.ColumnName(f.Name, i)
	}
}

// doubled reports whether two columns have one name, so that the table cannot be
// copied as it is.
func (s *reader) doubled() bool {
	seen := map[string]bool{}
	for _, f := range s.Columns {
		if seen[f.Name] {
			return true
		}
		seen[f.Name] = true
	}
	return false
}
