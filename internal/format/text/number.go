package text

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"unsafe"

	"skyjoin/internal/format"
)

// fold reports whether b is the lower-case word w in any case.
func fold(b []byte, w string) bool {
	return len(b) == len(w) && bytes.EqualFold(b, unsafe.Slice(unsafe.StringData(w), len(w)))
}

// str is b as a string that must not outlive it.
func str(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// isDigit reports whether c is a decimal digit.
func isDigit(c byte) bool { return c-'0' <= 9 }

// withoutZeros returns an integer without leading zeros, other text as it is.
func withoutZeros(b []byte) []byte {
	sign := 0
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		sign = 1
	}
	zeros := sign
	for zeros < len(b)-1 && b[zeros] == '0' && isDigit(b[zeros+1]) {
		zeros++
	}
	if sign == 0 || zeros == sign {
		return b[zeros-sign:]
	}
	return append(b[:1:1], b[zeros:]...)
}

// powersOfTen are those that float64 holds exactly.
var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseFloat returns the float64 nearest to a decimal number. Up to 15 digits
// and a small power of ten are one rounding of exact operands (Clinger's fast
// path); strconv does the rest. Exponents may be those of Fortran.
func parseFloat(b []byte) (float64, error) {
	i, negative := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative = b[0] == '-'
		i = 1
	}
	mantissa, digits, scale := uint64(0), 0, 0
	for ; i < len(b) && isDigit(b[i]); i++ {
		mantissa = mantissa*10 + uint64(b[i]-'0')
		digits++
	}
	if i < len(b) && b[i] == '.' {
		for i++; i < len(b) && isDigit(b[i]); i++ {
			mantissa = mantissa*10 + uint64(b[i]-'0')
			digits++
			scale++
		}
	}
	if isNaNWord(b) {
		return math.NaN(), nil
	}
	if i < len(b) || digits == 0 || digits > 19 || mantissa > 1<<53 || scale >= len(powersOfTen) {
		f, err := strconv.ParseFloat(str(b), 64)
		if errors.Is(err, strconv.ErrSyntax) && isFortran(b) {
			return format.ParseFortran(str(b))
		}
		return f, err
	}
	f := float64(mantissa) / powersOfTen[scale]
	if negative {
		f = -f
	}
	return f, nil
}

// isFortran reports whether text is a number with an exponent as only Fortran writes
// it: 1.5D+02, 1.5-100.
func isFortran(b []byte) bool {
	return len(b) > 2 && isDigit(b[len(b)-1]) && fortranNumber.Match(b)
}

var fortranNumber = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([dDqQ][+-]?\d{1,3}|[+-]\d{3})$`)

// parseFloat32 returns the float32 nearest to a decimal number.
func parseFloat32(b []byte) (float32, error) {
	if isNaNWord(b) {
		return float32(math.NaN()), nil
	}
	f, err := strconv.ParseFloat(str(b), 32)
	return float32(f), err
}

// isNaNWord reports whether b is nan, in any case and with any sign.
func isNaNWord(b []byte) bool {
	return len(b) == 3 && fold(b, "nan") || len(b) == 4 && (b[0] == '-' || b[0] == '+') && fold(b[1:], "nan")
}

// parseInt returns an integer of up to the given bits.
func parseInt(b []byte, bits int) (int64, error) {
	if len(b) > 0 && len(b) <= 18 && bits == 64 {
		i, negative := 0, false
		if b[0] == '-' || b[0] == '+' {
			negative = b[0] == '-'
			i = 1
		}
		var v int64
		for ; i < len(b) && isDigit(b[i]); i++ {
			v = v*10 + int64(b[i]-'0')
		}
		if i == len(b) && isDigit(b[i-1]) {
			if negative {
				v = -v
			}
			return v, nil
		}
	}
	return strconv.ParseInt(str(b), 10, bits)
}

// parseUint returns an unsigned integer of up to the given bits.
func parseUint(b []byte, bits int) (uint64, error) {
	return strconv.ParseUint(str(bytes.TrimPrefix(b, []byte("+"))), 10, bits)
}

// parseBool returns true or false, in any case.
func parseBool(b []byte) (bool, error) {
	switch {
	case fold(b, "true"), fold(b, "t"), fold(b, "1"):
		return true, nil
	case fold(b, "false"), fold(b, "f"), fold(b, "0"):
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", b)
}
