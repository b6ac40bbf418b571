package catalog

import "unicode/utf8"

// A textArena collects the strings of a column in a block, so that they are
// one allocation and hold on to no byte of other columns.
type textArena struct {
	bytes []byte
	ends  []int // in bytes, of each string
	rows  []int // that it belongs to
}

// add appends the text of a cell.
func (a *textArena) add(sc *rowScanner, c cell, row int) {
	lo := len(a.bytes)
	a.bytes = sc.unescape(a.bytes, c)
	a.end(lo, row)
}

// addText appends a text.
func (a *textArena) addText(text []byte, row int) {
	lo := len(a.bytes)
	a.bytes = append(a.bytes, text...)
	a.end(lo, row)
}

// end ends the text of a row that starts at lo. Bytes that are not UTF-8 are
// taken for Latin-1, which older catalogs are written in.
func (a *textArena) end(lo, row int) {
	if text := a.bytes[lo:]; !utf8.Valid(text) {
		a.bytes = append(a.bytes[:lo], fromLatin1(text)...)
	}
	a.ends = append(a.ends, len(a.bytes))
	a.rows = append(a.rows, row)
}

// flush makes the strings the values of their rows.
func (a *textArena) flush(dst []string) {
	all, lo := string(a.bytes), 0
	for i, row := range a.rows {
		dst[row] = all[lo:a.ends[i]]
		lo = a.ends[i]
	}
}

// fromLatin1 returns Latin-1 text as UTF-8.
func fromLatin1(text []byte) []byte {
	wide := make([]byte, 0, 2*len(text))
	for _, b := range text {
		wide = utf8.AppendRune(wide, rune(b))
	}
	return wide
}
