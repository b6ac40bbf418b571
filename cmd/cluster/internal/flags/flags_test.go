package flags

import (
	"math"
	"math/rand/v2"
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
		l, err := ParseLength(c.in)
		if err != nil || l.Value != c.value || l.Unit != c.unit {
			t.Errorf("%q: %v %q, %v", c.in, l.Value, l.Unit, err)
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
		if _, err := ParseLength(in); err == nil || !strings.Contains(err.Error(), part) {
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
		l, err := ParseLength(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := l.Angle("--eps"); err != nil || math.Abs(got-want) > 1e-15*want {
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
		var l List
		if err := l.Set(in); err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		var again List
		if err := again.Set(l.String()); err != nil || strings.Join(l, "|") != strings.Join(want, "|") || strings.Join(again, "|") != strings.Join(want, "|") {
			t.Errorf("%q: %q, written %q, read back %q (%v)", in, []string(l), l.String(), []string(again), err)
		}
	}
	for _, in := range []string{"", "a,,b", "a,", `"a`, "a\nb"} {
		var l List
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
		{&Bytes{}, "8GiB", ""},
		{&Bytes{}, "500MB", ""},
		{&Bytes{}, "1.5 GB", ""},
		{&Bytes{}, "1024", ""},
		{&Bytes{}, "0", "at least 1 byte"},
		{&Bytes{}, "-1GiB", "at least 1 byte"},
		{&Bytes{}, "NaN", "at least 1 byte"},
		{&Bytes{}, "9999999TiB", "less than 8 EiB"},
		{&Bytes{}, "lots", "not a size"},
		{&Integer{Least: 1}, "1", ""},
		{&Integer{Least: 1}, "0", "at least 1"},
		{&Integer{Least: 1}, "-3", "at least 1"},
		{&Integer{Least: 1}, "2.5", "not a whole number"},
		{&Integer{Least: 1}, "99999999999999999999", "not a whole number"},
		{&Number{}, "0.25", ""},
		{&Number{}, "-3", ""},
		{&Number{}, "nan", "finite"},
		{&Number{}, "+Inf", "finite"},
		{&Number{}, "many", "not a number"},
		{&Choice{"", []string{"cpu", "gpu"}}, "gpu", ""},
		{&Choice{"", []string{"cpu", "gpu"}}, "tpu", "cpu, gpu"},
		{&Box{}, "100", ""},
		{&Box{}, "100,100,0", ""},
		{&Box{}, "-1", "positive"},
		{&Box{}, "nan", "positive"},
		{&Box{}, "wide", "not a number"},
	} {
		err := c.flag.Set(c.in)
		switch {
		case c.bad == "" && err != nil:
			t.Errorf("%s %q: %v", c.flag.Type(), c.in, err)
		case c.bad != "" && (err == nil || !strings.Contains(err.Error(), c.bad)):
			t.Errorf("%s %q: %v, want %q", c.flag.Type(), c.in, err, c.bad)
		}
	}
	var b Bytes
	for in, want := range map[string]int64{"8GiB": 8 << 30, "500MB": 500e6, "1.5kB": 1500, "7": 7} {
		if err := b.Set(in); err != nil || b.Bytes != want {
			t.Errorf("%s = %d bytes, want %d (%v)", in, b.Bytes, want, err)
		}
	}
}

func TestGPUIndexes(t *testing.T) {
	var x Indexes
	for _, c := range []struct{ text, bad string }{
		{"0", ""}, {"3,0, 12", ""}, {"-1", "-1"}, {"1.5", "1.5"}, {"1,1", "twice"}, {"", "list"}, {"1,", "empty"}, {"9999999999", "number"},
	} {
		err := x.Set(c.text)
		if c.bad == "" && err != nil || c.bad != "" && (err == nil || !strings.Contains(err.Error(), c.bad)) {
			t.Errorf("--gpus %s: %v, want %q", c.text, err, c.bad)
		}
	}
	if x.Set("3,0, 12"); x.String() != "3,0,12" {
		t.Errorf("3,0,12 is %s", &x)
	}
}

// Milliarcseconds and microarcseconds, with either µ.
func TestSmallAngles(t *testing.T) {
	arcsec := Radians("arcsec")
	for in, want := range map[string]float64{"5mas": 5e-3 * arcsec, "5 mas": 5e-3 * arcsec, "20uas": 2e-5 * arcsec, "20\u00b5as": 2e-5 * arcsec, "20 \u03bcas": 2e-5 * arcsec} {
		l, err := ParseLength(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got, err := l.Angle("--eps"); err != nil || math.Abs(got/want-1) > 1e-14 {
			t.Errorf("%s is %v rad, want %v (%v)", in, got, want, err)
		}
	}
}

// An angle in a unit is written with few digits where few are enough, and read as the
// same angle.
func TestInUnit(t *testing.T) {
	for text, want := range map[string]float64{"0.1arcsec": 0.1, "0.3arcmin": 0.3, "7e-5deg": 7e-5, "1.1mas": 1.1, "2rad": 2} {
		l, err := ParseLength(text)
		if err != nil {
			t.Fatal(err)
		}
		angle, err := l.Angle("--eps")
		if got := InUnit(angle, l.Unit); err != nil || got != want {
			t.Errorf("%s: %v (%v)", text, got, err)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		angle := math.Exp(-20 * r.Float64())
		if got := InUnit(angle, "arcsec") * Radians("arcsec"); math.Abs(got/angle-1) > 3e-16 {
			t.Errorf("%v rad comes back as %v", angle, got)
		}
	}
}
