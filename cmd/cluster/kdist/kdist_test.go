package kdist

import (
	"fmt"
	"os"
	"path/filepath"
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
