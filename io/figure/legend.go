package figure

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An entry is one line of a legend: a sample and what it stands for.
type entry struct {
	label  string
	sample func(c draw.Canvas, at vg.Point, size vg.Length)
}

// A legend stands outside the axes: to the right of wide figures, in rows
// below narrow ones.
type legend struct {
	title   string
	head    []entry // the first of total, cut where room ends
	total   int     // entries there would be with all the room
	tail    []entry // always shown, after head
	columns int     // of a legend below the axes
	width   vg.Length
	face    *typeface
}

const (
	legendMaxRows  = 24 // beside the axes
	legendMaxBelow = 4  // rows below the axes
)

func (l *legend) empty() bool { return len(l.head)+len(l.tail) == 0 }

// cut returns the lines that fit in n, with "+N more" where some do not.
func (l *legend) cut(n int) []entry {
	room := max(n-len(l.tail), 1)
	lines := l.head
	if l.total > room || l.total > len(l.head) {
		shown := min(room-1, len(l.head))
		lines = append(lines[:shown:shown], entry{label: "+" + count(l.total-shown) + " more"})
	}
	return append(lines[:len(lines):len(lines)], l.tail...)
}

// lineHeight is the distance of legend lines.
func lineHeight(size vg.Length) vg.Length { return size * 1.45 }

// measure sets the width of an entry, and shortens what is wider than limit.
func (l *legend) measure(size, limit vg.Length) {
	l.title = l.face.fitText(l.title, size, limit)
	for _, lines := range [][]entry{l.head, l.tail} {
		for i := range lines {
			lines[i].label = l.face.fitText(lines[i].label, size, limit-2*size)
			l.width = max(l.width, l.face.textWidth(lines[i].label, size)+2*size)
		}
	}
	if l.total > 0 {
		l.width = max(l.width, l.face.textWidth("+9,999 more", size)+2*size, l.face.textWidth(l.title, size))
	}
}

// beside is the width of the legend beside the axes.
func (l *legend) beside(size vg.Length) vg.Length {
	return max(l.width, l.face.textWidth(l.title, size))
}

// below lays the legend out in rows under the axes and returns its height.
func (l *legend) below(size, width vg.Length) vg.Length {
	l.columns = max(int(width/l.width), 1)
	lines := l.cut(l.columns * legendMaxBelow)
	rows := (len(lines) + l.columns - 1) / l.columns
	if l.title != "" {
		rows++
	}
	return vg.Length(rows) * lineHeight(size)
}

// draw draws the legend with its upper left corner at pt, in columns of rows
// lines, reading down beside the axes and along the rows below them.
func (l *legend) draw(c draw.Canvas, size vg.Length, pt vg.Point, rows int) {
	dy := lineHeight(size)
	y := pt.Y - dy/2
	if l.title != "" {
		l.face.text(c, l.title, size, vg.Point{X: pt.X, Y: y}, leftMiddle)
		y -= dy
		rows--
	}
	columns := 1
	if l.columns > 0 {
		columns, rows = l.columns, l.columns*legendMaxBelow
	}
	for i, e := range l.cut(rows) {
		at := vg.Point{X: pt.X + vg.Length(i%columns)*l.width, Y: y - vg.Length(i/columns)*dy}
		if e.sample != nil {
			e.sample(c, vg.Point{X: at.X + size*0.6, Y: at.Y}, size)
		}
		l.face.text(c, e.label, size, vg.Point{X: at.X + 1.4*size, Y: at.Y}, leftMiddle)
	}
}
