package text

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"skyjoin/internal/each"
)

// unitNames are the units and functions of units that a row of units is
// recognised by, as VOUnit, the CDS and FITS spell them.
var unitNames = wordSet(`
	deg degree degrees arcmin arcsec as mas uas rad hourangle hour hours hr min sec h s d day days yr year years Myr Gyr cy
	m AU au pc lyr Rsun R_sun solRad Rjup Rearth Rgeo g Msun M_sun solMass Mjup Mearth Mgeo Lsun L_sun solLum
	mags hrs Hours Hour HR Hr degs Deg Degrees radian radians arcsecs arcseconds arcminutes
	mag AB ST Vega dex Jy Hz eV erg J W V N K C A T G Pa sr ct count counts electron electrons e photon ph adu ADU DN Ohm pix pixel pixels bit byte
	Angstrom angstrom micron barn Ry u Crab beam bin chan
	log log10 ln exp sqrt sin cos none None unitless dimensionless`)

// unitPrefixes are the prefixes of multiples.
var unitPrefixes = []string{"", "da", "d", "c", "m", "u", "µ", "μ", "n", "p", "f", "a", "h", "k", "M", "G", "T", "P", "E"}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// isUnit reports whether text reads as a unit: known names, with a prefix or
// without, joined by operators and powers, such as km s^-1, 10**-3 Jy/beam or
// log10(erg).
func isUnit(text string) bool {
	if isNumber(text) || exponential.MatchString(text) {
		return false // 1e3 is no electron, 12h no hour
	}
	if text = strings.Trim(text, "[]() \"'"); sexagesimalUnits[strings.ToLower(text)] {
		return true
	}
	names := 0
	for text != "" {
		c, n := utf8.DecodeRuneInString(text)
		switch {
		case strings.ContainsRune("%°'\"Å′″", c):
			names++
			text = text[n:]
		case unicode.IsLetter(c):
			end := strings.IndexFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && c != '_' })
			if end < 0 {
				end = len(text)
			}
			if text[:end] == "log" && strings.HasPrefix(text[end:], "10") {
				end += len("10")
			}
			if !isUnitName(text[:end]) {
				return false
			}
			names++
			text = text[end:]
		case unicode.IsDigit(c) || strings.ContainsRune("+-./*^()[] ·²³⁻¹", c):
			text = text[n:]
		default:
			return false
		}
	}
	return names > 0
}

// exponential is a number with an exponent, which may be beyond the range of float64.
var exponential = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)[eEdDqQ][+-]?\d+$`)

// sexagesimalUnits are the units of angles as text.
var sexagesimalUnits = wordSet("h:m:s d:m:s hms dms hh:mm:ss dd:mm:ss")

func isUnitName(word string) bool {
	for _, p := range unitPrefixes {
		if name, ok := strings.CutPrefix(word, p); ok && unitNames[name] {
			return true
		}
	}
	return false
}

// noUnit are the marks for columns without a unit in a row of units.
var noUnit = wordSet("- -- --- [] [-] [--] [---] () (-) (--) (---) none None unitless dimensionless")

// types are what columns hold, as a row of types has it.
var types = wordSet("int integer int16 int32 int64 uint8 short long bigint smallint float float32 float64 double real char character varchar string str text bool boolean date timestamp")

// areTypes reports whether a row of several cells names types.
func areTypes(cells []string) bool {
	return len(cells) > 1 && !slices.ContainsFunc(cells, func(c string) bool { return !types[strings.ToLower(c)] })
}

// withoutBrackets returns units without the parentheses that some are in, and without the
// brackets if all of several are in some; otherwise those are logarithms.
func withoutBrackets(cells []string) []string {
	cells = each.Of(cells, func(c string) string {
		if n := len(c) - 1; n > 1 && c[0] == '(' && c[n] == ')' && !strings.ContainsAny(c[1:n], "()") {
			return c[1:n]
		}
		return c
	})
	if len(cells) < 2 {
		return cells
	}
	for _, c := range cells {
		if n := len(c) - 1; n < 1 || c[0] != '[' || c[n] != ']' || strings.ContainsAny(c[1:n], "[]") {
			return cells
		}
	}
	return each.Of(cells, func(c string) string { return c[1 : len(c)-1] })
}

// mayBeUnits reports whether a row can be the row of units: it has at least one
// unit, and otherwise only units, marks for no unit, and empty cells.
func mayBeUnits(cells []string) bool {
	units := 0
	for _, c := range cells {
		switch {
		case c == "" || noUnit[c]:
		case isUnit(c):
			units++
		default:
			return false
		}
	}
	return units > 0
}

// areUnits decides whether a row that may be units is one, from the cells of the rows
// below it: columns with a unit hold numbers, angles or nothing, or at least not more
// of other texts, and one holds numbers or angles. In a table without rows, each of
// several columns must have a unit.
func areUnits(cells []string, columns []column, rows int64) bool {
	numbers, units := 0, 0
	for i, c := range cells {
		if c == "" || noUnit[c] {
			continue
		}
		units++
		c := &columns[i]
		switch values := c.seen &^ (classNull | classEmpty); {
		case values&classBool != 0:
			return false
		case values&classText != 0 && !isNumber(c.bad) && (values&classNumber == 0 || 2*c.text > rows):
			return false
		case values != 0:
			numbers++
		}
	}
	empty := true
	for i := range columns {
		empty = empty && columns[i].seen == 0
	}
	return numbers > 0 || empty && units == len(cells) && units > 1
}
