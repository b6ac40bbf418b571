package join

import (
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// Two stars whose RA differ by 0.1 s are 1.49994 arcsec apart at Dec -0.504, however
// the catalog has their coordinates, and whatever it says besides.
func TestCoordinatesAsCatalogsHaveThem(t *testing.T) {
	for name, rows := range map[string][]string{
		"text":    {"name,ra,dec", "A,10:30:00.5,-00:30:15.0", "B,10:30:00.6,-00:30:15.0"},
		"parts":   {"name,RAh,RAm,RAs,DE-,DEd,DEm,DEs", "A,10,30,0.5,-,0,30,15.0", "B,10,30,0.6,-,0,30,15.0"},
		"hours":   {"name,ra_hours,dec", "A,10.50013888888888889,-0.5041666666666667", "B,10.50016666666666667,-0.5041666666666667"},
		"radians": {"name,coord_ra,coord_dec", "A,2.7489300000,-0.00879936831", "B,2.7489372719,-0.00879936831"},
	} {
		out := filepath.Join(t.TempDir(), "out.csv")
		r := cmdtest.Succeed(t, "join", cmdtest.CSVOf(t, rows...), "--eps", "2arcsec", "--keep", "name", "-o", out)
		got := cmdtest.Lines(t, out)
		if len(got) != 2 || !strings.HasPrefix(got[1], "0,1,1.499") && !strings.HasPrefix(got[1], "0,1,1.500") {
			t.Errorf("%s: %q", name, got)
		}
		if name != "parts" && !strings.Contains(r.Stderr, "coordinates") {
			t.Errorf("%s: nothing is said of the coordinates: %s", name, r.Stderr)
		}
	}
	hours := cmdtest.CSVOf(t, "ra,dec", "10.5,1", "10.50001,1")
	out := filepath.Join(t.TempDir(), "out.csv")
	cmdtest.Succeed(t, "join", hours, "--ra-hours", "--eps", "1arcsec", "-q", "-o", out)
	if got := cmdtest.Lines(t, out); len(got) != 2 || !strings.HasPrefix(got[1], "0,1,0.53991") {
		t.Errorf("--ra-hours: %q", got)
	}
	cmdtest.Refuse(t, 2, []string{"join", hours, "--ra-hours", "--metric", "euclidean", "--eps", "1"}, "--ra-hours", "on the sky")
}

// Catalogs of two frames are joined in ICRS: M31 in galactic coordinates of ERFA.
func TestCatalogsOfTwoFrames(t *testing.T) {
	equatorial := cmdtest.CSVOf(t, "ra,dec", "10.684708333333333,41.26875")
	galactic := cmdtest.CSVOf(t, "l,b", "121.17432207911608,-21.573311154893908", "0,0")
	out := filepath.Join(t.TempDir(), "out.csv")
	cmdtest.Succeed(t, "join", equatorial, galactic, "--frame-b", "galactic", "--eps", "0.1arcsec", "-q", "-o", out)
	if got := cmdtest.Lines(t, out); len(got) != 2 || !strings.HasPrefix(got[1], "0,0,") {
		t.Errorf("%q", got)
	}
	cmdtest.Refuse(t, 2, []string{"join", equatorial, "--frame", "galactic", "--eps", "1arcsec"}, "galactic longitude and latitude")
}
