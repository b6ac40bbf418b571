package fits

import (
	"fmt"
	"strconv"
	"strings"

	"skyjoin/internal/format"
)

// turn makes the rows of a table that TOPCAT and STILTS have written by columns
// (colfits): a binary table with one row, in which each column is the array of its
// values in all rows. The last axis of each TDIM is then the number of rows, (1,n)
// of numbers and (w,n) of texts. A row of arrays that does not say so in every
// column stays a row.
func (t *Table) turn(h header) {
	if t.Rows != 1 || len(t.Columns) == 0 {
		return
	}
	cells := make([][]int64, len(t.Columns)) // axes of a cell
	var rows int64
	for i := range t.Columns {
		c := &t.Columns[i]
		axes, ok := axesOf(h.text("TDIM" + strconv.Itoa(i+1)))
		last, stored := len(axes)-1, c.Count
		if c.Kind == Character {
			stored *= c.Width
		}
		if !ok || product(axes) != stored || c.Variable || c.Complex || c.Kind == Bit {
			return
		}
		if i > 0 && axes[last] != rows || c.Kind == Character && last == 0 {
			return
		}
		cells[i], rows = axes[:last], axes[last]
	}
	if rows == 1 {
		return
	}
	for i, axes := range cells {
		c := &t.Columns[i]
		if c.Kind == Character {
			if c.Width, axes = axes[0], axes[1:]; c.Width == 0 {
				axes = nil
			}
		}
		c.Count, c.Dim = product(axes), ""
		if len(axes) > 1 && c.Kind != Character {
			c.Dim = strings.ReplaceAll(format.AxesOf(axes...), "x", ",")
		}
		c.Form = fmt.Sprintf("%d%c", c.Count*max(1, c.Width), c.Kind)
	}
	t.Rows, t.byColumn = rows, true
}

// axesOf reads a TDIM such as (3,100).
func axesOf(dim string) (axes []int64, ok bool) {
	for text := range strings.SplitSeq(strings.Trim(strings.TrimSpace(dim), "()"), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil || n < 0 || n > maxCount {
			return nil, false
		}
		axes = append(axes, n)
	}
	return axes, true
}

// product multiplies axes; -1 is more than any column has.
func product(axes []int64) int64 {
	n := int64(1)
	for _, a := range axes {
		var err error
		if n, err = times(n, a); err != nil {
			return -1
		}
	}
	return n
}
