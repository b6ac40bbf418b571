package text

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawNumeral draws a decimal number as catalogs write them, or nearly one.
func drawNumeral(t *rapid.T) string {
	return rapid.OneOf(
		rapid.StringMatching(`[-+]?[0-9]{0,21}(\.[0-9]{0,21})?([eE][-+]?[0-9]{0,4})?`),
		rapid.Map(rapid.Float64(), func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }),
		rapid.Map(rapid.Float64Range(-1000, 1000), func(f float64) string { return strconv.FormatFloat(f, 'f', 8, 64) }),
		rapid.Map(rapid.Int64(), func(i int64) string { return strconv.FormatInt(i, 10) }),
		rapid.Map(rapid.Uint64(), func(u uint64) string { return strconv.FormatUint(u, 10) }),
		rapid.SampledFrom([]string{"", "-", "+", ".", "-.", "e5", "nan", "-nan", "inf", "-Inf", "infinity", "infinit", "true", "0x1p-2", "1_0"}),
	).Draw(t, "numeral")
}

func TestParseNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawNumeral(t)
		b := []byte(s)
		class := classify(b)
		f, err := strconv.ParseFloat(s, 64)
		if strings.ContainsAny(s, "xX_") {
			err = strconv.ErrSyntax
		}
		isNumber := err == nil || isNaNWord(b)
		digits := strings.TrimLeft(s, "+-")
		isCode := len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0123456789") == ""
		if got := class&classNumber != 0; got != (isNumber && !isCode) {
			t.Fatalf("%q is in class %b, strconv: %v, %v", s, class, f, err)
		}
		if isNumber {
			if got, err := parseFloat(b); err != nil || math.Float64bits(got) != math.Float64bits(f) && !math.IsNaN(got) {
				t.Fatalf("%q is %v, %v, want %v", s, got, err, f)
			}
		}
		i, err := strconv.ParseInt(s, 10, 64)
		minusZero := err == nil && i == 0 && s[0] == '-' // has a sign that only float64 keeps
		if got := class&classInt != 0; got != (err == nil && !isCode && !minusZero) {
			t.Fatalf("%q is in class %b, as an integer %v, %v", s, class, i, err)
		}
		if got, gotErr := parseInt(b, 64); got != i || (gotErr == nil) != (err == nil) {
			t.Fatalf("%q is %v, %v, want %v, %v", s, got, gotErr, i, err)
		}
		if class&classInt != 0 && class&classWide == 0 && int64(float64(i)) != i {
			t.Fatalf("%q does not fit float64 but is not wide", s)
		}
		u, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, 64)
		if got := class&classUint != 0; got != (err == nil && u > math.MaxInt64 && !isCode) {
			t.Fatalf("%q is in class %b, unsigned %v, %v", s, class, u, err)
		}
	})
}

func TestIsUnit(t *testing.T) {
	for _, u := range strings.Fields("deg mas mas/yr mas.yr**-1 mas*yr^-1 km/s mag mag(AB) Jy [deg] log10(erg) dex % arcsec h Msun km.s-1 ° Å µas 10**-3.Jy solMass/yr [mag]") {
		if !isUnit(u) {
			t.Errorf("%s is a unit", u)
		}
	}
	if !isUnit("km s^-1") || !isUnit("log(cm s-2)") {
		t.Error("units with blanks are units")
	}
	for _, u := range strings.Fields("1 1e3 10.5 nan name Gaia abc RR NGC103 deg,mag yes ra_error - 2020-01-01 true x/y") {
		if isUnit(u) {
			t.Errorf("%s is no unit", u)
		}
	}
}
