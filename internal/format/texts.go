package format

import "unicode/utf8"

// Texts collects the strings of a column in a block, so that they are one
// allocation and hold on to no byte of other columns.
type Texts struct {
	Bytes []byte // of the strings so far, then those of the next
	ends  []int  // in Bytes, of each string
	rows  []int  // that it belongs to
}

// Add adds a text.
func (a *Texts) Add(text []byte, row int) {
	a.Bytes = append(a.Bytes, text...)
	a.End(row)
}

// End ends the text of a row, which the caller has appended to Bytes. Text that is
// not UTF-8 is taken to be Latin-1, as in older catalogs.
func (a *Texts) End(row int) {
	lo := 0
	if n := len(a.ends); n > 0 {
		lo = a.ends[n-1]
	}
	if text := a.Bytes[lo:]; !utf8.Valid(text) {
		a.Bytes = append(a.Bytes[:lo], FromLatin1(text)...)
	}
	a.ends = append(a.ends, len(a.Bytes))
	a.rows = append(a.rows, row)
}

// Flush stores the strings in their rows, or in the elements of a column of lists.
func (a *Texts) Flush(c *Column) {
	dst := c.String
	if c.List != nil {
		dst = c.List.Elem.String
	}
	all, lo := string(a.Bytes), 0
	for i, row := range a.rows {
		dst[row] = all[lo:a.ends[i]]
		lo = a.ends[i]
	}
}

// FromLatin1 returns Latin-1 text as UTF-8.
func FromLatin1(text []byte) []byte {
	wide := make([]byte, 0, 2*len(text))
	for _, b := range text {
		wide = utf8.AppendRune(wide, rune(b))
	}
	return wide
}
