package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/size"
)

// What is announced of a small run is what it then writes: all rows are in the
// sample.
func TestForecastIsWhatIsWritten(t *testing.T) {
	defer func(before struct{ Pairs, Bytes, Seconds float64 }) { job.Large = before }(job.Large)
	job.Large.Pairs, job.Large.Bytes, job.Large.Seconds = 0, 0, 0
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.parquet"), filepath.Join(dir, "b.parquet")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "220", "--dim", "3", "-o", a, "-q")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "150", "--dim", "3", "--seed", "2", "-o", b, "-q")
	stat := "stat -c x,y,z --expr r<30 --reduce pairs"
	join := "join -c x,y,z --eps 30"
	all := "match -c x,y,z --radius 30 --find all"
	for _, c := range []struct {
		args string
		in   []string
		name string
	}{
		{stat, []string{a}, "s.csv"},
		{stat, []string{a, b}, "s.parquet"},
		{stat + " --meet both", []string{a}, "s.fits"},
		{join, []string{a, b}, "j.csv"},
		{join + " --keep x,z", []string{a, b}, "j.vot"},
		{all, []string{a, b}, "m.csv"},
		{all + " --min-radius 9 --keep x,y", []string{a, b}, "m.parquet"},
		{all + " -k 40", []string{a, b}, "m.vot"},
	} {
		out := filepath.Join(dir, c.name)
		args := append(strings.Fields(c.args), c.in...)
		r := cmdtest.Succeed(t, append(args, "-o", out, "--force")...)
		s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append(args, "-o", out, "--force", "--json", "-q")...))
		var count any
		for _, name := range []string{"count", "pairs", "matches"} {
			if count == nil {
				count = s.Result[name]
			}
		}
		st, err := os.Stat(out)
		if err != nil {
			t.Fatal(err)
		}
		var n float64
		if _, err := fmt.Sscan(fmt.Sprint(count), &n); err != nil || n < 100 {
			t.Fatalf("%s: %v pairs", c.args, count)
		}
		want := fmt.Sprintf("some %s pairs are expected, %s in %s", human.Commas(job.TwoDigits(n)), size.Text(st.Size()), out)
		if !strings.Contains(r.Stderr, want) {
			t.Errorf("%s: %q does not say %q", c.args, r.Stderr, want)
		}
		if quiet := cmdtest.Succeed(t, append(args, "-o", out, "--force", "-q")...); quiet.Stderr != "" {
			t.Errorf("%s: -q says %q", c.args, quiet.Stderr)
		}
	}
	onStdout := cmdtest.Succeed(t, append(strings.Fields(join), a, b, "-o", flags.Stdout)...)
	if table, err := os.ReadFile(filepath.Join(dir, "j.csv")); err != nil || onStdout.Stdout != string(table) {
		t.Errorf("%d bytes on stdout, %d in a file: %v", len(onStdout.Stdout), len(table), err)
	}
	if want := fmt.Sprintf("%s on stdout", size.Text(int64(len(onStdout.Stdout)))); !strings.Contains(onStdout.Stderr, want) {
		t.Errorf("of a table on stdout: %q does not say %q", onStdout.Stderr, want)
	}
	// Pairs of a self-join are met from both sides, and are half as many.
	r := cmdtest.Succeed(t, append(strings.Fields(join), a, "-o", filepath.Join(dir, "half.csv"))...)
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append(strings.Fields(join), a, "--json")...))
	var n float64
	fmt.Sscan(fmt.Sprint(s.Result["pairs"]), &n)
	if want := "some " + human.Commas(job.TwoDigits(n)) + " pairs"; n < 100 || !strings.Contains(r.Stderr, want) {
		t.Errorf("%q does not say %q", r.Stderr, want)
	}
	empty := cmdtest.CSVOf(t, "x,y,z")
	for _, args := range [][]string{append(strings.Fields(stat), a, empty), append(strings.Fields(join), a, empty)} {
		if r := cmdtest.Cluster(t, append(args, "-o", filepath.Join(dir, "none.csv"), "--force")...); r.Status > exit.Request || strings.Contains(r.Stderr, "internal") {
			t.Errorf("%v: status %d: %s", args, r.Status, r.Stderr)
		}
	}
}

// The pairs of the K nearest are announced before they are found, and their
// bytes by other pairs, which are about as long.
func TestForecastOfTheNearest(t *testing.T) {
	defer func(before struct{ Pairs, Bytes, Seconds float64 }) { job.Large = before }(job.Large)
	job.Large.Pairs, job.Large.Bytes, job.Large.Seconds = 0, 0, 0
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.parquet"), filepath.Join(dir, "b.parquet")
	cmdtest.Succeed(t, "gen", "sky", "-n", "3000", "-o", a, "-q")
	cmdtest.Succeed(t, "gen", "sky", "-n", "2000", "--seed", "2", "-o", b, "-q")
	for _, c := range []struct {
		args string
		in   []string
		name string
		rows int64
	}{
		{"knn -k 5", []string{a}, "k.csv", 15000},
		{"knn -k 7 --keep ra,dec", []string{a, b}, "k.parquet", 21000},
		{"knn -k 2001 --pad --algorithm brute", []string{b}, "k.fits", 2000 * 2001},
	} {
		out := filepath.Join(dir, c.name)
		r := cmdtest.Succeed(t, append(append(strings.Fields(c.args), c.in...), "-o", out)...)
		checkForecast(t, r.Stderr, c.rows, out)
	}
	empty := cmdtest.CSVOf(t, "ra,dec")
	if r := cmdtest.Cluster(t, "knn", "-k", "1", "--pad", a, empty, "-o", filepath.Join(dir, "none.csv")); r.Status > exit.Request || strings.Contains(r.Stderr, "internal") {
		t.Errorf("of an empty catalog: status %d: %s", r.Status, r.Stderr)
	}
}

// The tables of other commands: of all matches in tiles, and of the neighbours
// behind predictions.
func TestForecastOfOtherTables(t *testing.T) {
	defer func(before struct{ Pairs, Bytes, Seconds float64 }) { job.Large = before }(job.Large)
	job.Large.Pairs, job.Large.Bytes, job.Large.Seconds = 0, 0, 0
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	cmdtest.Succeed(t, "gen", "clumps", "-n", "500", "-o", in("a.csv"), "-q")
	cmdtest.Succeed(t, "gen", "clumps", "-n", "400", "--seed", "2", "-o", in("b.csv"), "-q")
	cmdtest.Succeed(t, "plan", "match", in("a.csv"), in("b.csv"), "-c", "x,y", "--radius", "9", "--find", "all", "--tiles", "3", "-o", in("plan"), "-q")
	for i := range 3 {
		cmdtest.Succeed(t, "tile", in("plan"), "--index", fmt.Sprint(i), "-q")
	}
	r := cmdtest.Succeed(t, "merge", in("plan"), "-o", in("merged.csv"))
	n := cmdtest.ResultOf(t, cmdtest.Succeed(t, "merge", in("plan"), "-o", in("merged.csv"), "--force", "--json", "-q").Stdout)["matches"].(float64)
	checkForecast(t, r.Stderr, int64(n), in("merged.csv"))
	for _, vote := range []string{"uniform", "distance"} {
		r := cmdtest.Succeed(t, "classify", "--train", in("a.csv"), "--regress", "x", "--features", "y", "-k", "30", in("b.csv"), "--explain", in(vote+".csv"), "--vote", vote)
		checkForecast(t, r.Stderr, 400*30, in(vote+".csv"))
	}
}

// checkForecast expects stderr to have announced so many pairs in a file, and
// about as many bytes as it has.
func checkForecast(t *testing.T, stderr string, pairs int64, out string) {
	t.Helper()
	_, text, ok := strings.Cut(stderr, fmt.Sprintf("some %s pairs are expected, ", human.Commas(job.TwoDigits(float64(pairs)))))
	text, _, _ = strings.Cut(text, " in "+out)
	var said flags.Bytes
	if err := said.Set(text); !ok || err != nil {
		t.Fatalf("%d pairs in %s: %q: %v", pairs, out, stderr, err)
	}
	st, err := os.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	if is := float64(said.Bytes) / float64(st.Size()); is < 0.8 || is > 1.25 {
		t.Errorf("%s: %s are announced, %s is written", out, text, size.Text(st.Size()))
	}
}

func TestSmallRunsForecastNothing(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,y", "0,0", "3,4", "1,1")
	out := filepath.Join(t.TempDir(), "p.csv")
	for _, args := range []string{"stat -c x,y --expr r<9 --reduce pairs", "join -c x,y --eps 9", "knn -c x,y -k 2"} {
		if r := cmdtest.Succeed(t, append(strings.Fields(args), in, "-o", out, "--force")...); strings.Contains(r.Stderr, "expected") {
			t.Errorf("%s: %s", args, r.Stderr)
		}
	}
}
