package figure

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var superscript = strings.NewReplacer(
	"-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
	"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// powerOfTen returns 10ⁿ as text.
func powerOfTen(n int) string { return "10" + superscript.Replace(strconv.Itoa(n)) }

// fixedPoint returns v with a number of decimals and a true minus sign.
func fixedPoint(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', max(decimals, 0), 64)
	if digits, negative := strings.CutPrefix(s, "-"); negative {
		if strings.Trim(digits, "0.") == "" {
			return digits // no -0
		}
		return "−" + digits
	}
	return s
}

// signed is fixedPoint with a plus sign where v is not negative.
func signed(v float64, decimals int) string {
	if v < 0 {
		return fixedPoint(v, decimals)
	}
	return "+" + fixedPoint(v, decimals)
}

// number returns v with up to four significant digits: 0.0125, 1234, −2.5×10⁷.
func number(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "-", "−", 1)
	}
	mantissa, exp := decimal(v, 4)
	if exp < -4 || exp > 5 {
		return strings.Replace(mantissa, "-", "−", 1) + "×" + powerOfTen(exp)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 3, 64), 64)
	return strings.Replace(strconv.FormatFloat(rounded, 'f', -1, 64), "-", "−", 1)
}

// decimal returns the mantissa of v, without trailing zeros, and its exponent.
func decimal(v float64, digits int) (mantissa string, exp int) {
	mantissa, e, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	exp, _ = strconv.Atoi(e)
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	return mantissa, exp
}

// count returns n with thousands set apart.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural returns a number of things: 1 member, 2 members.
func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return count(n) + " " + what
}

// ordinal returns 1st, 2nd, 3rd, 4th …
func ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// withSuffix returns a value and its unit: "3 arcsec".
func withSuffix(value, unit string) string {
	if unit == "" {
		return value
	}
	return value + " " + unitText(unit)
}

// withUnit returns the label of a quantity: "parallax (mas)".
func withUnit(name, unit string) string {
	if unit == "" {
		return name
	}
	return name + " (" + unitText(unit) + ")"
}

var (
	unitFactor = regexp.MustCompile(`([./* ]?)([A-Za-zµÅ%☉]+)(?:\*\*|\^)?([+-]?[1-9])?`)
	wholeUnit  = regexp.MustCompile(`^(?:` + unitFactor.String() + `)+$`)
)

// unitText writes a unit as papers do: mas.yr**-1 of VOUnits and FITS, mas.yr-1 of
// the CDS and mas/yr are mas yr⁻¹, and Mpc/h is h⁻¹ Mpc. Other texts stay as they
// are.
func unitText(unit string) string {
	if !wholeUnit.MatchString(unit) {
		return unit
	}
	var factors []string
	for _, part := range unitFactor.FindAllStringSubmatch(unit, -1) {
		power := cmp.Or(strings.TrimPrefix(part[3], "+"), "1")
		if part[1] == "/" {
			power = strings.TrimPrefix("-"+power, "--")
		}
		if power == "1" {
			factors = append(factors, part[2])
			continue
		}
		factor := part[2] + superscript.Replace(power)
		factors = append(factors, factor)
		if factor == "h⁻¹" && strings.HasSuffix(factors[0], "pc") { // the Hubble parameter, not hours
			factors = append([]string{factor}, factors[:len(factors)-1]...)
		}
	}
	return strings.Join(factors, " ")
}
