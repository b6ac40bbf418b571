package gen

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/internal/mock"
)

// Every kind is written, read back, and the same with any number of threads.
func TestGen(t *testing.T) {
	for _, kind := range mock.Kinds() {
		for _, ext := range []string{".parquet", ".csv"} {
			if ext == ".csv" && kind.Name != "sky" {
				continue // the table is the same
			}
			var want []byte
			for _, threads := range []string{"1", "3"} {
				out := filepath.Join(t.TempDir(), kind.Name+ext)
				r := cmdtest.Succeed(t, "gen", kind.Name, "-n", "70000", "-t", threads, "-o", out, "--json")
				cmdtest.Expect(t, cmdtest.SummaryOf(t, r).Result, map[string]int64{"rows": 70000})
				got, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				if want != nil && string(got) != string(want) {
					t.Errorf("%s%s depends on threads", kind.Name, ext)
				}
				want = got
				if s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "info", out, "--json")); s.Input.Rows != 70000 {
					t.Errorf("%s%s has %d rows", kind.Name, ext, s.Input.Rows)
				}
			}
		}
	}
}

func TestGenSeeds(t *testing.T) {
	rows := "5"
	out := func(args ...string) string {
		path := filepath.Join(t.TempDir(), "x.csv")
		cmdtest.Succeed(t, append([]string{"gen", "uniform", "-n", rows, "-q", "-o", path}, args...)...)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if out() != out("--seed", "0") || out() == out("--seed", "1") {
		t.Error("rows do not follow the seed")
	}
	if got := strings.Count(strings.SplitN(out("--dim", "5"), "\n", 2)[0], ","); got != 4 {
		t.Errorf("--dim 5 gives %d commas in the header", got)
	}
	rows = "0"
	if got := out(); strings.Count(got, "\n") != 1 {
		t.Errorf("no rows: %q", got)
	}
}

func TestGenRefuses(t *testing.T) {
	dir := t.TempDir()
	for args, parts := range map[string]string{
		"":                             "uniform",
		"sky":                          "-o is needed",
		"galaxies -o x.parquet":        `"galaxies"|sky`,
		"sky uniform -o x.parquet":     "one kind",
		"sky -n -1 -o x.parquet":       "--rows -1",
		"sky -n many -o x.parquet":     "--rows many",
		"sky --dim 3 -o x.parquet":     "--dim belongs to uniform",
		"uniform --faint 3 -o x.csv":   "--faint belongs to sky",
		"uniform --dim 99 -o x.csv":    "99",
		"sky --faint 99 -o x.csv":      "99",
		"sky --centre 1 -o x.csv":      "--centre 1",
		"sky --centre 1,b -o x.csv":    `"b" is not a number`,
		"sky --seed x -o x.csv":        "--seed x|whole number",
		"sky --seed -1 -o x.csv":       "--seed -1|18446744073709551615",
		"sky --radius 0 -o x.csv":      "--radius 0|must not be 0",
		"sky --faint 0 -o x.csv":       "--faint 0|must not be 0",
		"sky -o x.doc":                 ".parquet",
		"sky -o - --json":              "stdout",
		"sky -o " + dir + "/no/x.csv ": "no/x.csv",
	} {
		status := exit.Request
		if strings.Contains(args, "/no/") {
			status = exit.Failed
		}
		cmdtest.Refuse(t, status, append([]string{"gen"}, strings.Fields(args)...), strings.Split(parts, "|")...)
	}
}

// Pixels that stick out of a catalog are pointed out; such as fit it are not,
// and neither are such as have too few rows to tell.
func TestRandomsBeyondEdges(t *testing.T) {
	dir := t.TempDir()
	box := filepath.Join(dir, "box.parquet")
	cmdtest.Succeed(t, "gen", "randoms", "-n", "20000", "--ra", "350,10", "--dec=-10,10", "-o", box, "-q")
	sky := filepath.Join(dir, "sky.parquet")
	cmdtest.Succeed(t, "gen", "randoms", "-n", "20000", "-o", sky, "-q")
	for _, c := range []struct {
		catalog, nside string
		noted          bool
	}{{box, "16", true}, {box, "64", true}, {box, "128", false}, {sky, "4", false}, {sky, "16", false}} {
		line := []string{"gen", "randoms", "-n", "10", "--footprint", c.catalog, "--nside", c.nside, "--force", "-o", filepath.Join(dir, "r.csv")}
		r := cmdtest.Succeed(t, line...)
		if got := strings.Contains(r.Stderr, "lie beyond the edges of the catalog"); got != c.noted {
			t.Errorf("%s: noted %v, want %v: %s", strings.Join(line, " "), got, c.noted, r.Stderr)
		}
		if r = cmdtest.Succeed(t, append(line, "--json")...); strings.Contains(r.Stdout, `"beyond_edges":`) != c.noted {
			t.Errorf("%s: %s", strings.Join(line, " "), r.Stdout)
		}
	}
}

func TestBeyondEdges(t *testing.T) {
	for _, c := range []struct {
		counts []int
		want   float64
	}{
		{nil, 0},
		{[]int{20}, 0},
		{[]int{10, 20, 20, 20, 10}, 0.2},
		{[]int{10, 20, 1000, 20, 10}, 0}, // a cluster
		{[]int{1, 2, 2, 2, 1}, 0},        // too few
	} {
		if got := beyondEdges(c.counts); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("beyondEdges(%v) = %v, want %v", c.counts, got, c.want)
		}
	}
}
