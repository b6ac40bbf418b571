package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// angleUnits are the units of angles and how many radians each is.
var angleUnits = []struct {
	name   string
	radian float64
}{
	{"deg", math.Pi / 180},
	{"arcmin", math.Pi / (180 * 60)},
	{"arcsec", math.Pi / (180 * 3600)},
	{"rad", 1},
}

// A length is a positive, finite number with or without a unit of angle, as
// --eps takes it. The zero value is one that was not given.
type length struct {
	value float64
	unit  string // "" for a plain number
	text  string // as given
}

// parseLength reads "1.5", "1.5arcsec" or "1.5 arcsec".
func parseLength(s string) (length, error) {
	s = strings.TrimSpace(s)
	number, unit := s, ""
	v, ok := parseFloat(number)
	if !ok {
		number = numberPrefix(s)
		unit = strings.TrimSpace(s[len(number):])
		if v, ok = parseFloat(number); !ok {
			return length{}, fmt.Errorf("not a number with or without a unit, as in 0.5 or 1.5arcsec")
		}
		if radians(unit) == 0 {
			return length{}, fmt.Errorf("unknown unit %q, it is one of %s", unit, unitNames())
		}
	}
	if !(v > 0) || math.IsInf(v, 1) {
		return length{}, fmt.Errorf("it must be positive and finite")
	}
	return length{v, unit, s}, nil
}

// parseFloat reads a number; one too large for float64 is infinite.
func parseFloat(s string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}

// numberPrefix returns the longest beginning of s that is a number.
func numberPrefix(s string) string {
	for n := len(s); n > 0; n-- {
		if _, ok := parseFloat(s[:n]); ok {
			return s[:n]
		}
	}
	return ""
}

// radians returns how many radians the unit is, 0 if it is no unit of angle.
func radians(unit string) float64 {
	for _, u := range angleUnits {
		if u.name == unit {
			return u.radian
		}
	}
	return 0
}

func angleUnitNames() []string {
	var names []string
	for _, u := range angleUnits {
		names = append(names, u.name)
	}
	return names
}

// unitNames lists the units in a sentence.
func unitNames() string {
	names := angleUnitNames()
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// angle returns the length of flag in radians; the unit must be there.
func (l length) angle(flag string) (float64, error) {
	if l.unit == "" {
		var forms []string
		for _, u := range angleUnits {
			forms = append(forms, l.text+u.name)
		}
		last := len(forms) - 1
		return 0, usagef("%s %s needs a unit on the sky: %s or %s", flag, l.text, strings.Join(forms[:last], ", "), forms[last])
	}
	r := l.value * radians(l.unit)
	if r > math.Pi {
		return 0, usagef("%s %s: on the sky it is at most 180deg", flag, l.text)
	}
	return r, nil
}

// number returns the length of flag as a plain number; why says what it is the
// number of.
func (l length) number(flag, why string) (float64, error) {
	if l.unit != "" {
		return 0, usagef("%s %s: a plain number is needed, %s", flag, l.text, why)
	}
	return l.value, nil
}

// String, Set and Type make a length a flag.
func (l *length) String() string { return l.text }
func (l *length) Type() string   { return "length" }

func (l *length) Set(s string) error {
	v, err := parseLength(s)
	if err == nil {
		*l = v
	}
	return err
}
