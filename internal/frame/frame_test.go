package frame

import (
	"math"
	"testing"

	"skyjoin/internal/pyref"
)

// converted are positions that ERFA 2.0.1 has converted: frame, longitude, latitude,
// right ascension, declination, in degrees.
var converted = []struct {
	frame             string
	lon, lat, ra, dec float64
}{
	{"galactic", 0, 0, 266.4049948010461, -28.936173960138692},
	{"galactic", 123.4, -12.3, 13.57953794118661, 50.5691322863147},
	{"galactic", 300.25, 89.5, 192.8333086564035, 26.6287952324036},
	{"galactic", 45, -90, 12.859479999999996, -27.12825},
	{"galactic", 359.999, 30, 240.6334222345923, -11.013064358470144},
	{"ecliptic", 0, 0, 359.9999959443933, 4.615870597715376e-06},
	{"ecliptic", 123.4, -12.3, 122.84560748995743, 7.412323121800518},
	{"ecliptic", 300.25, 89.5, 270.6223910346322, 66.12754708561845},
	{"ecliptic", 45, -90, 89.99998529777777, -66.56071866138889},
	{"ecliptic", 359.999, 30, 347.06504447981627, 27.305517334162236},
	{"fk5", 0, 0, 359.999993638889, -2.5277780840635074e-06},
	{"fk5", 123.4, -12.3, 123.39999343554382, -12.2999939936535},
	{"fk5", 300.25, 89.5, 300.2499247529143, 89.49999395148023},
	{"fk5", 45, -90, 114.57397203124793, -89.99999392167888},
	{"fk5", 359.999, 30, 359.99899044745064, 29.999997472125283},
}

func TestRotate(t *testing.T) {
	for _, c := range converted {
		m, ok := Of(c.frame)
		if !ok {
			t.Fatal(c.frame)
		}
		ra, dec := m.Rotate(c.lon, c.lat)
		if d := apart(ra, dec, c.ra, c.dec); d > 1e-9 {
			t.Errorf("%s %v %v: %v %v, want %v %v, %g arcsec off", c.frame, c.lon, c.lat, ra, dec, c.ra, c.dec, d)
		}
	}
	if _, ok := Of("icrs"); ok {
		t.Error("icrs is converted")
	}
}

// apart is about how far two positions are from each other, in arcsec.
func apart(ra1, dec1, ra2, dec2 float64) float64 {
	d := math.Abs(ra1 - ra2)
	return 3600 * math.Hypot(min(d, 360-d)*math.Cos(dec1*math.Pi/180), dec1-dec2)
}

// The ERFA of astropy converts the same.
func TestAsERFA(t *testing.T) {
	type question struct {
		Frame    string
		Lon, Lat float64
	}
	var asked []question
	for _, f := range Names[1:] {
		for lon := 0.0; lon < 360; lon += 23.7 {
			for lat := -90.0; lat <= 90; lat += 15 {
				asked = append(asked, question{f, lon, lat})
			}
		}
	}
	answers := pyref.Ask[[2]float64](t, "erfa", `
import sys, json, math, erfa
def one(q):
    a, b = math.radians(q["Lon"]), math.radians(q["Lat"])
    if q["Frame"] == "galactic": r = erfa.g2icrs(a, b)
    elif q["Frame"] == "ecliptic": r = erfa.eceq06(2451545.0, 0.0, a, b)
    else: r = erfa.c2s(erfa.fk5hip()[0] @ erfa.s2c(a, b))
    return [math.degrees(r[0]) % 360, math.degrees(r[1])]
print(json.dumps([one(q) for q in json.load(sys.stdin)]))`, asked)
	for i, q := range asked {
		m, _ := Of(q.Frame)
		ra, dec := m.Rotate(q.Lon, q.Lat)
		if d := apart(ra, dec, answers[i][0], answers[i][1]); d > 1e-9 {
			t.Errorf("%v: %v %v, ERFA has %v, %g arcsec off", q, ra, dec, answers[i], d)
		}
	}
}
