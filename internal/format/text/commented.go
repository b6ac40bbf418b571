package text

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"skyjoin/internal/each"
)

// commentedNames are names, and perhaps units, in comments before the first row.
type commentedNames struct {
	at, end int // the comments [at, end) have the names
	names   []string
	units   []string // nil if there are none
	unitsAt int      // the comment with them
}

// commented returns the names in the comments before a first row of data: numbered, one
// to a comment, or in the comment with the most names that are known, the first of those.
// If other comments that say something follow it, one must be known. It is nil if
// there are none, or the row has names itself.
func (h *header) commented(d *dialect) *commentedNames {
	n, data := len(h.first.cells), slices.Contains(h.numbers, true)
	if len(h.comments) == 0 || !data && hasNumber(h.second.cells) {
		return nil
	}
	if c := h.numbered(n); c != nil {
		return c
	}
	var found *commentedNames
	known, below := 0, false // names of found that are known; another comment follows
	for i, line := range h.comments {
		cells := commentCells(line, d, n)
		switch k := knownNames(cells); {
		case found != nil && found.units == nil && h.unitsOf(found, i, d):
		case cells != nil && (found == nil || k > known):
			found, known, below = &commentedNames{at: i, end: i + 1, names: cells}, k, false
		case cells == nil && strings.Trim(line, "#!%-=+*_|:;, \t") != "" && !arePositions(strings.Fields(strings.TrimLeft(line, "#!% \t"))):
			below = true
		}
	}
	switch {
	case found == nil, below && known == 0:
		return nil
	case data:
		return found
	case below, knownNames(h.first.cells) > 0, known == 0 && (n == 1 || d.blanks):
		return nil
	case slices.ContainsFunc(found.names, func(name string) bool { return !plainName.MatchString(name) }):
		return nil
	}
	return found
}

// plainName is a name without blanks.
var plainName = regexp.MustCompile(`^[\pL_]\S*$`)

// unitsOf takes a comment for the units of names above it, if it has some: one for each
// name, or fewer of which each stands below one.
func (h *header) unitsOf(c *commentedNames, at int, d *dialect) bool {
	units := commentCells(h.comments[at], d, len(c.names))
	if units == nil {
		units = belowNames(h.comments[c.at], c.names, h.comments[at])
	}
	if units = withoutBrackets(units); len(units) == 0 || !mayBeUnits(units) {
		return false
	}
	c.units, c.unitsAt = units, at
	return true
}

// belowNames returns the words of a comment that stand below names in another, "" for
// those without; nil if a word stands below none or below two.
func belowNames(line string, names []string, comment string) []string {
	below, from := make([]string, len(names)), make([]int, len(names))
	at := 0
	for i, name := range names {
		k := strings.Index(line[at:], name)
		if k < 0 {
			return nil
		}
		from[i], at = at+k, at+k+len(name)
	}
	for _, w := range wordPlaces.FindAllStringIndex(strings.TrimLeft(comment, "#!%"), -1) {
		marks := len(comment) - len(strings.TrimLeft(comment, "#!%"))
		over := -1
		for i, name := range names {
			if from[i] < w[1]+marks && w[0]+marks < from[i]+len(name) {
				if over >= 0 {
					return nil
				}
				over = i
			}
		}
		if over < 0 || below[over] != "" {
			return nil
		}
		below[over] = comment[w[0]+marks : w[1]+marks]
	}
	return below
}

var wordPlaces = regexp.MustCompile(`\S+`)

// otherNames returns a comment besides the names that could be these, too, "" if there
// is none.
func (h *header) otherNames(c *commentedNames, d *dialect) string {
	for i, line := range h.comments {
		if (i < c.at || i >= c.end) && (c.units == nil || i != c.unitsAt) && commentCells(line, d, len(c.names)) != nil {
			return line
		}
	}
	return ""
}

// commentCells returns the n cells of a comment, nil if it has not as many, or
// some are numbers. Those between blanks may have commas between them here, and a word
// with a colon before them.
func commentCells(comment string, d *dialect, n int) []string {
	text := strings.TrimLeft(strings.TrimSpace(comment), "#!%")
	text = columnsAre.ReplaceAllString(text, "")
	cells := d.cells(text)
	if delim, k := delimiter(text); d.blanks && k == n-1 && k > 0 {
		cells = newDialect(delim, `"`, 0, false).cells(text)
	}
	if len(cells) != n || arePositions(cells) || isRule(text) {
		return nil
	}
	for _, c := range cells {
		if c == "" || isNumber(c) {
			return nil
		}
	}
	return cells
}

// columnsAre is what some write before names.
var columnsAre = regexp.MustCompile(`^\s*(?i:columns?|names|fields|column names):\s+`)

// arePositions reports whether cells are the numbers of columns: (1) (2) (3), or 1 2 3.
func arePositions(cells []string) bool {
	for i, c := range cells {
		if strings.Trim(c, "()[]") != strconv.Itoa(i+1) {
			return false
		}
	}
	return len(cells) > 0
}

// knownNames returns how many cells are names that columns often have.
func knownNames(cells []string) int {
	return len(slices.DeleteFunc(each.Of(cells, knownName.MatchString), func(known bool) bool { return !known }))
}

var knownName = regexp.MustCompile(`^_?(?i:ra|dec|de|(ra|dec?)_?(j2000|deg|icrs|hms|dms|h|d)|[gs]?(lon|lat)|[xyzlbn]|[ugrizjhkv]_?mag|mag|e_.+|.*(_err|_?id|name|mag|flux)|err|star|source|object|target|type|class|host|flag|code|image|filter|date|time|m?jd|z_?spec|redshift|plx|parallax|pm_?(ra|dec?)|period|snr|teff|logg)$`)

// numberedName is a comment that names a column by its number: # 2 dec, # (2) dec.
var numberedName = regexp.MustCompile(`^[#!%]+\s*(?i:col(?:umn)?\s*)?[(\[]?(\d+)[)\].:=]*\s*[:=-]?\s+(\S+)`)

// numbered returns n names that are numbered comments.
func (h *header) numbered(n int) *commentedNames {
	for at := range h.comments {
		var names []string
		for _, line := range h.comments[at:] {
			m := numberedName.FindStringSubmatch(line)
			if m == nil || m[1] != strconv.Itoa(len(names)+1) {
				break
			}
			names = append(names, strings.TrimRight(m[2], ":,;"))
		}
		if len(names) == n {
			return &commentedNames{at: at, end: at + n, names: names}
		}
	}
	return nil
}
