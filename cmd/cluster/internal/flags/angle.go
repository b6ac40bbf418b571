package flags

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/internal/each"
	"skyjoin/internal/named"
)

// angleUnits are the units of angles and how many radians each is. Results are
// written in common ones, or in the unit that the radius has.
var angleUnits = []struct {
	name   string
	radian float64
	common bool
}{
	{"deg", math.Pi / 180, true},
	{"arcmin", math.Pi / (180 * 60), true},
	{"arcsec", math.Pi / (180 * 3600), true},
	{"mas", math.Pi / (180 * 3600e3), false},
	{"uas", math.Pi / (180 * 3600e6), false},
	{"rad", 1, true},
}

// otherSpellings are other ways to write units: µ is the micro sign or the Greek
// letter.
var otherSpellings = map[string]string{"\u00b5as": "uas", "\u03bcas": "uas"}

// A Length is a positive, finite number with or without a unit of angle, as
// --eps takes it. The zero value is one that was not given.
type Length struct {
	Value float64
	Unit  string // "" for a plain number
	Text  string // as given
	Zero  bool   // of a flag that can be 0, see Duplicates
}

// Duplicates is the radius that stands for 0, in any unit: joins need a positive
// one, and no two rows are nearer to each other than this but in the same place. It
// is far above the root of the least float64, so that its square is one.
const Duplicates = 0x1p-500

// ParseLength reads "1.5", "1.5arcsec" or "1.5 arcsec".
func ParseLength(s string) (Length, error) {
	l, err := parseMeasure(s)
	if err == nil && (!(l.Value > 0) || math.IsInf(l.Value, 1)) {
		err = fmt.Errorf("it must be positive and finite")
	}
	return l, err
}

// parseMeasure reads a number with or without a unit of angle.
func parseMeasure(s string) (Length, error) {
	s = strings.TrimSpace(s)
	for n := len(s); n > 0; n-- { // the longest beginning that is a number
		v, ok := ParseFloat(s[:n])
		if !ok {
			continue
		}
		unit := strings.TrimSpace(s[n:])
		if plain, ok := otherSpellings[unit]; ok {
			unit = plain
		}
		if unit != "" && Radians(unit) == 0 {
			return Length{}, fmt.Errorf("unknown unit %q, it is one of %s", unit, unitNames())
		}
		return Length{Value: v, Unit: unit, Text: s}, nil
	}
	return Length{}, fmt.Errorf("not a number with or without a unit, as in 0.5 or 1.5arcsec")
}

// ParseFloat reads a number; one too large for float64 is infinite.
func ParseFloat(s string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}

// Radians returns how many radians the unit is, 0 if it is no unit of angle.
func Radians(unit string) float64 {
	for _, u := range angleUnits {
		if u.name == unit {
			return u.radian
		}
	}
	return 0
}

// InUnit returns an angle in a unit, as the number with the fewest digits that
// stands for it: an angle that was given as 0.1arcsec is 0.1 again.
func InUnit(radians float64, unit string) float64 {
	per := Radians(unit)
	v := radians / per
	for digits := 1; digits <= 17; digits++ {
		short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64) // it was written as a number
		if short*per == radians {
			return short
		}
	}
	return v
}

// AngleUnitNames are the units that results are written in.
func AngleUnitNames() []string {
	var names []string
	for _, u := range angleUnits {
		if u.common {
			names = append(names, u.name)
		}
	}
	return names
}

// unitNames lists all units in a sentence.
func unitNames() string {
	var names []string
	for _, u := range angleUnits {
		names = append(names, u.name)
	}
	return named.Or(names)
}

// Angle returns the length of flag in radians; the unit must be there.
func (l Length) Angle(flag string) (float64, error) {
	if l.Unit == "" {
		forms := each.Of(AngleUnitNames(), func(name string) string { return l.Text + name })
		last := len(forms) - 1
		return 0, exit.Usagef("%s %s needs a unit on the sky: %s or %s", flag, l.Text, strings.Join(forms[:last], ", "), forms[last])
	}
	r := l.Value * Radians(l.Unit)
	if r > math.Pi {
		return 0, exit.Usagef("%s %s: on the sky it is at most 180deg", flag, l.Text)
	}
	return r, nil
}

// Number returns the length of flag as a plain number; why says what it is the
// number of.
func (l Length) Number(flag, why string) (float64, error) {
	if l.Unit != "" {
		return 0, exit.Usagef("%s %s: a plain number is needed, %s", flag, l.Text, why)
	}
	return l.Value, nil
}

// String, Set and Type make a length a flag.
func (l *Length) String() string { return l.Text }

func (l *Length) Type() string { return "length" }

func (l *Length) Set(s string) error {
	v, err := parseMeasure(s)
	if err == nil && !(v.Value == 0 && l.Zero) {
		v, err = ParseLength(s)
	}
	if err == nil {
		v.Zero = l.Zero
		*l = v
	}
	return err
}
