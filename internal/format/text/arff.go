package text

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"skyjoin/internal/format"
)

// ARFF is the format of Weka: a header that declares each attribute, then rows
// as in CSV, in which ? is null and % starts a comment. Keywords may be in any
// case; names and values may be in single or double quotes, with backslashes.

// isARFF recognises the first keyword. Sparse rows are refused later.
func isARFF(start *format.Start) bool {
	for _, line := range start.Lines() {
		if line = strings.TrimSpace(line); line != "" && line[0] != '%' {
			word, _ := cutWord(line)
			return strings.EqualFold(word, "@relation")
		}
	}
	return false
}

// arffTypes are the types of attributes. Dates are strings, and so are {nominal,
// values}.
var arffTypes = map[string]format.Type{
	"numeric": format.Float64, "real": format.Float64, "integer": format.Int64, "string": format.String, "date": format.String,
}

// readARFF reads up to the line after @data.
func (s *reader) readARFF(in *head) error {
	s.dialect, s.declared = newDialect(',', `'"`, '%', true), true
	s.setNulls("?")
	taken := map[string]bool{}
	for number := 1; ; number++ {
		line, err := in.next()
		if err == io.EOF {
			return errors.New("the file ends before its @data line")
		}
		if err != nil {
			return err
		}
		if number == 1 {
			if err := refuseOther(line); err != nil {
				return err
			}
		}
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '%' {
			continue
		}
		keyword, rest := cutWord(text)
		switch strings.ToLower(keyword) {
		case "@relation":
			name, _, err := s.cutName(rest)
			if err != nil {
				return lineError(number, "%w", err)
			}
			s.Meta = append(s.Meta, format.KeyValue{Key: "relation", Value: name})
		case "@attribute":
			f, err := s.attribute(rest)
			if err != nil {
				return lineError(number, "%w", err)
			}
			if taken[f.Name] {
				return lineError(number, "a second attribute is named %q", f.Name)
			}
			taken[f.Name] = true
			s.Columns = append(s.Columns, f)
			if err := format.FewColumns(len(s.Columns)); err != nil {
				return lineError(number, "%w", err)
			}
		case "@data":
			if len(s.Columns) == 0 {
				return lineError(number, "@data comes before any @attribute")
			}
			s.dataAt, s.dataLine = int64(in.pos), number+1
			return nil
		default:
			return lineError(number, "%s stands where @relation, @attribute or @data should", format.Clip(keyword))
		}
	}
}

// attribute reads the name and the type that follow @attribute.
func (s *reader) attribute(text string) (format.Field, error) {
	name, rest, err := s.cutName(text)
	if err != nil {
		return format.Field{}, err
	}
	if name == "" || rest == "" {
		return format.Field{}, errors.New("@attribute needs a name and a type, such as @attribute ra numeric")
	}
	if rest[0] == '{' {
		if !strings.HasSuffix(rest, "}") {
			return format.Field{}, fmt.Errorf("the values of attribute %s have no closing }", name)
		}
		return format.Field{Name: name, Type: format.String, Text: "nominal " + format.Clip(rest)}, nil
	}
	word, _ := cutWord(rest)
	t, ok := arffTypes[strings.ToLower(word)]
	if !ok {
		return format.Field{}, fmt.Errorf("attribute %s has the type %s; numeric, real, integer, string, date and {value, …} are read", name, format.Clip(word))
	}
	return format.Field{Name: name, Type: t, Text: strings.ToLower(rest)}, nil
}

// cutName cuts a name, in quotes or not, from what follows it.
func (s *reader) cutName(text string) (name, rest string, err error) {
	if text == "" || strings.IndexByte(s.dialect.quotes, text[0]) < 0 {
		name, rest = cutWord(text)
		return name, rest, nil
	}
	sc := scanner{dialect: s.dialect, buf: []byte(text)}
	end, kind := sc.quoted(0)
	if kind == rowUnclosed {
		return "", "", fmt.Errorf("the quote of %s is never closed", format.Clip(text))
	}
	return sc.text(sc.cells[0]), text[end:], nil
}

// cutWord cuts text at its first run of white space.
func cutWord(text string) (word, rest string) {
	i := strings.IndexFunc(text, unicode.IsSpace)
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}
