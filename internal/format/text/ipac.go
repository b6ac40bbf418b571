package text

import (
	"io"
	"slices"
	"strings"

	"skyjoin/internal/format"
)

// IPAC tables have bars between the names of columns, and below them their types,
// units and nulls as far as they say them. Values stand below the names, between
// the bars. Lines before them that start with a backslash are keywords (\name =
// value) and comments.

// isIPAC recognises a line of names between bars that is followed by data without.
func isIPAC(start *format.Start) bool {
	lines := start.Lines()
	at := 0
	for at < len(lines) && strings.HasPrefix(lines[at], `\`) {
		at++
	}
	keywords, first := at > 0, at
	for at < len(lines) && strings.HasPrefix(lines[at], "|") {
		if isRule(lines[at]) && strings.Contains(lines[at], "--") { // a table between bars
			return false
		}
		keywords, at = true, at+1
	}
	if !keywords || at == 0 || !strings.HasPrefix(lines[at-1], "|") {
		return false
	}
	return at < len(lines) && lines[at] != "" && !strings.Contains(lines[at], "|") || at > first+1 && areIPACTypes(lines[first+1])
}

// readIPAC reads up to the first row.
func (s *reader) readIPAC(in *head) error {
	var header []string
	var comments []string
	for {
		at := *in
		line, err := in.next()
		if err == io.EOF || err == nil && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, `\`) {
			*in = at
			break
		}
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(line, "|"):
			header = append(header, strings.TrimRight(line, " "))
			s.namesLine = in.line - len(header) + 1
		default:
			if name, value, ok := strings.Cut(line[1:], "="); ok && !strings.HasPrefix(line, `\ `) {
				s.Meta = append(s.Meta, format.KeyValue{Key: strings.TrimSpace(name), Value: strings.Trim(strings.TrimSpace(value), `'"`)})
			} else if text := strings.TrimSpace(line[1:]); text != "" {
				comments = append(comments, text)
			}
		}
	}
	if len(header) == 0 {
		return lineError(in.line+1, "there is no line of names between bars, as |  ra  |  dec  |")
	}
	spans := barSpans(header[0])
	s.dialect = bySpans(spans, 0)
	names := s.dialect.cells(header[0])
	if len(spans) == 0 || len(names) == 0 {
		return lineError(s.namesLine, "there is no name between its bars")
	}
	s.name(names, s.namesLine)
	s.setComments(s.explained(comments))
	s.rules = make([]rule, len(s.Columns))
	for k, line := range header[1:min(len(header), 4)] {
		for i, text := range s.dialect.cells(line) {
			switch k {
			case 0:
				s.rules[i].kind = ipacKind(text)
			case 1:
				s.Columns[i].Unit = text
			case 2:
				s.rules[i].null = text
			}
		}
	}
	s.dataFrom(in)
	return nil
}

// explained takes the descriptions of columns from comments, which archives write as
// "name (unit)" and "___ description" below it, and returns the others.
func (s *reader) explained(comments []string) (others []string) {
	for i, line := range comments {
		if text, ok := strings.CutPrefix(line, "___"); ok && len(others) > 0 && i > 0 && others[len(others)-1] == comments[i-1] {
			name, _, _ := strings.Cut(comments[i-1], " ")
			if k := slices.IndexFunc(s.Columns, func(f format.Field) bool { return f.Name == name }); k >= 0 {
				s.Columns[k].Description = strings.TrimSpace(text)
				others = others[:len(others)-1]
				continue
			}
		}
		others = append(others, line)
	}
	return others
}

// areIPACTypes reports whether a line between bars has types.
func areIPACTypes(line string) bool {
	cells := newDialect('|', "", 0, false).cells(strings.Trim(line, "| "))
	return !slices.ContainsFunc(cells, func(c string) bool { return ipacKind(c) == asText && !strings.HasPrefix("char", c) && c != "date" })
}

// barSpans returns what is between the bars of a line.
func barSpans(line string) (spans []span) {
	at, lo := 0, -1
	for _, c := range line {
		if c == '|' {
			if lo >= 0 {
				spans = append(spans, span{lo, at})
			}
			lo = at + 1
		}
		at++
	}
	if lo >= 0 && lo < at {
		spans = append(spans, span{lo, at})
	}
	return spans
}

// ipacKind returns the kind of a type, which may be shortened.
func ipacKind(text string) kind {
	text = strings.ToLower(strings.Trim(text, " -"))
	switch {
	case text == "":
		return anything
	case strings.HasPrefix("double", text), strings.HasPrefix("float", text), strings.HasPrefix("real", text):
		return asFloat
	case strings.HasPrefix("int", text), strings.HasPrefix("integer", text), strings.HasPrefix("long", text):
		return asInteger
	}
	return asText
}
