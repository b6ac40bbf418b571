package text

import (
	"regexp"
	"strings"
)

// Papers set marks of angles and times above the point of a number: 1\fdg25 is 1°.25.
// In a cell the mark is behind the number; a column of such numbers alone is one of
// numbers, and the mark its unit.

// latexPoints are the marks of the commands, none of days and phases.
var latexPoints = map[string]string{"fdg": "°", "farcm": "'", "farcs": `"`, "fh": "h", "fm": "m", "fs": "s", "fd": "", "fp": ""}

// markUnits are the units of the marks. Hours keep theirs, as text of coordinates.
var markUnits = map[string]string{"°": "deg", "'": "arcmin", `"`: "arcsec", "m": "min", "s": "s"}

// markBehind is a command of latexPoints with the digits after it as a fraction and the
// mark behind; any other as it is.
func markBehind(command string) string {
	m := latexPoint.FindStringSubmatch(command)
	mark, ok := latexPoints[m[1]]
	if !ok {
		return command
	}
	return "." + m[2] + mark
}

// markedNumber is a number with a mark alone.
var markedNumber = regexp.MustCompile(`^([+−-]?\d*\.\d*)(°|'|"|m|s)$`)

// settleMarks makes numbers of the cells that are a number with a mark, in columns where
// all of them have the same one and no unit says another. It returns the units with those
// of the marks; a tabular that has a row of them keeps that.
func (t *latexTable) settleMarks(units []string, deluxe bool) []string {
	if len(t.read) == 0 {
		return units
	}
	rows, n := t.read[1:], len(t.read[0].cells)
	hasUnits := !deluxe && len(rows) > 0 && mayBeUnits(rows[0].cells)
	if hasUnits {
		rows = rows[1:]
	}
	for at := range n {
		mark := markOf(rows, at)
		if mark == "" {
			continue
		}
		for _, row := range rows {
			if at < len(row.cells) {
				row.cells[at] = strings.TrimSuffix(row.cells[at], mark)
			}
		}
		switch {
		case hasUnits:
		case units == nil:
			units = make([]string, n)
			fallthrough
		case at < len(units) && units[at] == "":
			units[at] = markUnits[mark]
		}
	}
	return units
}

// markOf returns the mark of the numbers in a column, "" if they have several, or text is
// among them, of which a number without its mark would differ.
func markOf(rows []latexRow, at int) (mark string) {
	for _, row := range rows {
		if at >= len(row.cells) || row.cells[at] == "" {
			continue
		}
		cell := row.cells[at]
		m := markedNumber.FindStringSubmatch(cell)
		switch {
		case m == nil && classify([]byte(strings.ReplaceAll(cell, "−", "-")))&classNumber == 0:
			return ""
		case m != nil && mark != "" && m[2] != mark:
			return ""
		case m != nil:
			mark = m[2]
		}
	}
	return mark
}
