package text

import (
	"fmt"
	"strings"

	"skyjoin/internal/format"
)

// mrtForm writes machine-readable tables of the AAS journals, which are tables of
// the CDS with their description in the file.
type mrtForm struct{ names []string }

// createMRT writes a table with its byte-by-byte description.
func createMRT(to format.Sink, fields []format.Field, opt format.WriteOptions) (format.Writer, error) {
	return newLaid(to, fields, opt, mrtForm{plainNames(fields, func(c rune) bool { return c <= ' ' })})
}

// head implements [laidForm].
func (m mrtForm) head(l *laid) string {
	title, rest := l.metadata()
	line, double := strings.Repeat("-", 80)+"\n", strings.Repeat("=", 80)+"\n"
	var b strings.Builder
	fmt.Fprintf(&b, "Title: %s\nAuthors:\nTable:\n%sByte-by-byte Description of file: table.dat\n%s", title, double, line)
	var cells [][5]string
	var wide [5]int
	end := 0
	for i, f := range l.fields {
		c := &l.cols[i]
		c.width = max(c.width, 1)
		c.null = ""
		about := oneLine(f.Description)
		if c.nulls {
			about = "? " + about
		}
		bytes := fmt.Sprintf("%4d-%4d", end+1, end+c.width)
		if c.width == 1 {
			bytes = fmt.Sprint(end + 1)
		}
		cells = append(cells, [5]string{bytes, formatCode(&f, c), cdsUnit(f.Unit), m.names[i], about})
		for k, text := range cells[i] {
			wide[k] = max(wide[k], len([]rune(text)))
		}
		end += c.width + 1
	}
	layout := func(c [5]string) string {
		return fmt.Sprintf("%*s %-*s %-*s %-*s %s", max(8, wide[0]+1), c[0], max(6, wide[1]), c[1], max(6, wide[2]), c[2], max(6, wide[3]), c[3], c[4])
	}
	b.WriteString(strings.TrimRight(layout([5]string{"Bytes", "Format", "Units", "Label", "Explanations"}), " ") + "\n" + line)
	for _, c := range cells {
		about := c[4]
		c[4] = ""
		b.WriteString(wrapped(layout(c), about))
	}
	b.WriteString(line)
	if len(rest) > 0 {
		for i, kv := range rest {
			fmt.Fprintf(&b, "Note (%d): %s = %s\n", i+1, oneLine(kv.Key), oneLine(kv.Value))
		}
		b.WriteString(line)
	}
	return b.String()
}

// formatCode returns the format of a column as Fortran and the CDS have it.
func formatCode(f *format.Field, c *laidColumn) string {
	switch {
	case isText(f.Type):
		return fmt.Sprintf("A%d", c.width)
	case !f.Type.IsFloat() && f.Type != format.Decimal:
		return fmt.Sprintf("I%d", c.width)
	case c.exponent:
		return fmt.Sprintf("E%d.%d", c.width, c.decimals)
	}
	return fmt.Sprintf("F%d.%d", c.width, c.decimals)
}

// wrapped returns a line of the description with the explanation at its end, which
// goes on in lines of blanks where it is long. No such line starts with a digit, as
// that of a column does.
func wrapped(start, about string) string {
	const width = 80
	indent := strings.Repeat(" ", len([]rune(start)))
	var b strings.Builder
	line := start
	first := true
	for _, word := range strings.Fields(about) {
		if !first && len([]rune(line))+1+len([]rune(word)) > width && (word[0] < '0' || word[0] > '9') {
			b.WriteString(line + "\n")
			line, first = indent, true
		}
		if !first {
			line += " "
		}
		line, first = line+word, false
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	return b.String()
}

// margin implements [laidForm].
func (mrtForm) margin() string { return "" }

// cell implements [laidForm]: floats have a point, which Fortran would put where the
// format says, and NaN is null.
func (mrtForm) cell(cell []byte, f *format.Field) []byte {
	if !f.Type.IsFloat() && f.Type != format.Decimal {
		return cell
	}
	text := string(cell)
	switch mantissa, exponent, _ := strings.Cut(text, "e"); {
	case text == "nan":
		return cell[:0]
	case strings.HasSuffix(text, "inf"), strings.Contains(text, "."):
		return cell
	case exponent != "":
		return []byte(mantissa + ".0e" + exponent)
	}
	return append(cell, ".0"...)
}

// emptyRow implements [laidForm].
func (mrtForm) emptyRow(row int64) error {
	return format.Requestf("row %d is null in all columns: a table of the CDS has nothing but blanks for null, and a line of blanks is no row", row)
}
