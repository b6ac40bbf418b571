package text

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"skyjoin/internal/format"
)

// ipacForm writes IPAC tables.
type ipacForm struct{}

// createIPAC writes a table as IPAC has them: names, types, units and nulls between
// bars, values below.
func createIPAC(to format.Sink, fields []format.Field, opt format.WriteOptions) (format.Writer, error) {
	return newLaid(to, fields, opt, ipacForm{})
}

// ipacTypes are those of numbers; others are text.
var ipacTypes = map[format.Type]string{
	format.Float64: "double", format.Decimal: "double", format.Float32: "float",
	format.Int64: "long", format.Int32: "int", format.Int16: "int", format.Int8: "int",
	format.Uint64: "long", format.Uint32: "long", format.Uint16: "int", format.Uint8: "int",
}

// head implements [laidForm].
func (ipacForm) head(l *laid) string {
	var b strings.Builder
	title, rest := l.metadata()
	if title != "" {
		rest = append([]format.KeyValue{{Key: "title", Value: title}}, rest...)
	}
	for _, kv := range rest {
		fmt.Fprintf(&b, "\\%s = '%s'\n", strings.Join(strings.FieldsFunc(kv.Key, func(c rune) bool { return c <= ' ' || c == '=' }), "_"), oneLine(kv.Value))
	}
	names := plainNames(l.fields, func(c rune) bool { return c <= ' ' || c == '|' })
	lines := make([][]string, 4)
	for i, f := range l.fields {
		c := &l.cols[i]
		typ := ipacTypes[f.Type]
		if typ == "" {
			typ = "char"
		}
		c.null = c.nullWord()
		unit := strings.ReplaceAll(oneLine(f.Unit), "|", " ")
		for k, text := range []string{names[i], typ, unit, c.null} {
			lines[k] = append(lines[k], text)
			c.width = max(c.width, utf8.RuneCountInString(text))
		}
		if about := oneLine(f.Description); about != "" {
			if unit != "" {
				unit = " (" + unit + ")"
			}
			fmt.Fprintf(&b, "\\ %s%s\n\\ ___ %s\n", names[i], unit, about)
		}
	}
	for _, line := range lines {
		var row []byte
		for i, text := range line {
			row = pad(append(row, '|'), []byte(text), l.cols[i].width, !isText(l.fields[i].Type))
		}
		b.Write(append(row, "|\n"...))
	}
	return b.String()
}

// margin implements [laidForm]: below a bar no value stands.
func (ipacForm) margin() string { return " " }

// cell implements [laidForm].
func (ipacForm) cell(cell []byte, _ *format.Field) []byte { return cell }

// emptyRow implements [laidForm]: null has a word.
func (ipacForm) emptyRow(int64) error { return nil }
