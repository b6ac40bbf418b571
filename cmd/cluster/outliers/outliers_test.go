package outliers

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

func TestCases(t *testing.T) {
	line := cmdtest.Values("x", 0, 0, 0, 0, 1, 2, 3.5, 10)
	for _, c := range []struct{ name, args, column, want string }{
		{"H23", "-k 2", "lof", "1 1 1 1 inf 1.3125 1.5714285714285714 3.883928571428571"},
		{"k-distance of lof", "-k 2", "kdistance", "0 0 0 0 1 1.5 2.5 8"},
		{"kdist", "-k 1 --method kdist", "kdist", "0 0 0 0 1 1 1.5 6.5"},
		{"glosh", "-k 3 --method glosh", "glosh", "0 0 0 0 1 1 1 1"},
		{"flag", "-k 2 --flag-above 1.5", "is_outlier", "false false false false true false true true"},
		{"ties", "-k 1 --neighbors ties", "kdistance", "0 0 0 0 1 1 1.5 6.5"},
	} {
		out := filepath.Join(t.TempDir(), "out.csv")
		cmdtest.Succeed(t, append([]string{"outliers", cmdtest.CSVOf(t, line...), "-c", "x", "-q", "-o", out}, strings.Fields(c.args)...)...)
		if got := strings.Join(cmdtest.Column(t, out, c.column), " "); got != c.want {
			t.Errorf("%s: %s %q, want %q", c.name, c.column, got, c.want)
		}
	}
	r := cmdtest.Succeed(t, "outliers", cmdtest.CSVOf(t, line...), "-c", "x", "-k", "2", "--json", "--top", "2", "--flag-above", "1.5", "-o", filepath.Join(t.TempDir(), "out.csv"))
	if !strings.Contains(r.Stdout, `"outliers":3`) || !strings.Contains(r.Stdout, `"top":[{"row":4,"lof":null},{"row":7,`) {
		t.Errorf("summary %s", r.Stdout)
	}
}

func TestRefused(t *testing.T) {
	in := cmdtest.CSVOf(t, cmdtest.Values("x", 0, 1, 2, 3)...)
	for _, c := range []struct{ args, says string }{
		{"--method glosh -k 99", "-k 99: it is more than the"},
		{"", "-k is needed"},
		{"-k 4", "number of other rows, 3"},
		{"-k 1 --method glosh", "at least 2"},
		{"-k 2 --method kdist --neighbors ties", "lof"},
		{"-k 2 --method loop", "lof, glosh, kdist"},
	} {
		cmdtest.Refuse(t, exit.Request, append([]string{"outliers", in, "-c", "x"}, strings.Fields(c.args)...), c.says)
	}
}

// Scores that are distances have their unit beside them, in JSON and in the table.
func TestUnitOfDistances(t *testing.T) {
	sky := cmdtest.CSVOf(t, "ra,dec", "10,0", "10.5,0", "11.5,0")
	for _, c := range []struct{ args, json, table string }{
		{"--method kdist", "1.8e+03 3.6e+03 arcsec", "kdist (arcsec)"},
		{"--method kdist --unit arcmin", "30 60 arcmin", "kdist (arcmin)"},
	} {
		args := append([]string{"outliers", sky, "-k", "1", "--top", "1"}, strings.Fields(c.args)...)
		s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append(args, "--json")...)).Result
		var median, most float64
		fmt.Sscan(fmt.Sprint(s["median"]), &median)
		fmt.Sscan(fmt.Sprint(s["max"]), &most)
		if got := fmt.Sprintf("%.3g %.3g %v", median, most, s["unit"]); got != c.json {
			t.Errorf("%s: %s, want %s", c.args, got, c.json)
		}
		if r := cmdtest.Succeed(t, args...); !strings.Contains(r.Stderr, c.table) {
			t.Errorf("%s: no %q in\n%s", c.args, c.table, r.Stderr)
		}
	}
	if r := cmdtest.Succeed(t, "outliers", sky, "-k", "1", "--json"); strings.Contains(r.Stdout, `"unit"`) {
		t.Errorf("a local outlier factor has no unit: %s", r.Stdout)
	}
}
