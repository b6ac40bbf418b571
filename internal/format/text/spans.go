package text

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"
)

// A span is the characters [lo, hi) of a line.
type span struct{ lo, hi int }

// bySpans returns a dialect in which each cell has its place in the line.
func bySpans(spans []span, comment byte) *dialect {
	d := newDialect('\n', "", comment, false)
	d.spans = spans
	return d
}

// rowBySpans is anyRow for cells that have their places. A line that ends early
// has empty cells; one of blanks, or of the rule, is no row.
func (s *scanner) rowBySpans() rowKind {
	start := s.pos
	s.skipLine()
	line := bytes.TrimRight(s.buf[start:s.pos], "\r\n")
	if s.isNoRow(line) {
		return rowData // without cells
	}
	at := placesOf(line)
	end := 0
	for _, p := range s.spans {
		lo, hi := at(p.lo), at(p.hi)
		if s.taken == nil && !s.inGap(line, end, lo) || s.walled && lo > 0 && lo < len(line) && line[lo-1] != '|' {
			return rowOutside
		}
		end = hi
		for lo < hi && s.pad[line[lo]] {
			lo++
		}
		for hi > lo && s.pad[line[hi-1]] {
			hi--
		}
		s.cells = append(s.cells, rawCell{lo: start + lo, hi: start + hi})
	}
	if s.taken != nil {
		end = 0
	}
	for _, p := range s.taken {
		if !s.inGap(line, end, at(p.lo)) {
			return rowOutside
		}
		end = at(p.hi)
	}
	if !s.inGap(line, end, len(line)) {
		return rowOutside
	}
	return rowData
}

// takenBy returns what spans take together, in order, nil if they are in order themselves
// and none overlaps another.
func takenBy(spans []span) (taken []span) {
	byPlace := func(a, b span) int { return cmp.Compare(a.lo, b.lo) }
	for _, p := range slices.SortedFunc(slices.Values(spans), byPlace) {
		if n := len(taken); n > 0 && p.lo < taken[n-1].hi {
			taken[n-1].hi = max(taken[n-1].hi, p.hi)
		} else {
			taken = append(taken, p)
		}
	}
	if len(taken) == len(spans) && slices.IsSortedFunc(spans, byPlace) {
		return nil
	}
	return taken
}

// placesOf returns where the character of a number starts in a line, whose end is
// that of characters it does not have.
func placesOf(line []byte) func(character int) int {
	if utf8.RuneCount(line) == len(line) || !utf8.Valid(line) {
		return func(n int) int { return min(n, len(line)) }
	}
	var starts []int
	for i := range string(line) {
		starts = append(starts, i)
	}
	return func(n int) int {
		if n < len(starts) {
			return starts[n]
		}
		return len(line)
	}
}

// inGap reports whether the bytes [lo, hi) of a line may stand between cells:
// blanks and bars; where the gaps are open, all that touches no cell.
func (d *dialect) inGap(line []byte, lo, hi int) bool {
	blank := func(at int) bool {
		return at < 0 || at >= len(line) || line[at] == ' ' || line[at] == '\t' || line[at] == '|'
	}
	if d.open {
		return lo == hi || (blank(lo) || blank(lo-1)) && (blank(hi-1) || blank(hi))
	}
	for at := lo; at < hi; at++ {
		if !blank(at) {
			return false
		}
	}
	return true
}
