package parquet

import (
	"encoding/binary"

	"skyjoin/internal/format"
)

// The definition levels of lists: the list is null, it is empty, an element is
// null, an element is there.
const (
	levelNull = iota
	levelEmpty
	levelNullElement
	levelElement
)

// listPageRows returns how many of the rows of a chunk go into a page, so that
// it has about as many values as other pages have.
func listPageRows(c format.Column, rows int) int {
	if rows == 0 {
		return 1
	}
	total := c.List.Offset[rows] - c.List.Offset[0]
	return max(1, int(int64(pageRows)*int64(rows)/max(total, int64(rows))))
}

// elementsOf returns the elements of the lists of a column, one after another.
func elementsOf(c *format.Column) format.Column {
	l := c.List
	return l.Elem.Slice(int(l.Offset[0]), int(l.Offset[len(l.Offset)-1]))
}

// appendListLevels appends the repetition and the definition levels of lists as a
// data page has them, and returns how many there are.
func appendListLevels(dst []byte, c *format.Column) (body []byte, slots int) {
	l := c.List
	var rep, def []uint32
	for row := range c.Len() {
		lo, hi := l.Offset[row], l.Offset[row+1]
		switch {
		case c.IsNull(row):
			rep, def = append(rep, 0), append(def, levelNull)
			continue
		case lo == hi:
			rep, def = append(rep, 0), append(def, levelEmpty)
			continue
		}
		for i := lo; i < hi; i++ {
			r, d := uint32(1), uint32(levelElement)
			if i == lo {
				r = 0
			}
			if l.Elem.IsNull(int(i)) {
				d = levelNullElement
			}
			rep, def = append(rep, r), append(def, d)
		}
	}
	body = appendLevels(dst, rep, 1)
	return appendLevels(body, def, 2), len(rep)
}

// appendLevels appends levels of so many bits behind their length.
func appendLevels(dst []byte, levels []uint32, width int) []byte {
	at := len(dst)
	dst = appendHybrid(append(dst, 0, 0, 0, 0), levels, width)
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}
