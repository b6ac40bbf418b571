package catalog

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"skyjoin/internal/frame"
	"skyjoin/neighbors"
)

// positions returns RA and Dec of the usable rows as they are joined.
func positions(t *testing.T, c *Catalog, req Request) [][2]float64 {
	t.Helper()
	req.Metric, req.Sky = neighbors.Sky(), true
	s, err := c.Select(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	var out [][2]float64
	for i := range s.Points.Len() {
		out = append(out, [2]float64{s.Points.Column(0).At(i), s.Points.Column(1).At(i)})
	}
	return out
}

// RA and Dec are found by names, units and UCDs, as numbers, text or parts, and are
// read in degrees.
func TestCoordinatesInText(t *testing.T) {
	const m31 = "M31,00:42:44.3,+41:16:09\n"
	m31At := [2]float64{10.684583333333334, 148569. / 3600}
	for _, c := range []struct {
		name, text, columns string
		want                [2]float64
		notes               string
	}{
		{"colons", "n,RA,Dec\n" + m31, "RA,Dec", m31At, "RA is text, read as hours, minutes and seconds\nDec is text, read as degrees, minutes and seconds"},
		{"dots in names", "n,R.A.,Dec.\n" + m31, "R.A.,Dec.", m31At, ""},
		{"epoch in names", "n,RA (J2000),Dec (J2000)\n" + m31, "RA (J2000),Dec (J2000)", m31At, ""},
		{"blanks", "n,RAJ2000,DEJ2000\nM31,00 42 44.3,+41 16 09\n", "RAJ2000,DEJ2000", m31At, ""},
		{"marks", "n,ra,dec\nM31,00h42m44.3s,+41d16m09s\n", "ra,dec", m31At, ""},
		{"RA in degrees by its marks", "n,ra,dec\nM31,10d41m04.5s,+41d16m09s\n", "ra,dec", m31At, ""},
		{"minus zero", "n,ra,dec\nA,10:30:00.5,-00:30:15.0\n", "ra,dec", [2]float64{157.50208333333333, -0.5041666666666667}, ""},
		{"numbers before text", "RAJ2000,DEJ2000,_RAJ2000,_DEJ2000\n00:42:44.3,+41:16:09,10.5,41.5\n", "_RAJ2000,_DEJ2000", [2]float64{10.5, 41.5}, ""},
		{"parts", "n,RAh,RAm,RAs,DE-,DEd,DEm,DEs\nA,10,30,0.5,-,0,30,15.0\n", "RAh:RAm:RAs,DE-:DEd:DEm:DEs", [2]float64{157.50208333333333, -0.5041666666666667}, ""},
		{"parts without a sign", "RAh,RAm,DEd,DEm\n10,30.5,-0,30\n11,0.5,1,2\n", "RAh:RAm,DEd:DEm", [2]float64{157.625, -0.5}, ""},
		{"parts without seconds, with a sign", "RAh,RAm,DE-,DEd,DEm\n10,30.5,-,00,30\n11,0.5,+,1,2\n", "RAh:RAm,DE-:DEd:DEm", [2]float64{157.625, -0.5}, ""},
		{"seconds of RA alone", "RAh,RAm,RAs,DE-,DEd,DEm\n10,30,30,-,00,30.5\n11,0,5,+,1,2\n", "RAh:RAm:RAs,DE-:DEd:DEm", [2]float64{157.625, -30.5 / 60}, ""},
		{"a blank sign is a plus", "RAh,RAm,DE-,DEd,DEm,DEs\n10,30.5,,5,30,0\n11,0.5,-,1,2,0\n", "RAh:RAm,DE-:DEd:DEm:DEs", [2]float64{157.625, 5.5}, ""},
		{"Rubin, degrees", "coord_ra,coord_dec\n10.0,1.0\n50,2\n", "coord_ra,coord_dec", [2]float64{10, 1}, ""},
		{"Rubin, radians", "coord_ra,coord_dec\n1.5707963267948966,0.5\n6,-1\n", "coord_ra,coord_dec", [2]float64{90, 0.5 * 180 / math.Pi}, "coord_ra and coord_dec are taken for radians: no unit is given, and all values are small enough"},
		{"hours by name", "ra_hours,dec\n10.5,1\n", "ra_hours,dec", [2]float64{157.5, 1}, "ra_hours is taken for hours, by its name"},
	} {
		cat := open(t, writeText(t, "t.csv", c.text))
		ra, dec, err := cat.Detect()
		if got := ra + "," + dec; err != nil || got != c.columns {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.columns)
			continue
		}
		if !cat.IsSky([]string{ra, dec}) {
			t.Errorf("%s: %s and %s are not on the sky", c.name, ra, dec)
		}
		units, notes, err := cat.Units(ra, dec, false)
		if err != nil || c.notes != "" && strings.Join(notes, "\n") != c.notes {
			t.Errorf("%s: notes %q, %v", c.name, notes, err)
		}
		if got := positions(t, cat, Request{Columns: []string{ra, dec}, Units: units})[0]; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Every spelling of right ascension in hours is recognised as RA and read in hours,
// whatever the unit of Dec.
func TestHoursByName(t *testing.T) {
	for _, names := range []string{"RA (hr),dec", "RA(hr),dec", "RA [hr],dec", "RA hr,dec", "ra.hr,dec", "RAhr,dec", "RA_hours,Dec_deg", "R.A. (hours),Dec. (deg)", "RAJ2000 (h),DEJ2000 (deg)", "RA(h),Dec",
		"ra_hrs,de", "RAhours,Decl", "right ascension (hours),declination (degrees)", "RA / hourangle,Dec / deg", "RA [Hour],DEC [Degree]"} {
		for _, text := range []string{"n," + names + "\n1,0.5,-1\n", "n," + names + "\n,,deg\n1,0.5,-1\n"} {
			cat := open(t, writeText(t, "t.csv", text))
			ra, dec, err := cat.Detect()
			if err != nil || ra+","+dec != names || !cat.IsSky([]string{ra, dec}) {
				t.Errorf("%s: %s, %s, %v", names, ra, dec, err)
				continue
			}
			units, _, err := cat.Units(ra, dec, false)
			if err != nil {
				t.Fatal(err)
			}
			if got := positions(t, cat, Request{Columns: []string{ra, dec}, Units: units})[0]; got != [2]float64{7.5, -1} {
				t.Errorf("%s: 0.5 hours are %v", text, got)
			}
		}
	}
	for names, want := range map[string][2]float64{"RA [rad],Dec [rad]": {90, 45}, "ra_rad,dec_rad": {90, 45}, "RA (deg),Dec (deg)": {math.Pi / 2, math.Pi / 4}, "RA_OBJ,DEC_OBJ": {math.Pi / 2, math.Pi / 4}} {
		cat := open(t, writeText(t, "t.csv", names+"\n1.5707963267948966,0.7853981633974483\n"))
		ra, dec, err := cat.Detect()
		if err != nil {
			t.Errorf("%s: %v", names, err)
			continue
		}
		units, _, err := cat.Units(ra, dec, false)
		if got := positions(t, cat, Request{Columns: []string{ra, dec}, Units: units})[0]; err != nil || got != want {
			t.Errorf("%s: %v, %v", names, got, err)
		}
	}
}

// VizieR says in the units which text is in hours.
func TestCoordinatesByUnit(t *testing.T) {
	cat := open(t, writeText(t, "t.tsv", "a\tb\n\"h:m:s\"\t\"d:m:s\"\n-----\t-----\n00 42 44.3\t+41 16 09\n"))
	if got := positions(t, cat, Request{Columns: []string{"b", "a"}}); got[0][0] != 148569./3600 {
		t.Errorf("b, in degrees, is %v", got)
	}
}

func TestCoordinatesHours(t *testing.T) {
	cat := open(t, writeText(t, "t.csv", "ra,dec\n10.5,1\n"))
	units, _, err := cat.Units("ra", "dec", true)
	if err != nil {
		t.Fatal(err)
	}
	if got := positions(t, cat, Request{Columns: []string{"ra", "dec"}, Units: units})[0]; got != [2]float64{157.5, 1} {
		t.Errorf("10.5 hours are %v", got)
	}
	cat = open(t, writeText(t, "t.csv", "ra,dec\ndeg,deg\n10.5,1\n"))
	if _, _, err := cat.Units("ra", "dec", true); err == nil {
		t.Error("degrees are taken for hours")
	}
}

// Text of coordinates is in degrees in filters and definitions, and text in tables.
func TestCoordinatesInExpressions(t *testing.T) {
	path := writeText(t, "t.csv", "n,RA,Dec,time\nA,00:42:44.3,+41:16:09,10:00:00\nB,10:30:00,-00:30:15,11:00:00\nC,n/a,,12:00:00\n")
	cat, err := Open(context.Background(), []string{path}, Options{Let: []string{"r = RA / 15", "h = hms(time)"}})
	if err != nil {
		t.Fatal(err)
	}
	for filter, want := range map[string][]bool{
		"RA > 100 and Dec < 0":     {false, true, false},
		"time = '11:00:00'":        {false, true, false},
		"h = 150":                  {true, false, false},
		"r < 1":                    {true, false, false},
		"RA > 100deg or isnan(RA)": {false, true, true},
	} {
		for b, err := range cat.Scan(context.Background(), Scan{Columns: []string{"RA"}, Where: filter}) {
			if err != nil {
				t.Fatalf("%s: %v", filter, err)
			}
			if !slices.Equal(b.Keep, want) {
				t.Errorf("%s keeps %v", filter, b.Keep)
			}
			if b.Columns[0].String[0] != "00:42:44.3" {
				t.Errorf("RA is no text: %v", b.Columns[0])
			}
		}
		s, err := cat.Select(context.Background(), Request{Columns: []string{"RA", "Dec"}, Metric: neighbors.Sky(), Where: filter, Empty: true})
		if err != nil {
			t.Fatalf("%s: %v", filter, err)
		}
		if !slices.Equal(s.Passed, want) {
			t.Errorf("%s: Select passes %v", filter, s.Passed)
		}
	}
	s, err := cat.Select(context.Background(), Request{Columns: []string{"RA", "Dec"}, Metric: neighbors.Sky()})
	if err != nil || len(s.Skipped) != 1 || s.Skipped[0].Why != WhyText || s.Skipped[0].Rows != 1 {
		t.Errorf("n/a: %+v, %v", s.Skipped, err)
	}
}

// RA and Dec that are in parts are in no table.
func TestCoordinatesInPartsHidden(t *testing.T) {
	path := writeText(t, "t.csv", "RAh,RAm,RAs,DE-,DEd,DEm,DEs\n10,30,0.5,-,0,30,15.0\n")
	cat, err := Open(context.Background(), []string{path}, Options{Let: []string{"x = \"RAh:RAm:RAs\" + 1"}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(cat.Fields()); n != 8 || cat.Fields()[7].Name != "x" || len(cat.Derived()) != 1 || len(cat.Stored()) != 7 {
		t.Errorf("%d fields, %d derived", n, len(cat.Derived()))
	}
	s, err := cat.Summary(context.Background())
	if err != nil || len(s.Columns) != 8 || s.Columns[7].Min != "158.50208333333333" {
		t.Errorf("summary of %d columns, %v: %+v", len(s.Columns), err, s.Columns[7])
	}
}

func TestCoordinatesOfFrames(t *testing.T) {
	for _, c := range []struct{ frame, text, columns string }{
		{"galactic", "l,b\n123.4,-12.3\n", "l,b"},
		{"galactic", "GLON,GLAT\n123.4,-12.3\n", "GLON,GLAT"},
		{"ecliptic", "ecl_lon,ecl_lat\n123.4,-12.3\n", "ecl_lon,ecl_lat"},
		{"fk5", "ra,dec\n123.4,-12.3\n", "ra,dec"},
	} {
		cat := open(t, writeText(t, "t.csv", c.text))
		lon, lat, err := cat.DetectIn(c.frame)
		if err != nil || lon+","+lat != c.columns {
			t.Errorf("%s: %s, %s, %v", c.frame, lon, lat, err)
			continue
		}
		m, _ := frame.Of(c.frame)
		ra, dec := m.Rotate(123.4, -12.3)
		if got := positions(t, cat, Request{Columns: []string{lon, lat}, Frame: c.frame})[0]; got != [2]float64{ra, dec} {
			t.Errorf("%s: %v, want %v %v", c.frame, got, ra, dec)
		}
	}
}

// The names that surveys and programs give to right ascension and declination are
// recognised, whatever the format.
func TestNamesOfPositions(t *testing.T) {
	for _, names := range []string{"R.A.,Dec.", "RAJ2000,DEJ2000", "_RAJ2000,_DEJ2000", "coord_ra,coord_dec", "ALPHA_J2000,DELTA_J2000", "ALPHAWIN_J2000,DELTAWIN_J2000", "ra_deg,dec_deg",
		"RA_ICRS,DE_ICRS", "RAdeg,DEdeg", "RA,DEC", "Ra,Decl", "ra_hours,dec", "raMean,decMean", "R.A. (J2000),Dec. (J2000)"} {
		ra, dec, err := open(t, writeText(t, "t.csv", "n,"+names+",x\n7,1.1,0.2,5\n8,1.2,0.3,6\n")).Detect()
		if err != nil || ra+","+dec != names {
			t.Errorf("%s: found %s, %s: %v", names, ra, dec, err)
		}
	}
	if ra, dec, err := open(t, writeText(t, "t.csv", "first,second\n1.1,0.2\n")).Detect(); err == nil {
		t.Errorf("%s, %s of columns that say nothing", ra, dec)
	}
}
