package catalog

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"skyjoin/internal/format"
)

// A cellClass is a set of bits: what a cell, or all cells of a column, are.
type cellClass uint32

const (
	classNull  cellClass = 1 << iota
	classInt             // fits int64
	classMinus           // a negative integer
	classWide            // an integer that float64 need not hold
	classUint            // beyond int64, fits uint64
	classHuge            // an integer beyond uint64 or int64
	classNaN             // nan
	classFloat           // any other number
	classBool            // true or false
	classText            // anything else
	classEmpty           // "", which is null but in a column of strings
	classList            // two numbers or more, in brackets or parentheses
)

// elementShift is where a class has the classes of the elements of lists.
const elementShift = 16

const (
	classNumber  = classInt | classUint | classHuge | classNaN | classFloat
	valueClasses = (1<<elementShift - 1) &^ (classNull | classEmpty)
)

// classify returns the class of a cell that is not null.
func classify(b []byte) cellClass {
	i := 0
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		i = 1
	}
	start := i
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	if i == len(b) && i > start {
		return classifyInteger(b, start)
	}
	digits := i - start
	if i < len(b) && b[i] == '.' {
		i++
		mark := i
		for i < len(b) && isDigit(b[i]) {
			i++
		}
		digits += i - mark
	}
	if digits == 0 {
		return classifyWord(b, start)
	}
	if i == len(b) {
		return classFloat
	}
	if b[i] == 'e' || b[i] == 'E' {
		i++
		if i < len(b) && (b[i] == '-' || b[i] == '+') {
			i++
		}
		mark := i
		for i < len(b) && isDigit(b[i]) {
			i++
		}
		if i == len(b) && i > mark {
			if i-mark < 3 && digits < 200 {
				return classFloat // cannot leave the range
			}
			if _, err := strconv.ParseFloat(str(b), 64); err == nil {
				return classFloat
			}
		}
	}
	return classText
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// classifyInteger classifies digits from start on after an optional sign. An
// integer with leading zeros is a code, such as 007, and stays text.
func classifyInteger(b []byte, start int) cellClass {
	n := len(b) - start
	if n > 1 && b[start] == '0' {
		return classText
	}
	c := classInt
	if b[0] == '-' {
		c |= classMinus
	}
	if n <= 15 {
		return c
	}
	s := str(b[start:])
	u, err := strconv.ParseUint(s, 10, 64)
	switch {
	case err != nil || c&classMinus != 0 && u > 1<<63:
		return classHuge | c&classMinus
	case c&classMinus == 0 && u > math.MaxInt64:
		return classUint | classWide
	case u > 1<<53:
		return c | classWide
	}
	return c
}

// classifyWord classifies what starts with no digit, after a sign that ends at
// start.
func classifyWord(b []byte, start int) cellClass {
	switch w := b[start:]; len(w) {
	case 3:
		if fold(w, "nan") {
			return classNaN
		}
		if fold(w, "inf") {
			return classFloat
		}
	case 8:
		if fold(w, "infinity") {
			return classFloat
		}
	case 4:
		if start == 0 && fold(w, "true") {
			return classBool
		}
	case 5:
		if start == 0 && fold(w, "false") {
			return classBool
		}
	}
	return classText
}

// fold reports whether b is the lower-case word w in any case.
func fold(b []byte, w string) bool {
	return len(b) == len(w) && bytes.EqualFold(b, unsafe.Slice(unsafe.StringData(w), len(w)))
}

// str is b as a string that must not outlive it.
func str(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// columnType returns the type of a column whose cells together have the class
// seen: the narrowest that keeps every value as it is written. Integers that
// no type holds, and mixtures, stay text.
func columnType(seen cellClass) format.Type {
	switch values := seen & valueClasses; {
	case values == classList:
		return format.List
	case values&(classText|classList) != 0:
		return format.String
	case values&classBool != 0:
		if values == classBool {
			return format.Bool
		}
		return format.String
	case values == 0 || values&classFloat != 0:
		return format.Float64
	case values&classNaN != 0 && values&classWide == 0:
		// Beside integers that float64 may not hold, nan is a null.
		return format.Float64
	case values&classHuge != 0 || values&classUint != 0 && values&classMinus != 0:
		return format.String
	case values&classUint != 0:
		return format.Uint64
	}
	return format.Int64
}

// nullable reports whether a column of type t has nulls among cells of class
// seen.
func nullable(seen cellClass, t format.Type) bool {
	return seen&classNull != 0 || seen&classNaN != 0 && !t.IsFloat() && t != format.String || seen&classEmpty != 0 && t != format.String
}

// powersOfTen are those that float64 holds exactly.
var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseFloat returns the float64 nearest to a decimal number. Up to 15 digits
// and a small power of ten are one rounding of exact operands (Clinger's fast
// path); strconv does the rest.
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
		return strconv.ParseFloat(str(b), 64)
	}
	f := float64(mantissa) / powersOfTen[scale]
	if negative {
		f = -f
	}
	return f, nil
}

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
