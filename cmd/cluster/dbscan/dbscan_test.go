package dbscan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

func TestDBSCANCases(t *testing.T) {
	bridge := cmdtest.Values("x", 0, 0.2, 0.4, 1, 1.6, 1.8, 2)
	three := cmdtest.Values("x", 0, 1, 2)
	twoSides := cmdtest.Values("x", -.5, -.5, -.5, -.5, 0, 1, 2, 2.5, 2.5, 2.5, 2.5)
	for _, c := range []struct {
		name  string
		lines []string
		args  string
		want  string
	}{
		{"C01a", bridge, "-c x --eps 0.65 --min-points 4", "0 0 0 0 1 1 1"},
		{"C01a star", bridge, "-c x --eps 0.65 --min-points 4 --star", "-1 -1 0 -1 1 -1 -1"},
		{"C01b", three, "-c x --eps 1 --min-points 3", "0 0 0"},
		{"C01b star", three, "-c x --eps 1 --min-points 3 --star", "-1 0 -1"},
		{"C03a", cmdtest.Values("x", 0, 1, 3, 7, 15), "-c x --eps 1 --min-points 2", "0 0 -1 -1 -1"},
		{"C25", twoSides, "-c x --eps 1 --min-points 4", "0 0 0 0 0 0 1 1 1 1 1"},
		{"C25 nearest", twoSides, "-c x --eps 1 --min-points 4 --border nearest", "0 0 0 0 0 0 1 1 1 1 1"},
		{"C05", []string{"x,y,z", "0,0,0", "1,1,1"}, "-c x,y,z --eps 1.7320508075688772 --min-points 2", "0 0"},
		{"C07", []string{"x,y", "1000000000,0", "1000000000.25,0", "1000000040,0"}, "-c x,y --eps 1 --min-points 2", "0 0 -1"},
		{"C07 near", cmdtest.Values("x", 100000, 100001), "-c x --eps 0.5 --min-points 2", "-1 -1"},
		{"C09a", []string{"ra,dec", "0,0", "7,0"}, "--eps 0.8deg --min-points 2", "-1 -1"},
		{"C09b", []string{"ra,dec", "10,80", "11,80"}, "--eps 0.2deg --min-points 2", "0 0"},
		{"C09b swapped", []string{"ra,dec", "10,80", "11,80"}, "-c dec,ra --metric sky --eps 0.2deg --min-points 2", "-1 -1"},
		{"C11", []string{"ra,dec", "0,89.9999", "180,89.9999"}, "--eps 1arcsec --min-points 2", "0 0"},
		{"C13", []string{"ra,dec", "10,0", ",", "0,0"}, "--eps 1deg --min-points 1", "0  1"},
		{"C13 pairs", []string{"ra,dec", "10,0", ",", "0,0"}, "--eps 1deg --min-points 2", "-1  -1"},
		{"across RA 0", []string{"ra,dec", "359.9999,0", "0.0001,0"}, "--eps 1arcsec --min-points 2", "0 0"},
		{"periodic", cmdtest.Values("x", 0.5, 9.5, 5), "-c x --box 10 --eps 1 --min-points 2", "0 0 -1"},
		{"open box", []string{"x,y", "0.5,0", "9.5,0"}, "-c x,y --box 0,10 --eps 1 --min-points 2", "-1 -1"},
		{"weights", []string{"x,w", "0,1", "0.5,2", "9,2.5"}, "-c x --eps 1 --min-points 2.5 --weights w", "0 0 1"},
		{"scale", []string{"x,y", "0,0", "1,100", "9,0"}, "-c x,y --scale 1,100 --eps 1.5 --min-points 2", "0 0 -1"},
		{"standard", cmdtest.Values("x", 0, 2, 4, 6, 8), "-c x --scale standard --eps 0.71 --min-points 2", "0 0 0 0 0"}, // √8: 2 is 0.7071
		{"standard below", cmdtest.Values("x", 0, 2, 4, 6, 8), "-c x --scale standard --eps 0.707 --min-points 2", "-1 -1 -1 -1 -1"},
		{"robust", cmdtest.Values("x", 0, 2, 1000, 4, 6, 8), "-c x --scale robust --eps 0.401 --min-points 2", "0 0 -1 0 0 0"}, // from 2.5 to 7.5
		{"robust below", cmdtest.Values("x", 0, 2, 1000, 4, 6, 8), "-c x --scale robust --eps 0.399 --min-points 2", "-1 -1 -1 -1 -1 -1"},
		{"minmax", cmdtest.Values("x", 0, 2, 8), "-c x --scale minmax --eps 0.25 --min-points 2", "0 0 -1"},
		{"where", []string{"x,g", "0,1", "0.5,5", "1,1"}, "-c x --eps 0.6 --min-points 2 --where g<3", "-1  -1"},
		{"null", cmdtest.Values("x", 0, -999, 0.5, -998.5), "-c x --eps 1 --min-points 2 --null -999", "0  0 -1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.csv")
			args := append([]string{"dbscan", cmdtest.CSVOf(t, c.lines...), "-q", "-o", out}, strings.Fields(c.args)...)
			r := cmdtest.Succeed(t, args...)
			if r.Stdout != "" || r.Stderr != "" {
				t.Errorf("with --quiet it wrote %q to stdout and %q to stderr", r.Stdout, r.Stderr)
			}
			if got := strings.Join(cmdtest.Column(t, out, "cluster"), " "); got != c.want {
				t.Errorf("labels %q, want %q", got, c.want)
			}
		})
	}
}

// Labels and every byte of the output are the same with any number of threads.
func TestThreadsDoNotMatter(t *testing.T) {
	lines := []string{"id,ra,dec"}
	for i := range 3000 {
		lines = append(lines, fmt.Sprintf("%d,%v,%v", i, float64(i*7919%3000)/100, float64(i*104729%3000)/1000))
	}
	in := cmdtest.CSVOf(t, lines...)
	for _, ext := range []string{".csv", ".parquet"} {
		var want []byte
		for _, threads := range []string{"1", "2", "7"} {
			out := filepath.Join(t.TempDir(), "out"+ext)
			clusters := filepath.Join(t.TempDir(), "clusters"+ext)
			cmdtest.Succeed(t, "dbscan", in, "--eps", "0.12deg", "--min-points", "4", "-q", "-t", threads, "-o", out, "--clusters", clusters, "--counts")
			var got []byte
			for _, path := range []string{out, clusters} {
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, b...)
			}
			if want == nil {
				want = got
			} else if string(got) != string(want) {
				t.Errorf("%s with %s threads differs from 1 thread", ext, threads)
			}
		}
	}
}

func TestDBSCANRefuses(t *testing.T) {
	flat := cmdtest.CSVOf(t, "x,y,name", "1,2,a", "3,4,b")
	sky := cmdtest.CSVOf(t, "ra,dec,pmra", "1,2,0", "3,4,1")
	both := cmdtest.CSVOf(t, "RA,ra,dec,a,aa,a.b", "1,2,3,4,5,6", "1,2,3,4,5,6")
	good := "--eps 1 --min-points 2"
	for _, c := range []struct {
		status int
		file   string
		args   string
		parts  string // separated by |
	}{
		{2, flat, "-c x,y --min-points 2", "--eps is needed"},
		{2, flat, "-c x,y --eps 1", "--min-points is needed"},
		{2, flat, "-c x,y --eps -1 --min-points 2", "--eps -1|positive"},
		{2, flat, "-c x,y --eps NaN --min-points 2", "--eps NaN|positive"},
		{2, flat, "-c x,y --eps inf --min-points 2", "--eps inf|finite"},
		{2, flat, "-c x,y --eps wide --min-points 2", "--eps wide|not a number"},
		{2, flat, "-c x,y --eps 1 --min-points 0", "--min-points 0|at least 1"},
		{2, flat, "-c x,y --eps 1 --min-points 0.5", "--min-points 0.5|at least 1"},
		{2, flat, "-c x,y --eps 1 --min-points -4", "--min-points -4|at least 1"},
		{2, flat, "-c x,y --eps 1 --min-points NaN", "--min-points NaN"},
		{2, flat, "-c x,y --eps 1 --min-points 2.5", "--min-points 2.5|whole"},
		{2, flat, "-c x,y --eps 1deg --min-points 2", "--eps 1deg|plain number"},
		{2, sky, "--eps 1.5 --min-points 2", "--eps 1.5 needs a unit on the sky: 1.5deg, 1.5arcmin, 1.5arcsec or 1.5rad"},
		{2, sky, "--eps 200deg --min-points 2", "--eps 200deg|at most 180deg"},
		{2, sky, "--eps 1furlong --min-points 2", `unknown unit "furlong"`},
		{2, sky, "-c ra,dec,pmra --eps 1 --min-points 2", "needs scales|--scale 0.5deg,0.4"},
		{2, sky, "-c ra,dec,pmra --scale 1,1 --eps 1 --min-points 2", "--scale 1 needs a unit"},
		{2, sky, "-c ra,dec,pmra --scale 1deg --eps 1 --min-points 2", "1 item, 2 needed"},
		{2, sky, "-c ra,dec,pmra --scale 1deg,1 --eps 1deg --min-points 2", "plain number"},
		{2, flat, good, "--columns x,y"},
		{2, cmdtest.CSVOf(t, "x", "1"), good, "name the coordinate columns"},
		{2, flat, "-c x,z " + good, "z"},
		{2, flat, "-c x,X " + good, "X|x"},
		{2, sky, "-c RA,Dec --eps 1deg --min-points 2", "no column \"RA\"; did you mean ra?"},
		{2, sky, "-c ra,dec,pm --eps 1 --min-points 2", `no column "pm"; did you mean pmra?`},
		{2, flat, "-c x,x " + good, "x is listed twice"},
		{2, flat, "-c x,name " + good, "name"},
		{2, both, "-c a,Dec " + good, "Dec|dec"},
		{2, both, "--eps 1deg --min-points 2", "RA|ra"},
		{2, flat, "-c x,y --metric manhattan " + good, "euclidean, sky, periodic"},
		{2, flat, "-c x --metric sky --eps 1deg --min-points 2", "needs two columns"},
		{2, flat, "-c x,y --metric periodic " + good, "needs --box"},
		{2, flat, "-c x,y --box 1.5 --eps 1 --min-points 2", "--eps 1|half|1.5"},
		{2, flat, "-c x,y --weights y --eps 1 --min-points 0", "--min-points 0|positive"},
		{2, flat, "-c x,y --box 1,2,3 " + good, "3 sides|2 columns"},
		{2, flat, "-c x,y --box 10 --metric euclidean " + good, "--box 10"},
		{2, flat, "-c x,y --distance y --metric euclidean " + good, "--distance y"},
		{2, flat, "-c x,y --where x>>2 " + good, ">"},
		{2, flat, "-c x,y --border last " + good, "first, nearest"},
		{2, flat, "-c x,y --device tpu " + good, "auto, cpu, gpu, hybrid"},
		{1, flat, "-c x,y --device gpu " + good, "--device gpu|" + cmdtest.WhyNoGPU},
		{1, flat, "-c x,y --device hybrid " + good, cmdtest.WhyNoGPU},
		{2, flat, "-c x,y --threads 0 " + good, "--threads 0|at least 1"},
		{2, flat, "-c x,y --memory lots " + good, "--memory lots|8GiB"},
		{2, flat, "-c x,y --memory 1B " + good, "--memory"},
		{2, flat, "-c x,y --json -o - " + good, "--json and -o -"},
		{2, flat, "-c x,y -p map.gif " + good, ".png"},
		{2, flat, "-c x -p map.png " + good, "two coordinates"},
		{2, flat, "-c x,y -o out.xyz " + good, ".parquet"},
		{2, flat, "-c x,y --clusters - " + good, "only -o"},
		{2, flat, "-c x,y --minpoints 2 --eps 1", "did you mean --min-points?"},
		{2, flat, "-c x,y --esp 2", "did you mean --eps?"},
		{2, flat, "-c x,y --weights w " + good, "w"},
		{1, filepath.Join(t.TempDir(), "none.parquet"), "-c x,y " + good, "none.parquet"},
		{1, cmdtest.CSVOf(t, "x,y"), "-c x,y " + good, "in.csv"},
		{1, cmdtest.CSVOf(t, "x,y", ",1", "nan,2", "inf,3"), "-c x,y " + good, "x"},
		{1, cmdtest.CSVOf(t, "x,y", "1,1", ",2"), "-c x,y --strict " + good, "1|x"},
		{1, cmdtest.Write(t, "bad.parquet", "this is no Parquet file"), "-c x,y " + good, "bad.parquet"},
		{1, cmdtest.Write(t, "empty.csv", ""), "-c x,y " + good, "empty.csv"},
		{2, cmdtest.CSVOf(t, "x,y", "1,1", "1,2"), "-c x,y --scale standard " + good, "--scale standard: x"},
		{1, flat, "-c x,y -o " + filepath.Join(t.TempDir(), "no/such/folder/out.csv") + " " + good, "no/such/folder"},
	} {
		cmdtest.Refuse(t, c.status, append([]string{"dbscan", c.file}, strings.Fields(c.args)...), strings.Split(c.parts, "|")...)
	}
	cmdtest.Refuse(t, 2, []string{"dbscan"}, "no input file")
	cmdtest.Refuse(t, 2, []string{"dbscan", cmdtest.CSVOf(t, "RA,ra,Dec,dec", "1,2,3,4"), "--eps", "1deg", "--min-points", "2"}, "as in --columns RA,Dec")
	// Only what is named like a coordinate is an example.
	for header, says := range map[string]string{
		"MajAx,MinAx,PA": "name the coordinate columns with --columns; columns of numbers are MajAx, MinAx, PA",
		"id,X,Y":         "as in --columns X,Y",
		"m,Z,X,Y":        "as in --columns X,Y,Z",
		"cluster,l,b":    "as in --columns l,b",
		"cluster,x":      "columns of numbers are cluster, x",
	} {
		in := cmdtest.CSVOf(t, header, strings.Repeat("1,", strings.Count(header, ","))+"1")
		cmdtest.Refuse(t, 2, []string{"dbscan", in, "--eps", "1", "--min-points", "2"}, says)
	}
	for _, flag := range []string{"-o", "--clusters", "-p", "--weights", "--where", "--distance"} {
		cmdtest.Refuse(t, 2, append([]string{"dbscan", flat, "-c", "x,y", flag, ""}, strings.Fields(good)...), "is empty; give it a value or leave it out")
	}
	long := strings.Repeat("a", 100_000)
	r := cmdtest.Cluster(t, append([]string{"dbscan", cmdtest.CSVOf(t, long, "1"), "-c", long + "b"}, strings.Fields(good)...)...)
	if r.Status != exit.Request || len(r.Stderr) > 600 || !strings.Contains(r.Stderr, "there is no column") {
		t.Errorf("status %d, %d bytes: %.100s", r.Status, len(r.Stderr), r.Stderr)
	}
	cmdtest.Refuse(t, 2, append([]string{"dbscan", cmdtest.CSVOf(t, "x\x1b[2J,y\xff", "1,2"), "-c", "z"}, strings.Fields(good)...), `x\x1b[2J`, `y`)
}

// A file from which bytes are missing is not copied into an output, even where
// the columns that are read lie before the damage.
func TestDamageIsNotCopied(t *testing.T) {
	dir := t.TempDir()
	in, bad, out := filepath.Join(dir, "in.parquet"), filepath.Join(dir, "bad.parquet"), filepath.Join(dir, "out.parquet")
	cmdtest.Succeed(t, "gen", "sky", "-n", "2000", "-q", "-o", in)
	b, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	b = slices.Insert(b, len(b)*3/5, 0, 0, 0)
	if err := os.WriteFile(bad, b, 0o644); err != nil {
		t.Fatal(err)
	}
	cmdtest.Refuse(t, 1, []string{"dbscan", bad, "-c", "ra,dec", "--eps", "1arcmin", "--min-points", "5", "-q", "-o", out}, "bad.parquet", "damaged")
	if left, _ := filepath.Glob(filepath.Join(dir, "*out*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// Inputs, and existing files without --force, are not touched.
func TestNothingIsLost(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,y", "1,2", "1,2.5")
	dir := filepath.Dir(in)
	old := filepath.Join(dir, "old.csv")
	if err := os.WriteFile(old, []byte("precious\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	plot := filepath.Join(dir, "old.png")
	if err := os.WriteFile(plot, []byte("precious\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	args := func(more ...string) []string {
		return append([]string{"dbscan", in, "-c", "x,y", "--eps", "1", "--min-points", "2"}, more...)
	}
	cmdtest.Refuse(t, 2, args("-o", old), "old.csv", "--force")
	cmdtest.Refuse(t, 2, args("--clusters", old), "old.csv", "--force")
	cmdtest.Refuse(t, 2, args("-p", plot), "old.png", "--force")
	cmdtest.Refuse(t, 2, args("-o", in, "--force"), "in.csv", "input")
	cmdtest.Refuse(t, 2, args("--clusters", in, "--force"), "in.csv", "input")
	cmdtest.Refuse(t, 2, args("-o", dir+"/new.csv", "--clusters", dir+"/./new.csv"), "named twice")
	for path, want := range map[string]string{in: "x,y\n1,2\n1,2.5\n", old: "precious\n", plot: "precious\n"} {
		if b, err := os.ReadFile(path); err != nil || string(b) != want {
			t.Errorf("%s now holds %q (%v)", path, b, err)
		}
	}
	cmdtest.Succeed(t, args("-o", old, "-p", plot, "--force")...)
	if got := cmdtest.Column(t, old, "cluster"); !slices.Equal(got, []string{"0", "0"}) {
		t.Errorf("replaced output has labels %v", got)
	}
	if got := cmdtest.Names(t, dir); !slices.Equal(got, []string{"in.csv", "old.csv", "old.png"}) {
		t.Errorf("files left: %v", got)
	}
}

func TestSummaryOfDBSCAN(t *testing.T) {
	in := cmdtest.CSVOf(t, "id,ra,dec,cluster", "1,10,0,7", "2,,0,7", "3,10.1,0,7", "4,20,0,7", "5,10.2,95,7", "6,nan,0,7")
	out := filepath.Join(t.TempDir(), "out.csv")
	r := cmdtest.Succeed(t, "dbscan", in, "--eps", "0.15deg", "--min-points", "2", "-o", out, "--json", "-t", "2")
	s := cmdtest.SummaryOf(t, r)
	if s.Command != "dbscan" || s.Version != cmdtest.Version || s.Device != "cpu" || s.Threads != 2 {
		t.Errorf("command %q, version %q, device %q, threads %d", s.Command, s.Version, s.Device, s.Threads)
	}
	if !slices.Equal(s.Input.Files, []string{in}) || s.Input.Rows != 6 || s.Input.Used != 3 || s.Input.Skipped != 3 || len(s.Input.SkippedWhy) != 3 {
		t.Errorf("input %+v", s.Input)
	}
	cmdtest.Expect(t, s.Result, map[string]int64{"clusters": 1, "noise": 1, "core": 2, "border": 0, "pairs": 1, "largest": 2})
	for key, want := range map[string]string{"columns": "[ra dec]", "metric": "sky", "eps": "0.15", "eps_unit": "deg", "min_points": "2", "star": "false", "border": "first"} {
		if got := fmt.Sprint(s.Parameters[key]); got != want {
			t.Errorf("parameter %s is %q, want %q", key, got, want)
		}
	}
	if s.Peak < 1<<20 || s.Seconds["total"] <= 0 || len(s.Seconds) != 6 {
		t.Errorf("peak memory %d, seconds %v", s.Peak, s.Seconds)
	}
	if got := cmdtest.Column(t, out, "cluster_1"); !slices.Equal(got, []string{"0", "", "0", "-1", "", ""}) {
		t.Errorf("labels %q", got)
	}

	table := cmdtest.Succeed(t, "dbscan", in, "--eps", "0.15deg", "--min-points", "2", "-o", out, "--force")
	for _, part := range []string{"cluster_1", "ra, dec", "0.15deg", "6 rows: 3 used, 3 left out", "clusters"} {
		if !strings.Contains(table.Stderr, part) {
			t.Errorf("the summary does not say %q:\n%s", part, table.Stderr)
		}
	}
	if table.Stdout != "" {
		t.Errorf("stdout: %q", table.Stdout)
	}
}

// A coordinate that its scale makes too large is named by its row of the file.
func TestScaleOverflow(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,y", ",1", "1,2", "1e200,3", "4,5")
	cmdtest.Refuse(t, 2, []string{"dbscan", in, "-c", "x,y", "--scale", "1e-150,1", "--eps", "1", "--min-points", "2"}, "x is 1e+200 in row 2", "scale 1e-150")
}

// --eps 0 makes clusters of the rows that are in the same place.
func TestDuplicates(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ in, args, want string }{
		{cmdtest.CSVOf(t, "x,y", "0,0", "1,1", "1,1", "1,1.0000000000000002", "0,0"), "-c x,y", "0 1 1 -1 0"},
		{cmdtest.CSVOf(t, "x,y", "0,0", "1,1", "1,1", "1,1.0000000000000002", "0,0"), "-c x,y --box 3", "0 1 1 -1 0"},
		{cmdtest.CSVOf(t, "ra,dec", "0,20", "10,20", "10,20", "10.00000000001,20", "360,20"), "", "0 1 1 -1 0"},
	} {
		args := append([]string{"dbscan", c.in, "--eps", "0", "--min-points", "2", "-o", dir + "/o.csv", "--clusters", dir + "/c.csv", "--force", "-q"}, strings.Fields(c.args)...)
		cmdtest.Succeed(t, args...)
		if got := strings.Join(cmdtest.Column(t, dir+"/o.csv", "cluster"), " "); got != c.want {
			t.Errorf("%s: clusters %s, want %s", c.args, got, c.want)
		}
		for _, extent := range cmdtest.Column(t, dir+"/c.csv", "extent") {
			if got := cmdtest.Rounded(t, extent, 9); got != "0.000000000" { // centres on the sky are rounded
				t.Errorf("%s: extent %s", c.args, extent)
			}
		}
	}
}
