package geometry

import (
	"strings"
	"testing"
)

func TestScalePerCoordinate(t *testing.T) {
	for _, c := range []struct {
		scale string
		names []string
		first sharedScale
		bad   string
	}{
		{"standard", []string{"x", "y"}, notShared, ""},
		{"standard,2", []string{"x", "y"}, notShared, ""},
		{"1,2", []string{"x", "y"}, notShared, ""},
		{"1", []string{"x", "y"}, notShared, "1 item, 2 needed"},
		{"1deg,2", []string{"x", "y"}, notShared, "plain number"},
		{"0.5deg,0.4", []string{"ra and dec", "pm"}, sharedAngle, ""},
		{"0.5deg,standard", []string{"ra and dec", "pm"}, sharedAngle, ""},
		{"standard", []string{"ra and dec", "pm"}, sharedAngle, "an angle with its unit, as in --scale 0.5deg,0.4"},
		{"0.5,0.4", []string{"ra and dec", "pm"}, sharedAngle, "needs a unit"},
		{"0.5deg,0.4deg", []string{"ra and dec", "pm"}, sharedAngle, "plain number"},
		{"10,0.4", []string{"ra, dec and r", "pm"}, sharedLength, ""},
		{"minmax,0.4", []string{"ra, dec and r", "pm"}, sharedLength, "a number, as in --scale 0.4,0.4"},
	} {
		var s Scale
		if err := s.Set(c.scale); err != nil {
			t.Fatal(err)
		}
		items, err := s.perCoordinate(c.names, c.first)
		switch {
		case c.bad == "" && (err != nil || len(items) != len(c.names)):
			t.Errorf("%s: %d items, %v", c.scale, len(items), err)
		case c.bad != "" && (err == nil || !strings.Contains(err.Error(), c.bad)):
			t.Errorf("%s: %v, want %q", c.scale, err, c.bad)
		}
	}
}

func TestScaleValues(t *testing.T) {
	for in, bad := range map[string]string{
		"none":              "",
		"standard":          "",
		"0.5deg,0.4,minmax": "",
		"1,none":            `scale 2, "none"`,
		"1,0":               "positive",
		"1,NaN":             "positive",
	} {
		err := (&Scale{}).Set(in)
		if bad == "" && err != nil || bad != "" && (err == nil || !strings.Contains(err.Error(), bad)) {
			t.Errorf("%q: %v, want %q", in, err, bad)
		}
	}
}
