package hdbscan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// around is a table of n rows of a figure, by their number, and of a small ring of as
// many around a point.
func around(n int, figure func(i float64) (x, y float64), x, y float64) []string {
	lines := []string{"x,y"}
	for i := range n {
		u, v := figure(float64(i))
		turn := 2 * math.Pi * float64(i) / float64(n)
		lines = append(lines, fmt.Sprintf("%v,%v", u, v), fmt.Sprintf("%v,%v", x+.05*math.Cos(turn), y+.05*math.Sin(turn)))
	}
	return lines
}

// shuffled is the table with its rows in another order.
func shuffled(rng *rand.Rand, lines []string) []string {
	lines = slices.Clone(lines)
	rng.Shuffle(len(lines)-1, func(i, j int) { lines[i+1], lines[j+1] = lines[j+1], lines[i+1] })
	return lines
}

// sorted is the rows of a table about the clusters, apart from their numbers.
func sorted(t *testing.T, path string, names ...string) []string {
	t.Helper()
	var rows []string
	for i, name := range names {
		for k, v := range cmdtest.Column(t, path, name) {
			if i == 0 {
				rows = append(rows, "")
			}
			rows[k] += name + "=" + v + " "
		}
	}
	slices.Sort(rows)
	return rows
}

var about = []string{"x", "x_std", "y", "y_std", "extent"}

// A ring around the box has no centre, whether it is closed by an edge of the tree or
// not: a tree is open.
func TestRingAroundABox(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 18))
	for _, c := range []struct{ step, samples string }{{"0.25", "10"}, {"0.25", "1"}, {"0.1", "2"}} {
		step := map[string]float64{"0.25": .25, "0.1": .1}[c.step]
		lines := around(int(math.Round(10/step)), func(i float64) (float64, float64) { return i * step, 4 }, 5, 1)
		for range 3 {
			lines = shuffled(rng, lines)
			dir := t.TempDir()
			clusters, tree := filepath.Join(dir, "clusters.csv"), filepath.Join(dir, "tree.parquet")
			in := cmdtest.CSVOf(t, lines...)
			box := []string{"hdbscan", in, "-c", "x,y", "--box", "10,8", "--clusters", clusters, "--force"}
			r := cmdtest.Succeed(t, append(box, "--min-cluster-size", "10", "--min-samples", c.samples, "--tree", tree)...)
			if part := "1 cluster goes all the way round the box"; !strings.Contains(r.Stderr, part) {
				t.Errorf("the summary does not say %q:\n%s", part, r.Stderr)
			}
			rows := sorted(t, clusters, about...)
			if len(rows) != 2 || rows[0] != "x= x_std= y= y_std= extent= " || !strings.HasPrefix(rows[1], "x=5") {
				t.Errorf("step %s, --min-samples %s: %q", c.step, c.samples, rows)
			}
			cmdtest.Succeed(t, append(box, "--from-tree", tree, "-q")...)
			if again := sorted(t, clusters, about...); !slices.Equal(again, rows) {
				t.Errorf("--from-tree: %q, want %q", again, rows)
			}
		}
	}
}

// A helix that is longer than the box has the centre, the spread and the extent of its
// length, in any order of the rows, and from a tree that was stored.
func TestHelixInABox(t *testing.T) {
	lines := around(171, func(i float64) (float64, float64) { return math.Mod(.1*i, 10), 10 + .1*i }, 3, 60)
	rng := rand.New(rand.NewPCG(2, 18))
	var first []string
	for trial, more := range []string{"", "", "", "--alpha 0.5", "--min-samples 3"} {
		lines = shuffled(rng, lines)
		dir := t.TempDir()
		in, clusters, tree := cmdtest.CSVOf(t, lines...), filepath.Join(dir, "clusters.csv"), filepath.Join(dir, "tree.parquet")
		box := []string{"hdbscan", in, "-c", "x,y", "--box", "10,100", "--clusters", clusters, "--force", "-q"}
		cmdtest.Succeed(t, slices.Concat(box, []string{"--min-cluster-size", "20", "--tree", tree}, strings.Fields(more))...)
		rows := sorted(t, clusters, about...)
		spread := .1 * math.Sqrt((171*171-1)/12.)
		for column, want := range map[string]float64{"x": 8.5, "x_std": spread, "y": 18.5, "y_std": spread, "extent": 8.5 * math.Sqrt2} {
			var values []float64
			for _, text := range cmdtest.Column(t, clusters, column) {
				var v float64
				fmt.Sscan(text, &v)
				values = append(values, v)
			}
			if !slices.ContainsFunc(values, func(v float64) bool { return math.Abs(v-want) < 1e-11 }) {
				t.Errorf("%s is %v, want %v", column, values, want)
			}
		}
		cmdtest.Succeed(t, append(box, "--from-tree", tree)...)
		if again := sorted(t, clusters, about...); !slices.Equal(again, rows) {
			t.Errorf("--from-tree: %q, want %q", again, rows)
		}
		if trial == 0 {
			first = rows
		}
		if !slices.Equal(rows, first) {
			t.Errorf("%q in one order, %q in another", first, rows)
		}
	}
}
