package text

import (
	"strings"

	"skyjoin/internal/each"
	"skyjoin/internal/format"
)

// noteSpoiled notes a line, such as one below the table, that alone makes columns of
// numbers text, and rows that are comments because their first cell starts with #.
func (s *reader) noteSpoiled() {
	if s.hashed > 0 {
		s.notef("%s with as many cells as there are columns, from line %d on, left out as comments, as # is before the first", counted(s.hashed, "line"), s.hashedLine)
	}
	if s.declared || s.rules != nil {
		return
	}
	byLine := map[int][]format.Field{}
	line, most := 0, 1
	for i := range s.columns {
		c := &s.columns[i]
		if c.seen&classNumber == 0 || c.text == 0 || 2*c.text >= s.Count || isNumber(c.bad) || strings.ContainsAny(c.bad[:1], "0123456789+-.") {
			continue
		}
		if byLine[c.badLine] = append(byLine[c.badLine], s.Columns[i]); len(byLine[c.badLine]) > most {
			line, most = c.badLine, len(byLine[c.badLine])
		}
	}
	if most > 1 {
		names := each.Of(byLine[line], func(f format.Field) string { return f.Name })
		s.notef("line %d has text where most rows have numbers, so that %s are text", line, format.Clip(strings.Join(names, ", ")))
	}
}

// isHashed reports whether a comment, without its line end, looks like one of n cells
// between delimiters: nothing stands between # and the first.
func (d *dialect) isHashed(line string, n int) bool {
	return n > 1 && len(line) > 1 && line[1] != d.comment && !d.pad[line[1]] && len(d.cells(line[1:])) == n
}
