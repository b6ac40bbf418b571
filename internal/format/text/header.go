package text

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/sexagesimal"
)

// A header is the lines before the data of a table that says no more of itself
// than names, and where it got them from.
type header struct {
	comments []string  // before the first row
	between  []string  // comments before the row after it
	first    headerRow // the first row, of names or of data
	second   headerRow // the row after it, without cells if there is none
	numbers  []bool    // the cells of the first row that are numbers
}

// readNamed reads up to the data of a table whose names are in the first row, in a
// comment before it, or given by the user. split chooses how lines are divided,
// from the first that is no comment.
func (s *reader) readNamed(in *head, split func(line string) *dialect) error {
	var h header
	line, comments, err := in.skipComments()
	h.comments = comments
	if err == io.EOF {
		return errNoNames
	}
	if err != nil {
		return err
	}
	if err := refuseOther(line); err != nil {
		return err
	}
	s.dialect = split(line)
	if len(comments) > 0 && s.dialect.comment != 0 {
		s.dialect.comment = commentMark(comments[0])
	}
	if h.first, err = in.row(s.dialect); err != nil {
		if err == io.EOF {
			err = errNoNames
		}
		return err
	}
	if err := h.readSecond(in, s.dialect); err != nil {
		return err
	}
	h.findNumbers()
	if len(s.names) > 0 {
		return s.takeNames(&h)
	}
	if c := h.commented(s.dialect); c != nil {
		s.name(c.names, h.first.line)
		s.units, s.dataAt, s.dataLine = headerRow{}, h.first.lo, h.first.line
		s.setUnits(c.units)
		s.layout = layout{delimiter: s.dialect.delim, comments: h.comments[:c.at], header: h.comments[c.at], between: h.comments[c.end:], lineEnd: h.first.end}
		if c.units != nil {
			s.layout.units, s.layout.between = h.comments[c.unitsAt], slices.Concat(h.comments[c.end:c.unitsAt], h.comments[c.unitsAt+1:])
		}
		s.setComments(append(slices.Clip(s.layout.comments), s.layout.between...))
		if s.Name != "csv" {
			s.notef("columns are separated by blanks, their names are in a comment")
		}
		if other := h.otherNames(c, s.dialect); other != "" {
			s.notef("names are taken from the comment %s, and not from %s", format.Clip(h.comments[c.at]), format.Clip(other))
		}
		if c.units != nil {
			s.notef("a comment is taken for units: %s", format.Clip(strings.Join(c.units, ", ")))
		}
		if !slices.Contains(h.numbers, true) {
			s.notef("names are taken from the comment %s; the first row is line %d", format.Clip(h.comments[c.at]), h.first.line)
		}
		return nil
	}
	if allNumbers(h.first.cells, h.numbers) {
		return lineError(h.first.line, "numbers stand where the column names should: %s; %s", format.Clip(h.first.raw), giveNames(len(h.first.cells)))
	}
	if i := h.lost(); i >= 0 {
		return lineError(h.first.line, "the first row, %s, is no line of names: %s stands where the next row has %s; %s",
			format.Clip(h.first.raw), format.Clip(h.first.cells[i]), format.Clip(h.second.cells[i]), giveNames(len(h.first.cells)))
	}
	s.name(h.first.cells, h.first.line)
	s.begin(&h)
	s.layout = layout{delimiter: s.dialect.delim, comments: h.comments, header: h.first.raw, between: h.between, lineEnd: h.first.end}
	s.setComments(append(slices.Clip(h.comments), h.between...))
	for _, line := range h.between {
		if s.Name == "csv" && s.dialect.isHashed(line, len(h.first.cells)) {
			s.hashedAbove++
			s.hashedLine = h.first.line + 1
		}
	}
	if s.Name != "csv" {
		s.notef("columns are separated by blanks, their names are in line %d", h.first.line)
		return nil
	}
	if s.forced {
		return nil
	}
	return s.refuseBlanks(&h, *in)
}

// giveNames is the remedy for a table of so many columns without names.
func giveNames(n int) string {
	names := "a"
	for i := 1; i < min(n, 4); i++ {
		names += "," + string(rune('a'+i))
	}
	if n > 4 {
		names += ",…"
	}
	return "add a line of names, or name the " + counted(n, "column") + " with --names " + names
}

// name makes fields of the names, which are in a line.
func (s *reader) name(names []string, line int) {
	s.namesLine = line
	for _, n := range names {
		s.Columns = append(s.Columns, format.Field{Name: n})
	}
}

// begin says that the data start at the second row, which may be units.
func (s *reader) begin(h *header) {
	s.units, s.dataAt, s.dataLine = h.second, h.second.lo, h.second.line
}

// takeNames gives the columns the names of the user. The first row is data, unless
// it has no number and the next one has.
func (s *reader) takeNames(h *header) error {
	if len(h.first.cells) != len(s.names) {
		return format.Requestf("--names has %s, line %d has %s", counted(len(s.names), "name"), h.first.line, counted(len(h.first.cells), "cell"))
	}
	s.name(s.names, h.first.line)
	s.setComments(h.comments)
	s.dataAt, s.dataLine = h.first.lo, h.first.line
	if slices.Contains(h.numbers, true) {
		return nil
	}
	if hasNumber(h.second.cells) {
		s.begin(h)
		s.notef("line %d, %s, is taken for names, which --names replaces", h.first.line, format.Clip(h.first.raw))
	}
	return nil
}

// readSecond reads the row after the first.
func (h *header) readSecond(in *head, d *dialect) error {
	_, comments, err := in.skipComments()
	h.between = comments
	if err == nil {
		h.second, err = in.row(d)
	}
	if err == io.EOF {
		h.second, err = headerRow{lo: int64(in.pos), hi: int64(in.pos), line: in.line + 1}, nil
	}
	return err
}

// findNumbers finds the numbers of the first row. A number in quotes is a name, as
// names that are numbers are written so, unless the cell below is in quotes, too,
// and may be a number.
func (h *header) findNumbers() {
	h.numbers = make([]bool, len(h.first.cells))
	for i, c := range h.first.cells {
		named := h.first.quoted[i]
		if named && i < len(h.second.cells) && h.second.quoted[i] {
			below := h.second.cells[i]
			named = below != "" && !isNumber(below)
		}
		h.numbers[i] = isNumber(c) && !named
	}
}

// allNumbers reports whether all cells that are not empty are numbers, and some
// are.
func allNumbers(cells []string, numbers []bool) bool {
	for i, c := range cells {
		if c != "" && !numbers[i] {
			return false
		}
	}
	return slices.Contains(numbers, true)
}

// lost returns the column by which the first row is seen to be data: both rows have
// numbers there. It is -1 if there is none.
func (h *header) lost() int {
	for i, number := range h.numbers {
		if number && i < len(h.second.cells) && isNumber(h.second.cells[i]) {
			return i
		}
	}
	return -1
}

// isNumber reports whether a cell is a number, an angle such as 10:30:00.5, or a
// date: what no name is.
func isNumber(cell string) bool {
	if cell == "" || classify([]byte(cell))&classNumber != 0 || isFortran([]byte(cell)) {
		return cell != ""
	}
	if !strings.ContainsAny(cell[:1], "0123456789+-") {
		return false
	}
	_, angle := sexagesimal.Degrees(cell, false)
	return angle || date.MatchString(cell)
}

// date is the start of a date.
var date = regexp.MustCompile(`^[12]\d{3}-[01]\d-[0-3]\d`)

// hasNumber reports whether some cell is a number.
func hasNumber(cells []string) bool {
	for _, c := range cells {
		if isNumber(c) {
			return true
		}
	}
	return false
}
