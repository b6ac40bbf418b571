package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/internal/size"
)

// What is announced of a small run is what it then writes: all rows are in the
// sample.
func TestForecastIsWhatIsWritten(t *testing.T) {
	defer func(before struct{ pairs, bytes, seconds float64 }) { large = before }(large)
	large.pairs, large.bytes, large.seconds = 0, 0, 0
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.parquet"), filepath.Join(dir, "b.parquet")
	succeed(t, "gen", "uniform", "-n", "220", "--dim", "3", "-o", a, "-q")
	succeed(t, "gen", "uniform", "-n", "150", "--dim", "3", "--seed", "2", "-o", b, "-q")
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
		r := succeed(t, append(args, "-o", out, "--force")...)
		s := summaryOf(t, succeed(t, append(args, "-o", out, "--force", "--json", "-q")...))
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
		want := fmt.Sprintf("some %s pairs are expected, %s in %s", commas(twoDigits(n)), size.Text(st.Size()), out)
		if !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %q does not say %q", c.args, r.stderr, want)
		}
		if quiet := succeed(t, append(args, "-o", out, "--force", "-q")...); quiet.stderr != "" {
			t.Errorf("%s: -q says %q", c.args, quiet.stderr)
		}
	}
	if r := succeed(t, append(strings.Fields(join), a, b, "-o", stdout)...); !strings.Contains(r.stderr, "iB on stdout") && !strings.Contains(r.stderr, " B on stdout") {
		t.Errorf("of a table on stdout: %q", r.stderr)
	}
	// Pairs of a self-join are met from both sides, and are half as many.
	r := succeed(t, append(strings.Fields(join), a, "-o", filepath.Join(dir, "half.csv"))...)
	s := summaryOf(t, succeed(t, append(strings.Fields(join), a, "--json")...))
	var n float64
	fmt.Sscan(fmt.Sprint(s.Result["pairs"]), &n)
	if want := "some " + commas(twoDigits(n)) + " pairs"; n < 100 || !strings.Contains(r.stderr, want) {
		t.Errorf("%q does not say %q", r.stderr, want)
	}
	empty := csvOf(t, "x,y,z")
	for _, args := range [][]string{append(strings.Fields(stat), a, empty), append(strings.Fields(join), a, empty)} {
		if r := cluster(t, append(args, "-o", filepath.Join(dir, "none.csv"), "--force")...); r.status > statusRequest || strings.Contains(r.stderr, "internal") {
			t.Errorf("%v: status %d: %s", args, r.status, r.stderr)
		}
	}
}

// The pairs of the K nearest are announced before they are found, and their
// bytes by other pairs, which are about as long.
func TestForecastOfTheNearest(t *testing.T) {
	defer func(before struct{ pairs, bytes, seconds float64 }) { large = before }(large)
	large.pairs, large.bytes, large.seconds = 0, 0, 0
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.parquet"), filepath.Join(dir, "b.parquet")
	succeed(t, "gen", "sky", "-n", "3000", "-o", a, "-q")
	succeed(t, "gen", "sky", "-n", "2000", "--seed", "2", "-o", b, "-q")
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
		r := succeed(t, append(append(strings.Fields(c.args), c.in...), "-o", out)...)
		checkForecast(t, r.stderr, c.rows, out)
	}
	empty := csvOf(t, "ra,dec")
	if r := cluster(t, "knn", "-k", "1", "--pad", a, empty, "-o", filepath.Join(dir, "none.csv")); r.status > statusRequest || strings.Contains(r.stderr, "internal") {
		t.Errorf("of an empty catalog: status %d: %s", r.status, r.stderr)
	}
}

// The tables of other commands: of all matches in tiles, and of the neighbours
// behind predictions.
func TestForecastOfOtherTables(t *testing.T) {
	defer func(before struct{ pairs, bytes, seconds float64 }) { large = before }(large)
	large.pairs, large.bytes, large.seconds = 0, 0, 0
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	succeed(t, "gen", "clumps", "-n", "500", "-o", in("a.csv"), "-q")
	succeed(t, "gen", "clumps", "-n", "400", "--seed", "2", "-o", in("b.csv"), "-q")
	succeed(t, "plan", "match", in("a.csv"), in("b.csv"), "-c", "x,y", "--radius", "9", "--find", "all", "--tiles", "3", "-o", in("plan"), "-q")
	for i := range 3 {
		succeed(t, "tile", in("plan"), "--index", fmt.Sprint(i), "-q")
	}
	r := succeed(t, "merge", in("plan"), "-o", in("merged.csv"))
	n := resultOf(t, succeed(t, "merge", in("plan"), "-o", in("merged.csv"), "--force", "--json", "-q").stdout)["matches"].(float64)
	checkForecast(t, r.stderr, int64(n), in("merged.csv"))
	for _, vote := range []string{"uniform", "distance"} {
		r := succeed(t, "classify", "--train", in("a.csv"), "--regress", "x", "--features", "y", "-k", "30", in("b.csv"), "--explain", in(vote+".csv"), "--vote", vote)
		checkForecast(t, r.stderr, 400*30, in(vote+".csv"))
	}
}

// checkForecast expects stderr to have announced so many pairs in a file, and
// about as many bytes as it has.
func checkForecast(t *testing.T, stderr string, pairs int64, out string) {
	t.Helper()
	_, text, ok := strings.Cut(stderr, fmt.Sprintf("some %s pairs are expected, ", commas(twoDigits(float64(pairs)))))
	text, _, _ = strings.Cut(text, " in "+out)
	var said byteSize
	if err := said.Set(text); !ok || err != nil {
		t.Fatalf("%d pairs in %s: %q: %v", pairs, out, stderr, err)
	}
	st, err := os.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	if is := float64(said.bytes) / float64(st.Size()); is < 0.8 || is > 1.25 {
		t.Errorf("%s: %s are announced, %s is written", out, text, size.Text(st.Size()))
	}
}

func TestSmallRunsForecastNothing(t *testing.T) {
	in := csvOf(t, "x,y", "0,0", "3,4", "1,1")
	out := filepath.Join(t.TempDir(), "p.csv")
	for _, args := range []string{"stat -c x,y --expr r<9 --reduce pairs", "join -c x,y --eps 9", "knn -c x,y -k 2"} {
		if r := succeed(t, append(strings.Fields(args), in, "-o", out, "--force")...); strings.Contains(r.stderr, "expected") {
			t.Errorf("%s: %s", args, r.stderr)
		}
	}
}

func TestTwoDigits(t *testing.T) {
	for in, want := range map[float64]int64{0: 0, 7: 7, 42.4: 42, 99.6: 100, 123: 120, 4_999_950_000: 5_000_000_000, 1.25e10: 13_000_000_000} {
		if got := twoDigits(in); got != want {
			t.Errorf("%v: %d, want %d", in, got, want)
		}
	}
}
