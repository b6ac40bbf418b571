package kdist

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// Case C03: K counts other rows, and there is one value for each row.
func TestKDist(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.csv")
	in := cmdtest.CSVOf(t, cmdtest.Values("x", 0, 1, 3, 7, 15)...)
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "kdist", in, "-c", "x", "-k", "2", "-o", out, "--json"))
	if got := cmdtest.Column(t, out, "kdist"); !slices.Equal(got, []string{"3", "2", "3", "6", "12"}) {
		t.Errorf("distances %v", got)
	}
	if got := cmdtest.Column(t, out, "row"); !slices.Equal(got, []string{"0", "1", "2", "3", "4"}) {
		t.Errorf("rows %v", got)
	}
	for key, want := range map[string]string{"rows": "5", "min": "2", "median": "3", "max": "12", "knee": "3", "eps": "3", "min_points": "3"} {
		if got := fmt.Sprint(s.Result[key]); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
}

func TestKDistOnTheSky(t *testing.T) {
	in := cmdtest.CSVOf(t, "ra,dec", "10,0", ",", "10.001,0", "10.003,0")
	for unit, want := range map[string]float64{"": 3.6, "arcsec": 3.6, "deg": 0.001, "arcmin": 0.06} {
		out := filepath.Join(t.TempDir(), "out.csv")
		args := []string{"kdist", in, "-k", "1", "-o", out, "-q"}
		if unit != "" {
			args = append(args, "--unit", unit)
		}
		cmdtest.Succeed(t, args...)
		var first float64
		if _, err := fmt.Sscan(cmdtest.Column(t, out, "kdist")[0], &first); err != nil || first < want*(1-1e-9) || first > want*(1+1e-9) {
			t.Errorf("in %q: %v, want %v (%v)", unit, first, want, err)
		}
		if got := cmdtest.Column(t, out, "row"); !slices.Equal(got, []string{"0", "2", "3"}) {
			t.Errorf("rows %v", got)
		}
	}
	table := cmdtest.Succeed(t, "kdist", in, "-k", "1").Stderr
	if !strings.Contains(table, "advice") || !strings.Contains(table, "--min-points 2") {
		t.Errorf("no advice in\n%s", table)
	}
}

func TestKDistPlots(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.parquet")
	cmdtest.Succeed(t, "gen", "clumps", "-n", "2000", "-q", "-o", in)
	cmdtest.Succeed(t, "kdist", in, "-c", "x,y", "-k", "4", "-q", "-p", dir+"/a.png", "-p", dir+"/a.svg", "-p", dir+"/a.pdf")
	for name, head := range map[string]string{"a.png": "\x89PNG", "a.svg": "<?xml", "a.pdf": "%PDF"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.HasPrefix(string(b), head) {
			t.Errorf("%s begins with %.8q (%v)", name, b, err)
		}
	}
}

func TestKDistRefuses(t *testing.T) {
	in := cmdtest.CSVOf(t, cmdtest.Values("x", 0, 1, 3)...)
	same := cmdtest.CSVOf(t, cmdtest.Values("x", 1, 1, 1, 1)...)
	cmdtest.Refuse(t, 2, []string{"kdist", in, "-c", "x"}, "-k is needed")
	cmdtest.Refuse(t, 2, []string{"kdist", in, "-c", "x", "-k", "0"}, "at least 1")
	cmdtest.Refuse(t, 2, []string{"kdist", in, "-c", "x", "-k", "3"}, "k=3, which is more than the number of other rows, 2")
	cmdtest.Refuse(t, 2, []string{"kdist", in, "-c", "x", "-k", "1", "--unit", "deg"}, "--unit deg")
	cmdtest.Refuse(t, 2, []string{"kdist", in, "-c", "x", "-k", "1", "--unit", "parsec"}, "--unit parsec", "arcsec")
	cmdtest.Refuse(t, 2, []string{"kdist"}, "no input file")
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "kdist", same, "-c", "x", "-k", "2", "--json"))
	if s.Result["knee"] != nil || fmt.Sprint(s.Result["max"]) != "0" {
		t.Errorf("identical rows: %v", s.Result)
	}
}

func TestRoundedUp(t *testing.T) {
	for x, want := range map[float64]float64{1: 1, 1.001: 1.01, 0.1234: 0.124, 999.5: 1000, 99.91: 100, 9.999: 10, 12345: 12400, 3e-10: 3e-10, 0.3: 0.3} {
		if got := roundedUp(x); got != want {
			t.Errorf("roundedUp(%v) = %v, want %v", x, got, want)
		}
	}
}

// NGC 103: the advice finds the one cluster that is there, of as many stars as have
// been published, and not the 8,526 of the knee.
func TestAdviceFindsTheCluster(t *testing.T) {
	field := []string{cmdtest.TestData(t, "asteca_gaia_field.csv"), "-c", "RA_ICRS,DE_ICRS,pmRA,pmDE,Plx", "--scale", "0.08deg,0.25,0.25,0.12"}
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append([]string{"kdist", "-k", "14", "--json"}, field...)...))
	if s.Result["eps_from"] != "plateau" {
		t.Errorf("eps is from the %v", s.Result["eps_from"])
	}
	found := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append([]string{"dbscan", "--eps", fmt.Sprint(s.Result["eps"]), "--min-points", fmt.Sprint(s.Result["min_points"]), "--json"}, field...)...))
	var stars int
	if _, err := fmt.Sscan(fmt.Sprint(found.Result["largest"]), &stars); err != nil || fmt.Sprint(found.Result["clusters"]) != "1" || stars < 247 || stars > 300 {
		t.Errorf("%v clusters, the largest of %v stars; want 1 of 247 to 300", found.Result["clusters"], found.Result["largest"])
	}
}

// Mock fields have six clusters, whatever their seed; on the sky distances are
// numbers, with their unit beside them.
func TestAdviceOnMocks(t *testing.T) {
	in := filepath.Join(t.TempDir(), "field.parquet")
	cmdtest.Succeed(t, "gen", "sky", "-n", "20000", "--seed", "7", "-o", in, "-q")
	r := cmdtest.Succeed(t, "kdist", in, "-c", "ra,dec,pmra,pmdec,parallax", "--scale", "0.25deg,0.6,0.6,0.2", "-k", "19", "--json")
	if p, ok := cmdtest.SummaryOf(t, r).Result["plateau"].(map[string]any); !ok || fmt.Sprint(p["clusters"]) != "6" {
		t.Errorf("not six clusters: %s", r.Stdout)
	}
	r = cmdtest.Succeed(t, "kdist", in, "-c", "ra,dec", "-k", "4", "--where", "phot_g_mean_mag < 14", "--unit", "arcmin", "--json")
	if !regexp.MustCompile(`"eps":[0-9.]+,"eps_from":"(plateau|knee)",.*"unit":"arcmin"`).MatchString(r.Stdout) {
		t.Errorf("eps or its unit: %s", r.Stdout)
	}
}

// Where --memory leaves no room for a scan the advice points to one.
func TestAdviceWithoutScan(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.parquet")
	cmdtest.Succeed(t, "gen", "clumps", "-n", "20000", "-q", "-o", in)
	r := cmdtest.Succeed(t, "kdist", in, "-c", "x,y", "-k", "4", "--memory", "12MB")
	for _, part := range []string{"'cluster scan --min-points 5'", "the knee"} {
		if !strings.Contains(r.Stderr, part) {
			t.Errorf("the advice does not say %q:\n%s", part, r.Stderr)
		}
	}
	if strings.Contains(r.Stderr, "plateau") {
		t.Errorf("a plateau without a scan:\n%s", r.Stderr)
	}
}
