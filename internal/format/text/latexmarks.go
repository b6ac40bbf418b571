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
	n := len(t.read[0].cells)
	for at := range n {
		var mark string
		same := true
		for _, row := range t.read[1:] {
			if at < len(row.cells) {
				if m := markedNumber.FindStringSubmatch(row.cells[at]); m != nil {
					same = same && (mark == "" || m[2] == mark)
					mark = m[2]
				}
			}
		}
		if mark == "" || !same {
			continue
		}
		for _, row := range t.read[1:] {
			if at < len(row.cells) && markedNumber.MatchString(row.cells[at]) {
				row.cells[at] = strings.TrimSuffix(row.cells[at], mark)
			}
		}
		switch {
		case !deluxe && len(t.read) > 1 && mayBeUnits(t.read[1].cells):
		case units == nil:
			units = make([]string, n)
			fallthrough
		case at < len(units) && units[at] == "":
			units[at] = markUnits[mark]
		}
	}
	return units
}
