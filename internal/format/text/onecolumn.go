package text

import (
	"strings"

	"skyjoin/internal/format"
)

// refuseBlanks returns an error if a table of one column looks as if it had several,
// with blanks between them: its name has several words, and most lines below have. Where
// other cells have several words, it is noted that each line is one text.
func (s *reader) refuseBlanks(h *header, in head) error {
	if len(h.first.cells) > 1 || h.first.quoted[0] {
		return nil
	}
	words, cells := strings.Fields(h.first.raw), strings.Fields(h.second.raw)
	rows, several := 0, 0 // below the names; those of several words
	count := func(line string) {
		if isComment(line) {
			return
		}
		rows++
		if len(strings.Fields(line)) > 1 && line[0] != '"' || isRule(line) {
			several++
		}
	}
	count(h.second.raw)
	for range sniffedRows {
		line, err := in.next()
		if err != nil {
			break
		}
		count(line)
	}
	if len(words) > 1 && (2*several > rows || len(cells) > 1 && hasNumber(cells)) {
		return lineError(h.first.line, "the columns may be separated by blanks, but rows differ in their number of words: %s; --format ascii, fixed (cells below each other) or csv (one column) says how the table is written", format.Clip(h.first.raw))
	}
	if several > 0 || len(words) > 1 {
		s.notef("each line is one text of the column %s, as no delimiter divides it; --format ascii (blanks) or fixed (cells below each other) reads columns", format.Clip(h.first.cells[0]))
	}
	return nil
}
