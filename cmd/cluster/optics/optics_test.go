package optics

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

func TestCases(t *testing.T) {
	line := cmdtest.Values("x", 4, 0, 1, 2, 3, 9, 10, 11, 30)
	for _, c := range []struct{ name, args, column, want string }{
		{"order", "--min-samples 3", "order", "0 3 2 1 4 5 6 7 8"},
		{"reachability", "--min-samples 3", "reachability", "inf 1 1 2 1 5 2 1 19"},
		{"core", "--min-samples 3", "core_distance", "2 2 1 1 1 2 1 2 20"},
		{"predecessor", "--min-samples 3", "predecessor", "-1 2 3 0 3 0 5 6 7"},
		{"H21 1", "--min-samples 3 --extract dbscan:1", "cluster", "-1 0 0 0 0 -1 1 1 -1"},
		{"H21 2", "--min-samples 3 --extract dbscan:2", "cluster", "0 0 0 0 0 1 1 1 -1"},
		{"H21 xi", "--min-samples 3 --extract xi:0.2 --min-cluster-size 3", "cluster", "0 0 0 0 0 1 1 1 1"},
		{"max-eps", "--min-samples 3 --max-eps 1.5", "core_distance", "inf inf 1 1 1 inf 1 inf inf"},
	} {
		out := filepath.Join(t.TempDir(), "out.csv")
		cmdtest.Succeed(t, append([]string{"optics", cmdtest.CSVOf(t, line...), "-c", "x", "-q", "-o", out}, strings.Fields(c.args)...)...)
		if got := strings.Join(cmdtest.Column(t, out, c.column), " "); got != c.want {
			t.Errorf("%s: %s %q, want %q", c.name, c.column, got, c.want)
		}
	}
}

func TestFigure(t *testing.T) {
	in := cmdtest.CSVOf(t, cmdtest.Values("x", 4, 0, 1, 2, 3, 9, 10, 11, 30)...)
	for _, extract := range []string{"", "dbscan:2"} {
		path := filepath.Join(t.TempDir(), "curve.svg")
		args := []string{"optics", in, "-c", "x", "-q", "--min-samples", "3", "--plot-reachability", path}
		if extract != "" {
			args = append(args, "--extract", extract)
		}
		cmdtest.Succeed(t, args...)
		cmdtest.Refuse(t, exit.Request, args, "exists", "--force")
		cmdtest.Succeed(t, append(args, "--force")...)
		if b, err := os.ReadFile(path); err != nil || !strings.Contains(string(b), "<svg") {
			t.Errorf("%q: %v", extract, err)
		}
	}
}

func TestRefused(t *testing.T) {
	in := cmdtest.CSVOf(t, cmdtest.Values("x", 0, 1, 2, 3)...)
	for _, c := range []struct{ args, says string }{
		{"", "--min-samples is needed"},
		{"--min-samples 0", "at least 1"},
		{"--min-samples 2.5", "whole"},
		{"--min-samples 5", "min-samples 5, which is more than the number of rows, 4"},
		{"--min-samples 2 --extract dbscan:x", `"x"`},
		{"--min-samples 2 --extract xi:1", "below 1"},
		{"--min-samples 2 --extract k", "dbscan:E"},
		{"--min-samples 2 --extract dbscan:3 --max-eps 2", "above --max-eps 2"},
		{"--min-samples 2 --extract dbscan:3 --min-cluster-size 2", "xi"},
	} {
		cmdtest.Refuse(t, exit.Request, append([]string{"optics", in, "-c", "x"}, strings.Fields(c.args)...), c.says)
	}
}
