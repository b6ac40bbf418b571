package dbscan

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

func TestClustersFile(t *testing.T) {
	out := filepath.Join(t.TempDir(), "clusters.csv")
	in := cmdtest.CSVOf(t, "x,size", "0,1", "1,1", "2,1", "10,3", "11,3", "50,0")
	r := cmdtest.Succeed(t, "dbscan", in, "-c", "x,size", "--eps", "1", "--min-points", "2", "--clusters", out)
	for name, want := range map[string]string{
		"cluster":    "0 1",
		"size":       "3 2",
		"core":       "3 2",
		"x":          "1 10.5",
		"size_1":     "1 3",
		"x_std":      "0.816496580927726 0.5",
		"size_std":   "0 0",
		"extent":     "1 0.5",
		"nearest":    "1 0",
		"separation": "9.7082439194738 9.7082439194738",
	} {
		if got := strings.Join(cmdtest.Column(t, out, name), " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, part := range []string{"CLUSTER  SIZE  CORE", "  1.000  ", "  10.500  "} {
		if !strings.Contains(r.Stderr, part) {
			t.Errorf("the summary does not show %q:\n%s", part, r.Stderr)
		}
	}
}

// Extents are in the unit of --eps, and a cluster that is alone has no nearest.
func TestClustersOnTheSky(t *testing.T) {
	out := filepath.Join(t.TempDir(), "clusters.csv")
	in := cmdtest.CSVOf(t, "ra,dec", "359.9,0", "0.1,0")
	cmdtest.Succeed(t, "dbscan", in, "--eps", "15arcmin", "--min-points", "2", "--clusters", out, "-q")
	if got := cmdtest.Column(t, out, "extent"); len(got) != 1 || !strings.HasPrefix(got[0], "6.0000000") && !strings.HasPrefix(got[0], "5.9999999") && got[0] != "6" {
		t.Errorf("extent %v, want 6 arcmin", got)
	}
	if got := cmdtest.Column(t, out, "ra"); !slices.Equal(got, []string{"0"}) {
		t.Errorf("centre at RA %v", got)
	}
	for _, name := range []string{"nearest", "separation"} {
		if got := cmdtest.Column(t, out, name); !slices.Equal(got, []string{""}) {
			t.Errorf("%s of the only cluster is %q", name, got)
		}
	}
}

// A run without clusters still has its files, with their columns.
func TestNoClusters(t *testing.T) {
	dir := t.TempDir()
	in := cmdtest.CSVOf(t, "x", "0", "5")
	r := cmdtest.Succeed(t, "dbscan", in, "-c", "x", "--eps", "1", "--min-points", "2", "--clusters", dir+"/c.csv", "-o", dir+"/o.csv")
	if got := cmdtest.Column(t, dir+"/c.csv", "cluster"); len(got) != 0 {
		t.Errorf("clusters %v", got)
	}
	if got := cmdtest.Column(t, dir+"/o.csv", "cluster"); !slices.Equal(got, []string{"-1", "-1"}) {
		t.Errorf("labels %v", got)
	}
	if strings.Contains(r.Stderr, "CLUSTER") {
		t.Errorf("a table of no clusters:\n%s", r.Stderr)
	}
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "info", dir+"/c.csv", "--json"))
	if n := len(s.Result["columns"].([]any)); n != 8 {
		t.Errorf("%d columns, want 8", n)
	}
}

// NGC 103: the published centre, motion and parallax.
func TestRealCluster(t *testing.T) {
	out := filepath.Join(t.TempDir(), "clusters.csv")
	cmdtest.Succeed(t, "dbscan", cmdtest.TestData(t, "asteca_gaia_field.csv"), "-c", "RA_ICRS,DE_ICRS,pmRA,pmDE,Plx", "--metric", "sky",
		"--scale", "0.08deg,0.25,0.25,0.12", "--eps", "1", "--min-points", "15", "-q", "--clusters", out)
	for name, want := range map[string]string{"RA_ICRS": "6.3132", "DE_ICRS": "61.3284", "pmRA": "-2.808", "pmDE": "-1.065", "Plx": "0.289", "size": "286", "core": "215"} {
		got := cmdtest.Column(t, out, name)
		if len(got) != 1 {
			t.Fatalf("%s: %v", name, got)
		}
		decimals := len(want) - 1 - strings.Index(want, ".")
		if !strings.Contains(want, ".") {
			decimals = 0
		}
		if text := cmdtest.Rounded(t, got[0], decimals); text != want {
			t.Errorf("%s is %s, want %s", name, got[0], want)
		}
	}
}

func TestDecimals(t *testing.T) {
	for deviation, want := range map[float64]int{0.05: 4, 100: 0, 0: -1, 0.2: 3, 3: 2, 1e-30: 8, 1e300: 0} {
		if got := decimals(deviation); got != want {
			t.Errorf("a deviation of %v takes %d decimals, want %d", deviation, got, want)
		}
	}
}

func TestCentreText(t *testing.T) {
	for _, c := range []struct {
		v        float64
		decimals int
		want     string
	}{
		{1.23456, 2, "1.23"}, {1.75, -1, "1.75"}, {0, -1, "0"}, {-1e300, 0, "-1e+300"}, {123456, 0, "123456"}, {1. / 3, -1, "0.3333333333"},
	} {
		if got := centreText(c.v, c.decimals); got != c.want {
			t.Errorf("%v with %d decimals: %s, want %s", c.v, c.decimals, got, c.want)
		}
	}
}

// In a periodic box a filament longer than half of it has the same centre, spread
// and extent in any order of the rows.
func TestFilamentOverHalfABox(t *testing.T) {
	for _, name := range []string{"filament-over-half-a-box.csv", "filament-over-half-a-box-reordered.csv"} {
		out := filepath.Join(t.TempDir(), "clusters.csv")
		cmdtest.Succeed(t, "dbscan", filepath.Join("testdata", name), "-c", "x", "--box", "10", "--eps", "0.5", "--min-points", "2", "--clusters", out, "-q")
		for column, want := range map[string]string{"size": "17", "x": "9.20000", "x_std": "1.95959", "extent": "3.20000"} {
			got := cmdtest.Column(t, out, column)
			if column != "size" {
				got[0] = cmdtest.Rounded(t, got[0], 5)
			}
			if !slices.Equal(got, []string{want}) {
				t.Errorf("%s: %s is %v, want %s", name, column, got, want)
			}
		}
	}
}

// A cluster that goes all the way round the box has nulls for a centre, and the
// summary says so.
func TestRingAroundABox(t *testing.T) {
	out := filepath.Join(t.TempDir(), "clusters.csv")
	args := []string{"dbscan", filepath.Join("testdata", "ring-around-a-box.csv"), "-c", "x,y", "--box", "10", "--eps", "0.5", "--min-points", "2", "--clusters", out, "--force"}
	r := cmdtest.Succeed(t, args...)
	for _, part := range []string{"1 cluster goes all the way round the box", "none  none    none"} {
		if !strings.Contains(r.Stderr, part) {
			t.Errorf("the summary does not say %q:\n%s", part, r.Stderr)
		}
	}
	for _, name := range []string{"x", "x_std", "y", "y_std", "extent", "nearest", "separation"} {
		if got := cmdtest.Column(t, out, name); got[0] != "" || got[1] == "" || got[2] == "" {
			t.Errorf("%s: %q, want a null of the first only", name, got)
		}
	}
	if got := cmdtest.Column(t, out, "nearest"); got[1] != "2" || got[2] != "1" {
		t.Errorf("nearest %q", got)
	}
	cmdtest.Expect(t, cmdtest.SummaryOf(t, cmdtest.Succeed(t, append(args, "--json")...)).Result, map[string]int64{"clusters": 3, "wrapping": 1})
}
