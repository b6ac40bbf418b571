package format

import (
	"strconv"
	"strings"
)

// ParseFortran returns the float64 nearest to a number as Fortran writes it: the
// exponent may have an E, a D, a Q or, if it is long, only its sign.
func ParseFortran(text string) (float64, error) {
	s := strings.Map(func(r rune) rune {
		if strings.ContainsRune("DdQq", r) {
			return 'E'
		}
		return r
	}, text)
	if at := strings.LastIndexAny(s, "+-"); at > 0 && (s[at-1] >= '0' && s[at-1] <= '9' || s[at-1] == '.') {
		s = s[:at] + "E" + s[at:]
	}
	return strconv.ParseFloat(s, 64)
}
