package scan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// Every step is what dbscan finds at that radius.
func TestStepsAreThoseOfDBSCAN(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.parquet")
	cmdtest.Succeed(t, "gen", "clumps", "-n", "1500", "--seed", "4", "-q", "-o", in)
	out := filepath.Join(t.TempDir(), "steps.csv")
	cmdtest.Succeed(t, "scan", in, "-c", "x,y", "--eps", "0.25:4:5", "--min-points", "4,8", "-q", "-o", out)
	eps, minPoints := cmdtest.Column(t, out, "eps"), cmdtest.Column(t, out, "min_points")
	if want := strings.Fields("0.25 0.5 1 2 4 0.25 0.5 1 2 4"); !near(eps, want) {
		t.Fatalf("radii %v", eps)
	}
	for i := range eps {
		s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "dbscan", in, "-c", "x,y", "--eps", eps[i], "--min-points", minPoints[i], "--json"))
		for _, name := range []string{"clusters", "core", "border", "noise", "largest"} {
			if got, want := cmdtest.Column(t, out, name)[i], fmt.Sprint(s.Result[name]); got != want {
				t.Errorf("--eps %s --min-points %s: %s is %s, dbscan finds %s", eps[i], minPoints[i], name, got, want)
			}
		}
	}
}

// Radii are printed as they were given, and dbscan takes each as it is printed for
// the same radius.
func TestRadiiOnTheSky(t *testing.T) {
	in := cmdtest.CSVOf(t, "ra,dec", "10,0", "10.0001,0", "10.0003,0", "10.0007,0")
	out := filepath.Join(t.TempDir(), "steps.csv")
	for given, want := range map[string][2]string{"0.1arcsec:0.7arcsec:3": {"0.1", "0.7"}, "0.3deg:3deg:4": {"0.3", "3"}, "0.07arcmin:1.1arcmin:2": {"0.07", "1.1"}} {
		r := cmdtest.Succeed(t, "scan", in, "--eps", given, "--min-points", "2", "-o", out, "--force")
		eps := cmdtest.Column(t, out, "eps")
		if got := [2]string{eps[0], eps[len(eps)-1]}; got != want {
			t.Errorf("--eps %s: radii %v", given, eps)
		}
		if !strings.Contains(r.Stderr, want[0]) {
			t.Errorf("--eps %s: the summary lacks %s:\n%s", given, want[0], r.Stderr)
		}
	}
}

// Rows that are all duplicates have no curve to take radii from.
func TestDuplicatesAreAdvisedOn(t *testing.T) {
	in := cmdtest.CSVOf(t, "x", "5", "5", "5", "5")
	if r := cmdtest.Succeed(t, "scan", in, "-c", "x", "--min-points", "2"); !strings.Contains(r.Stderr, "give --eps LO:HI:N") {
		t.Errorf("it says %s", r.Stderr)
	}
}

// The numbers of rows are numbers in the summary, and what is wrong with one is
// said of the flag.
func TestMinPoints(t *testing.T) {
	in := cmdtest.CSVOf(t, "x", "1", "2", "3", "5")
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "scan", in, "-c", "x", "--min-points", "2,3", "--json"))
	if got := fmt.Sprint(s.Parameters["min_points"]); got != "[2 3]" {
		t.Errorf("min_points %s", got)
	}
	cmdtest.Refuse(t, 2, []string{"scan", in, "-c", "x", "--min-points", "5"}, "--min-points 5: it is more than the 4 rows")
}

// near compares numbers that are written with all digits.
func near(got, want []string) bool {
	return slices.EqualFunc(got, want, func(a, b string) bool {
		var x, y float64
		fmt.Sscan(a, &x)
		fmt.Sscan(b, &y)
		return x > y*(1-1e-12) && x < y*(1+1e-12)
	})
}

// The known answers of real catalogs, without a radius given.
func TestKnownAnswers(t *testing.T) {
	folder := os.Getenv("SKYJOIN_TESTDATA")
	if folder == "" {
		t.Skip("SKYJOIN_TESTDATA is not set: no real catalogs to test on")
	}
	plateau := func(args ...string) map[string]any {
		s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append([]string{"scan", "--json"}, args...)...))
		return s.Result["plateau"].(map[string]any)
	}
	number := func(p map[string]any, key string) (v float64) {
		fmt.Sscan(fmt.Sprint(p[key]), &v)
		return v
	}
	p := plateau(filepath.Join(folder, "asteca_gaia_field.csv"), "-c", "RA_ICRS,DE_ICRS,pmRA,pmDE,Plx", "--scale", "0.08deg,0.25,0.25,0.12", "--min-points", "15")
	if n := number(p, "largest"); number(p, "clusters") != 1 || n < 247 || n > 300 {
		t.Errorf("NGC 103: %v", p)
	}
	p = plateau(filepath.Join(folder, "shapley_galaxies.csv"), "--metric", "sky", "--min-points", "10", "--unit", "deg")
	if number(p, "first") > .15 || number(p, "last") < .15 {
		t.Errorf("the plateau of shapley is without 0.15 deg: %v", p)
	}
}

func TestScanRefuses(t *testing.T) {
	in := cmdtest.CSVOf(t, "ra,dec,x", "10,0,1", "11,0,2", "12,0,3")
	for _, c := range []struct {
		args string
		want string
	}{
		{"-c x", "--min-points is needed"},
		{"-c x --min-points 1", "whole number of at least 2"},
		{"-c x --min-points 2,2", "2 is listed twice"},
		{"-c x --min-points 2 --eps 1", "LO:HI:N"},
		{"-c x --min-points 2 --eps 2:1:5", "must be less than the last"},
		{"-c x --min-points 2 --eps 1:2:1", "from 2 to 10000"},
		{"-c x --min-points 2 --eps -1:2:5", "must be positive"},
		{"-c x --min-points 2 --eps 1deg:2deg:5", "1deg"},
		{"--min-points 2 --eps 1:2:5", "needs a unit on the sky"},
		{"-c x --min-points 2,3 -p a.png", "a figure shows one scan"},
		{"-c x --min-points 2 --unit deg", "not angles"},
	} {
		cmdtest.Refuse(t, 2, append([]string{"scan", in}, strings.Fields(c.args)...), c.want)
	}
	cmdtest.Succeed(t, "scan", in, "--eps", "1:2deg:3", "--min-points", "2", "-q") // LO has the unit of HI
	out := cmdtest.Succeed(t, "scan", in, "-c", "x", "--min-points", "2", "--eps", "0.1:0.2:3").Stderr
	if !strings.Contains(out, "has no plateau") {
		t.Errorf("no clusters, and no word of it:\n%s", out)
	}
}
