// Package sexagesimal reads angles in degrees or hours, minutes and seconds.
package sexagesimal

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Degrees returns the angle in degrees that a text has in units of degrees, or of
// hours if hours is true: 10:30:00.5, -00 30 15, 00h42m43s, 00h42m44s.3, 41°16′9″, 10:30.5. Text
// that marks its first field with h, d or ° says itself which. ok is false for
// other text, 60 minutes or more, more than 60 seconds, 24 hours or 360 degrees.
//
// The result is the float64 nearest to the exact value, (d·3600 + m·60 + s) / 3600,
// in hours times 15; a minus sign before zero makes -0.
func Degrees(text string, hours bool) (degrees float64, ok bool) {
	var p parser
	if !p.parse(strings.TrimSpace(text)) {
		return 0, false
	}
	if p.marked {
		hours = p.hours
	}
	return p.degrees(hours)
}

// A parser has the fields of a text.
type parser struct {
	negative      bool
	fields        [3]string // digits, of the last one perhaps with a point
	n             int
	marked, hours bool // the first field has a mark, which says hours
}

// marks are what may follow each field, in lower case; the first of the first field
// are those of hours.
var marks = [3][]string{{"h", "hr", "d", "°", "deg"}, {"m", "min", "'", "′", "’"}, {"s", "sec", "\"", "″", "”", "''"}}

// parse divides the text into fields.
func (p *parser) parse(text string) bool {
	switch {
	case strings.HasPrefix(text, "-"):
		p.negative, text = true, text[1:]
	case strings.HasPrefix(text, "+"):
		text = text[1:]
	case strings.HasPrefix(text, "−"):
		p.negative, text = true, text[len("−"):]
	}
	text = strings.TrimLeft(text, " ")
	for p.n < 3 {
		end := 0
		for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == '.') {
			end++
		}
		digits := text[:end]
		if whole, _, _ := strings.Cut(digits, "."); whole == "" || strings.Count(digits, ".") > 1 || len(whole) > 3 || end > 40 {
			return false
		}
		p.fields[p.n] = digits
		text = text[end:]
		rest, divided := p.divider(text)
		if fraction := fractionBehind(rest); divided == "mark" && fraction != "" && !strings.Contains(digits, ".") {
			digits += fraction
			p.fields[p.n], rest = digits, strings.TrimLeft(rest[len(fraction):], " ")
		}
		p.n++
		if text = rest; text == "" {
			return (p.n > 1 || p.marked) && (divided == "" || divided == "mark")
		}
		if divided == "" || strings.Contains(digits, ".") { // only the last has a fraction
			return false
		}
	}
	return false
}

// fractionBehind returns the point and the digits that a text starts with, as after the
// mark in 44s.3, "" if it does not.
func fractionBehind(text string) string {
	end := 1
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if end < 2 || end > 40 || text[0] != '.' {
		return ""
	}
	return text[:end]
}

// divider cuts what divides a field from the next: a mark, a colon or blanks.
func (p *parser) divider(text string) (rest, kind string) {
	lower := strings.ToLower(strings.TrimLeft(text, " "))
	word := ""
	for _, m := range marks[p.n] {
		if strings.HasPrefix(lower, m) && len(m) > len(word) {
			word = m
		}
	}
	if word != "" {
		if p.n == 0 {
			p.marked, p.hours = true, word[0] == 'h'
		}
		text = strings.TrimLeft(text, " ")
		for range utf8.RuneCountInString(word) {
			_, size := utf8.DecodeRuneInString(text)
			text = text[size:]
		}
		return strings.TrimLeft(text, " "), "mark"
	}
	rest = strings.TrimLeft(text, " ")
	if after, ok := strings.CutPrefix(rest, ":"); ok {
		return strings.TrimLeft(after, " "), ":"
	}
	if rest != text {
		return rest, " "
	}
	return rest, ""
}

// degrees returns the angle of the fields: a whole number of units of 10^-k of the
// last field, divided once.
func (p *parser) degrees(hours bool) (float64, bool) {
	whole, total, divisor := 0, 0, 1 // total in units of the last field
	k := 0
	fraction := ""
	for i := range p.n {
		digits, decimals, _ := strings.Cut(p.fields[i], ".")
		v, err := strconv.Atoi(digits)
		if err != nil || i > 0 && (v > 60 || v == 60 && (i == 1 || strings.Trim(decimals, "0") != "")) {
			return 0, false
		}
		if i == 0 {
			whole = v
		} else {
			divisor *= 60
			total *= 60
		}
		total += v
		fraction, k = decimals, len(decimals)
	}
	most := 360
	if hours {
		most = 24
	}
	if whole > most {
		return 0, false
	}
	times := 1
	if hours {
		times = 15
	}
	v, ok := quotient(total, fraction, k, divisor, times)
	if p.negative {
		v = -v
	}
	return v, ok && (v <= 360 && v >= -360)
}

// quotient is the float64 nearest to times·total.fraction/divisor.
func quotient(total int, fraction string, k, divisor, times int) (float64, bool) {
	const exact = 1 << 53 // float64 holds all integers up to it
	if k <= 11 {
		scale, mantissa := int64(1), int64(total)
		for _, d := range []byte(fraction) {
			scale, mantissa = scale*10, mantissa*10+int64(d-'0')
		}
		// 15 divides 60: hours with minutes or seconds need no larger numerator.
		if n, d := mantissa*int64(times), int64(divisor)*scale; n < exact && d < exact {
			return float64(n) / float64(d), true
		}
		if divisor > 1 && divisor%times == 0 {
			if d := int64(divisor/times) * scale; mantissa < exact && d < exact {
				return float64(mantissa) / float64(d), true
			}
		}
	}
	r, ok := new(big.Rat).SetString(strconv.Itoa(total) + "." + fraction + "0")
	if !ok {
		return 0, false
	}
	v, _ := r.Mul(r, big.NewRat(int64(times), int64(divisor))).Float64()
	return v, true
}
