package text

import (
	"regexp"
	"strconv"
	"strings"
)

// A factor of a unit is a unit of one name, and its power.
type factor struct {
	name  string
	power int
}

// unitFactor is a factor as VOUnit, astropy, FITS and the CDS write it: s-1, s**-1,
// s^(-1).
var unitFactor = regexp.MustCompile(`^([A-Za-z%µ°][A-Za-z_%]*?)(?:(?:\*\*|\^)?\(?([+-]?\d{1,2})\)?)?$`)

// factorsOf returns the factors of a unit, nil if it has others than names.
func factorsOf(unit string) (all []factor) {
	unit = strings.NewReplacer("**", "^", "*", " ", "/", " / ", "(", " ( ", ")", " ) ").Replace(oneLine(unit))
	unit = regexp.MustCompile(`\^ \( ([+-]?\d+) \)`).ReplaceAllString(unit, "$1")
	words := strings.FieldsFunc(unit, func(c rune) bool { return c == ' ' || c == '.' })
	below, inside := false, false // the next factor is a divisor; so are all in the parentheses
	for i, w := range words {
		switch {
		case w == "/" && !below && i > 0:
			below = true
			continue
		case w == "(" && below && !inside:
			inside = true
			continue
		case w == ")" && inside:
			below, inside = false, false
			continue
		}
		m := unitFactor.FindStringSubmatch(w)
		if m == nil {
			return nil
		}
		f := factor{m[1], 1}
		if m[2] != "" {
			f.power, _ = strconv.Atoi(m[2])
		}
		if below {
			f.power, below = -f.power, inside
		}
		all = append(all, f)
	}
	if below {
		return nil
	}
	return all
}

// cdsUnit writes a unit as the CDS does: km/s, erg.cm-2.s-1.
func cdsUnit(unit string) string {
	factors := factorsOf(unit)
	if n := len(factors) - 1; n == 1 && factors[0].power == 1 && factors[1].power < 0 {
		factors[1].power *= -1
		return factors[0].name + "/" + factors[1].cds()
	}
	var out []string
	for _, f := range factors {
		out = append(out, f.cds())
	}
	if factors == nil {
		out = strings.Fields(oneLine(unit))
	}
	if len(out) == 0 {
		return "---"
	}
	return strings.Join(out, ".")
}

func (f factor) cds() string {
	if f.power == 1 {
		return f.name
	}
	return f.name + strconv.Itoa(f.power)
}

// latexUnit writes a unit with powers: km\,s$^{-1}$ for km/s.
func latexUnit(unit string) string {
	factors := factorsOf(unit)
	if factors == nil {
		return latexText(unit)
	}
	var out []string
	for _, f := range factors {
		text := latexText(f.name)
		if f.power != 1 {
			text += "$^{" + strconv.Itoa(f.power) + "}$"
		}
		out = append(out, text)
	}
	return strings.Join(out, `\,`)
}
