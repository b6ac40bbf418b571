package main

import (
	"math"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestLength(t *testing.T) {
	for _, c := range []struct {
		in    string
		value float64
		unit  string
	}{
		{"1.5", 1.5, ""},
		{" 2 ", 2, ""},
		{"1.5arcsec", 1.5, "arcsec"},
		{"1.5 arcmin", 1.5, "arcmin"},
		{"1e-3deg", 1e-3, "deg"},
		{"2e3rad", 2e3, "rad"},
		{".5deg", .5, "deg"},
		{"1.7320508075688772", 1.7320508075688772, ""},
	} {
		l, err := parseLength(c.in)
		if err != nil || l.value != c.value || l.unit != c.unit {
			t.Errorf("%q: %v %q, %v", c.in, l.value, l.unit, err)
		}
	}
	for in, part := range map[string]string{
		"":          "not a number",
		"x":         "not a number",
		"deg":       "not a number",
		"1.5degree": `unknown unit "degree"`,
		"1.5e":      `unknown unit "e"`,
		"1,5":       `unknown unit ",5"`,
		"0":         "positive",
		"-1":        "positive",
		"-1deg":     "positive",
		"NaN":       "positive",
		"nan":       "positive",
		"inf":       "positive",
		"infdeg":    "positive",
		"1e999":     "positive",
		"1e999deg":  "positive",
	} {
		if _, err := parseLength(in); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v, want %q", in, err, part)
		}
	}
}

func TestLengthInRadians(t *testing.T) {
	for in, want := range map[string]float64{
		"180deg":     math.Pi,
		"1rad":       1,
		"60arcmin":   math.Pi / 180,
		"3600arcsec": math.Pi / 180,
		"90deg":      math.Pi / 2,
	} {
		l, err := parseLength(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := l.angle("--eps"); err != nil || math.Abs(got-want) > 1e-15*want {
			t.Errorf("%s = %v rad, want %v (%v)", in, got, want, err)
		}
	}
}

func TestListRoundTrip(t *testing.T) {
	for in, want := range map[string][]string{
		"ra,dec":          {"ra", "dec"},
		"ra, dec":         {"ra", "dec"},
		`"a,b",c`:         {"a,b", "c"},
		"pos[0],pos[1]":   {"pos[0]", "pos[1]"},
		`"say ""x""",y`:   {`say "x"`, "y"},
		"with space,next": {"with space", "next"},
	} {
		var l list
		if err := l.Set(in); err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		var again list
		if err := again.Set(l.String()); err != nil || strings.Join(l, "|") != strings.Join(want, "|") || strings.Join(again, "|") != strings.Join(want, "|") {
			t.Errorf("%q: %q, written %q, read back %q (%v)", in, []string(l), l.String(), []string(again), err)
		}
	}
	for _, in := range []string{"", "a,,b", "a,", `"a`, "a\nb"} {
		var l list
		if err := l.Set(in); err == nil {
			t.Errorf("%q was taken as %q", in, []string(l))
		}
	}
}

func TestFlagValues(t *testing.T) {
	for _, c := range []struct {
		flag pflag.Value
		in   string
		bad  string // part of the error, "" if the value is right
	}{
		{&byteSize{}, "8GiB", ""},
		{&byteSize{}, "500MB", ""},
		{&byteSize{}, "1.5 GB", ""},
		{&byteSize{}, "1024", ""},
		{&byteSize{}, "0", "at least 1 byte"},
		{&byteSize{}, "-1GiB", "at least 1 byte"},
		{&byteSize{}, "NaN", "at least 1 byte"},
		{&byteSize{}, "9999999TiB", "less than 8 EiB"},
		{&byteSize{}, "lots", "not a size"},
		{&integer{least: 1}, "1", ""},
		{&integer{least: 1}, "0", "at least 1"},
		{&integer{least: 1}, "-3", "at least 1"},
		{&integer{least: 1}, "2.5", "not a whole number"},
		{&integer{least: 1}, "99999999999999999999", "not a whole number"},
		{&number{}, "0.25", ""},
		{&number{}, "-3", ""},
		{&number{}, "nan", "finite"},
		{&number{}, "+Inf", "finite"},
		{&number{}, "many", "not a number"},
		{&choice{"", []string{"cpu", "gpu"}}, "gpu", ""},
		{&choice{"", []string{"cpu", "gpu"}}, "tpu", "cpu, gpu"},
		{&box{}, "100", ""},
		{&box{}, "100,100,0", ""},
		{&box{}, "-1", "positive"},
		{&box{}, "nan", "positive"},
		{&box{}, "wide", "not a number"},
		{&scale{}, "none", ""},
		{&scale{}, "standard", ""},
		{&scale{}, "0.5deg,0.4,minmax", ""},
		{&scale{}, "1,none", `scale 2, "none"`},
		{&scale{}, "1,0", "positive"},
		{&scale{}, "1,NaN", "positive"},
	} {
		err := c.flag.Set(c.in)
		switch {
		case c.bad == "" && err != nil:
			t.Errorf("%s %q: %v", c.flag.Type(), c.in, err)
		case c.bad != "" && (err == nil || !strings.Contains(err.Error(), c.bad)):
			t.Errorf("%s %q: %v, want %q", c.flag.Type(), c.in, err, c.bad)
		}
	}
	var b byteSize
	for in, want := range map[string]int64{"8GiB": 8 << 30, "500MB": 500e6, "1.5kB": 1500, "7": 7} {
		if err := b.Set(in); err != nil || b.bytes != want {
			t.Errorf("%s = %d bytes, want %d (%v)", in, b.bytes, want, err)
		}
	}
}

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
		var s scale
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

func TestUnknownNames(t *testing.T) {
	refuse(t, statusRequest, []string{"frobnicate"}, `unknown command "frobnicate"`)
	refuse(t, statusRequest, []string{"--frob"}, "unknown flag --frob")
	refuse(t, statusRequest, []string{"--versoin"}, "did you mean --version?")
}
