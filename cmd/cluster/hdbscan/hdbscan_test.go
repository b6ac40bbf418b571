package hdbscan

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

func TestCases(t *testing.T) {
	bridge := cmdtest.Values("x", 8, 4, 0, 7.5, .5, 7, 1)
	chain := cmdtest.Values("x", 0, .5, 1.25, 2.25, 3.5, 5, 11)
	runts := cmdtest.Values("x", 0, .5, 2.5, 3, 5, 5.25, 5.5, 5.75, 6, 20, 20.25, 20.5, 20.75, 21, 21.25)
	for _, c := range []struct {
		name   string
		lines  []string
		args   string
		column string
		want   string
	}{
		{"H03", bridge, "-c x --min-cluster-size 3", "cluster", "0 -1 1 0 1 0 1"},
		{"H03 sklearn", bridge, "-c x --min-cluster-size 3 --ties sklearn", "cluster", "0 0 1 0 1 0 1"},
		{"H05", runts, "-c x --min-cluster-size 4 --min-samples 1", "cluster", "0 0 0 0 0 0 0 0 0 1 1 1 1 1 1"},
		{"H09", chain, "-c x --min-cluster-size 3 --min-samples 2", "cluster", "-1 -1 -1 -1 -1 -1 -1"},
		{"H09 single", chain, "-c x --min-cluster-size 3 --min-samples 2 --single-cluster", "cluster", "0 0 0 -1 -1 -1 -1"},
		{"H09 single epsilon", chain, "-c x --min-cluster-size 3 --min-samples 2 --single-cluster --epsilon 1.25", "probability", "1 1 1 0.75 0.6000000000000001 0 0"},
		{"lambda", chain, "-c x --min-cluster-size 3 --min-samples 2", "lambda", "1.3333333333333333 1.3333333333333333 1.3333333333333333 1 0.8 0.6666666666666666 0.16666666666666666"},
		{"H13", cmdtest.Values("x", 0, 1, 2, 4, 5, 6, 9), "-c x --min-cluster-size 2 --min-samples 2 --cut 1,2", "cut_1", "0 0 0 1 1 1 -1"},
		{"two sizes", runts, "-c x --min-cluster-size 4,20 --min-samples 1", "cluster_20", strings.TrimSpace(strings.Repeat("-1 ", 15))},
		{"sky", []string{"ra,dec", "359.9,0", "0,0", "0.1,0", "90,0", "90.1,0", "90.2,0", "180,80"}, "--min-cluster-size 3 --min-samples 2", "cluster", "0 0 0 1 1 1 -1"},
		{"null", []string{"x,y", "0,1", ",1", "1,1", "2,1", "20,1", "21,1", "22,1"}, "-c x --min-cluster-size 3 --min-samples 2", "cluster", "0  0 0 1 1 1"},
		{"weights", []string{"x,w", "0,3", "1,1", "9,1", "10,3"}, "-c x --min-cluster-size 4 --min-samples 1 --weights w", "cluster", "0 0 1 1"},
		{"soft", chain, "-c x --min-cluster-size 3 --min-samples 2 --single-cluster --soft 2", "membership_1", "1 1 1 0.75 0.6000000000000001 0.5 0.125"},
		{"soft 2", runts, "-c x --min-cluster-size 4 --min-samples 1 --soft 3", "soft_2", "1 1 1 1 1 1 1 1 1 0 0 0 0 0 0"},
		{"soft 3", runts, "-c x --min-cluster-size 4,20 --min-samples 1 --soft 3", "soft_3_4", strings.TrimSpace(strings.Repeat("-1 ", 15))},
		{"leaf", runts, "-c x --min-cluster-size 4 --min-samples 1 --select leaf", "node", "1 1 1 1 1 1 1 1 1 2 2 2 2 2 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.csv")
			args := append([]string{"hdbscan", cmdtest.CSVOf(t, c.lines...), "-q", "-o", out}, strings.Fields(c.args)...)
			cmdtest.Succeed(t, args...)
			if got := strings.Join(cmdtest.Column(t, out, c.column), " "); got != c.want {
				t.Errorf("%s %q, want %q", c.column, got, c.want)
			}
		})
	}
}

// Every byte of the outputs is the same with any number of threads.
func TestThreadsDoNotMatter(t *testing.T) {
	lines := []string{"id,ra,dec"}
	for i := range 2000 {
		lines = append(lines, fmt.Sprintf("%d,%v,%v", i, float64(i*7919%2000)/100, float64(i*104729%2000%700)/300))
	}
	in := cmdtest.CSVOf(t, lines...)
	var want []byte
	for _, threads := range []string{"1", "2", "7"} {
		dir := t.TempDir()
		name := func(s string) string { return filepath.Join(dir, s) }
		cmdtest.Succeed(t, "hdbscan", in, "--min-cluster-size", "5,10", "-q", "-t", threads, "-o", name("out.csv"), "--clusters", name("clusters.csv"),
			"--tree", name("tree.csv"), "--linkage", name("linkage.csv"), "--mst", name("mst.csv"), "--cut", "0.1deg", "--plot-tree", name("tree.svg"), "--plot-dendrogram", name("dendrogram.svg"))
		var got []byte
		for _, s := range []string{"out.csv", "clusters.csv", "tree.csv", "linkage.csv", "mst.csv", "tree.svg", "dendrogram.svg"} {
			b, err := os.ReadFile(name(s))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, b...)
		}
		if want == nil {
			want = got
		} else if !slices.Equal(got, want) {
			t.Fatalf("-t %s changes the outputs", threads)
		}
	}
}

// The summary has what facts about the tree a program needs.
func TestSummary(t *testing.T) {
	in := cmdtest.CSVOf(t, cmdtest.Values("x", 0, .5, 2.5, 3, 5, 5.25, 5.5, 5.75, 6, 20, 20.25, 20.5, 20.75, 21, 21.25)...)
	r := cmdtest.Succeed(t, "hdbscan", in, "-c", "x", "--min-cluster-size", "4,20", "--min-samples", "1", "--json")
	var s struct {
		Result struct {
			Clusters, Noise, Nodes, Splits, Infinite int
			Multiway                                 int `json:"multiway_nodes"`
			Selected                                 []struct {
				Label, Size             int
				Stability, Birth, Death float64
			}
			Sizes []struct{ Clusters, Noise int }
		}
	}
	if err := json.Unmarshal([]byte(r.Stdout), &s); err != nil {
		t.Fatal(err)
	}
	if s.Result.Clusters != 2 || s.Result.Noise != 0 || s.Result.Nodes != 3 || s.Result.Splits != 1 || s.Result.Multiway == 0 || len(s.Result.Sizes) != 2 || s.Result.Sizes[1].Noise != 15 {
		t.Errorf("result %+v", s.Result)
	}
	if k := s.Result.Selected; len(k) != 2 || k[0].Stability != 21.357142857142858 || k[1].Stability != 23.571428571428573 || k[0].Birth != 14 {
		t.Errorf("selected %+v", k)
	}
}

// The validity is that of 'cluster validity', and the exemplar the row that leaves last.
func TestClusterDescriptions(t *testing.T) {
	dir := t.TempDir()
	in := cmdtest.CSVOf(t, cmdtest.Values("x", 0, .5, 2.5, 3, 5, 5.25, 5.5, 5.75, 6, 20, 20.25, 20.5, 20.75, 21, 21.25)...)
	out, clusters := filepath.Join(dir, "out.csv"), filepath.Join(dir, "clusters.csv")
	r := cmdtest.ResultOf(t, cmdtest.Succeed(t, "hdbscan", in, "-c", "x", "--min-cluster-size", "4", "--min-samples", "3", "--dbcv", "--json", "-o", out, "--clusters", clusters).Stdout)
	alone := cmdtest.ResultOf(t, cmdtest.Succeed(t, "validity", out, "-c", "x", "--json", "--clusters", filepath.Join(dir, "validity.csv")).Stdout)
	if r["dbcv"] != alone["dbcv"] || r["dbcv"] == nil {
		t.Errorf("dbcv %v, of 'cluster validity' %v", r["dbcv"], alone["dbcv"])
	}
	if got, want := cmdtest.Column(t, clusters, "dbcv"), cmdtest.Column(t, filepath.Join(dir, "validity.csv"), "validity"); !slices.Equal(got, want) {
		t.Errorf("validity %v, of 'cluster validity' %v", got, want)
	}
	if got := strings.Join(cmdtest.Column(t, clusters, "exemplar"), " "); got != "4 10" {
		t.Errorf("exemplars %s, want 4 10", got)
	}
	cmdtest.Refuse(t, exit.Request, []string{"hdbscan", in, "-c", "x", "--min-cluster-size", "4", "--soft", "101", "-o", out, "--force"}, "--soft 101")
}

// The tree and the dendrogram are tables that others can go on with.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	in := cmdtest.CSVOf(t, "x,y", "0,1", ",1", "1,1", "5,1", "2,1", "5.5,1")
	name := func(s string) string { return filepath.Join(dir, s) }
	cmdtest.Succeed(t, "hdbscan", in, "-c", "x", "--min-cluster-size", "2", "--min-samples", "1", "-q", "--tree", name("tree.csv"), "--linkage", name("linkage.csv"), "--mst", name("mst.csv"), "--clusters", name("clusters.csv"))
	for _, c := range []struct{ file, column, want string }{
		{"mst.csv", "a", "3 0 2 3"},
		{"mst.csv", "b", "5 2 4 4"},
		{"mst.csv", "height", "0.5 1 1 3"},
		{"linkage.csv", "a", "2 0 3 5"},
		{"linkage.csv", "size", "2 2 3 5"},
		{"tree.csv", "min_cluster_size", "2 2 2 2 2 2 2"},
		{"tree.csv", "parent", "0 0 1 1 2 1 2"},
		{"tree.csv", "child", "1 2 -1 -1 -1 -1 -1"},
		{"tree.csv", "row", "-1 -1 0 2 3 4 5"},
		{"tree.csv", "size", "3 2 1 1 1 1 1"},
		{"clusters.csv", "birth", "3 3"},
		{"clusters.csv", "death", "1 0.5"},
		{"clusters.csv", "x", "1 5.25"},
	} {
		if got := strings.Join(cmdtest.Column(t, name(c.file), c.column), " "); got != c.want {
			t.Errorf("%s: %s %q, want %q", c.file, c.column, got, c.want)
		}
	}
}

// Another selection from a tree is that of a run with that selection.
func TestFromTree(t *testing.T) {
	lines := []string{"ra,dec,w"}
	for i := range 600 {
		lines = append(lines, fmt.Sprintf("%v,%v,%v", float64(i*7919%600)/100, float64(i*104729%600%210)/100, 1+i%3))
	}
	lines = append(lines, ",1,1") // is left out
	in, dir := cmdtest.CSVOf(t, lines...), t.TempDir()
	name := func(s string) string { return filepath.Join(dir, s) }
	for _, weights := range []string{"", "--weights w"} {
		run := func(out, more string) []byte {
			args := append([]string{"hdbscan", in, "-q", "--force", "-o", name(out), "--clusters", name("clusters_" + out)}, strings.Fields(more)...)
			cmdtest.Succeed(t, args...)
			a, err := os.ReadFile(name(out))
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(name("clusters_" + out))
			if err != nil {
				t.Fatal(err)
			}
			return append(a, b...)
		}
		for _, tree := range []string{"tree.csv", "tree.parquet"} {
			run("first.csv", "--min-cluster-size 5,9 --min-samples 4 --tree "+name(tree)+" "+weights)
			for _, s := range []string{"", "--select leaf", "--epsilon 0.4deg", "--max-cluster-size 40"} {
				want := run("want.csv", "--min-cluster-size 5,9 --min-samples 4 "+s+" "+weights)
				if got := run("got.csv", "--from-tree "+name(tree)+" "+s); !slices.Equal(got, want) {
					t.Errorf("%s, %q %q: another answer", tree, s, weights)
				}
			}
		}
	}
	other := cmdtest.CSVOf(t, "ra,dec", "1,2", "3,4")
	cmdtest.Refuse(t, exit.Request, []string{"hdbscan", other, "--from-tree", name("tree.csv")}, "does not belong to the rows")
	cmdtest.Refuse(t, exit.Request, []string{"hdbscan", in, "--from-tree", name("tree.csv"), "--where", "ra<5"}, "does not belong to the rows")
	cmdtest.Refuse(t, exit.Request, []string{"hdbscan", in, "--from-tree", name("tree.csv"), "--min-samples", "3"}, "--min-samples")
	cmdtest.Refuse(t, exit.Request, []string{"hdbscan", in, "--from-tree", in}, in+": it is not a file of --tree: there is no column \"min_cluster_size\"")
}

// A tree of other distances between the same rows is refused, wherever its file
// says what they are.
func TestTreeOfOtherDistances(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,y", "1,2", "2,2", "3,4", "10,9", "11,8", "12,9", "31,3")
	for _, format := range []string{"parquet", "fits", "vot", "ecsv"} {
		tree := filepath.Join(t.TempDir(), "tree."+format)
		cmdtest.Succeed(t, "hdbscan", in, "-c", "x,y", "--scale", "2,3", "--min-cluster-size", "3", "--tree", tree, "-q")
		cmdtest.Succeed(t, "hdbscan", in, "-c", "x,y", "--scale", "2,3", "--from-tree", tree, "-q")
		other := cmdtest.CSVOf(t, "x,y", "1,2", "2,2", "3,4", "10,9", "11,8", "12,9", "31,3.5")
		cmdtest.Refuse(t, exit.Request, []string{"hdbscan", other, "-c", "x,y", "--scale", "2,3", "--from-tree", tree}, "built from rows with other coordinates")
		for args, says := range map[string]string{
			"-c x --scale 2":             "its tree was built with --columns x,y, and this run has x",
			"-c x,y":                     "its tree was built with --scale 2,3, and this run has none",
			"-c x,y --scale 2,4":         "its tree was built with --scale 2,3, and this run has 2,4",
			"-c x,y --scale 2,3 --box 9": "its tree was built with --metric euclidean, and this run has periodic",
		} {
			cmdtest.Refuse(t, exit.Request, append([]string{"hdbscan", in, "--from-tree", tree}, strings.Fields(args)...), says)
		}
	}
}

// Existing files are replaced with --force alone.
func TestForce(t *testing.T) {
	dir := t.TempDir()
	name := func(s string) string { return filepath.Join(dir, s) }
	in := cmdtest.CSVOf(t, cmdtest.Values("x", 0, 1, 2, 10, 11, 12)...)
	for flag, file := range map[string]string{"-o": "o.csv", "--clusters": "c.csv", "--tree": "t.csv", "--linkage": "l.csv", "--mst": "m.csv", "--plot-tree": "t.svg"} {
		args := []string{"hdbscan", in, "-c", "x", "-q", "--min-cluster-size", "3", flag, name(file)}
		cmdtest.Succeed(t, args...)
		cmdtest.Refuse(t, exit.Request, args, name(file)+" exists", "--force")
		cmdtest.Succeed(t, append(args, "--force")...)
	}
}

func TestRefused(t *testing.T) {
	in := cmdtest.CSVOf(t, cmdtest.Values("x", 0, 1, 2, 3)...)
	for _, c := range []struct{ args, says string }{
		{"", "--min-cluster-size is needed"},
		{"--min-cluster-size 1", "at least 2"},
		{"--min-cluster-size 2.5", "whole"},
		{"--min-cluster-size 2,2", "twice"},
		{"--min-cluster-size x", `"x" is not a number`},
		{"--min-cluster-size 5", "--min-cluster-size 5: it is more than the 4 rows"},
		{"--min-cluster-size 2 --min-samples 5", "min-samples 5, which is more than the number of rows, 4"},
		{"--min-cluster-size 2 --min-samples 0", "at least 1"},
		{"--min-cluster-size 2 --alpha 0", "positive"},
		{"--min-cluster-size 2 --select leaf --max-cluster-size 3", "eom"},
		{"--min-cluster-size 2 --select leaf --epsilon-max 3", "eom"},
		{"--min-cluster-size 2 --select leaf --single-cluster", "--epsilon"},
		{"--min-cluster-size 2 --max-cluster-size -1", "positive"},
		{"--min-cluster-size 2 --cut 1,x", `"x"`},
		{"--min-cluster-size 2 --cut 1deg", "plain number"},
		{"--min-cluster-size 2 --unit deg", "not angles"},
	} {
		cmdtest.Refuse(t, exit.Request, append([]string{"hdbscan", in, "-c", "x"}, strings.Fields(c.args)...), c.says)
	}
}

// NGC 103 stands out of its field and the other clump of it does not, as the censuses
// of open clusters tell them apart.
func TestClusterSignificance(t *testing.T) {
	in := cmdtest.TestData(t, "asteca_gaia_field.csv")
	out := filepath.Join(t.TempDir(), "clusters.csv")
	args := []string{"hdbscan", in, "-c", "RA_ICRS,DE_ICRS,pmRA,pmDE,Plx", "--scale", "0.08deg,0.25,0.25,0.12", "--min-cluster-size", "40", "--min-samples", "10", "-q"}
	cmdtest.Succeed(t, append(args, "--clusters", out, "--test", "cst")...)
	if got := strings.Join(append(cmdtest.Column(t, out, "size"), cmdtest.Column(t, out, "cst")...), " "); got != "430 148 22.199267656857725 1.043467639581279" {
		t.Errorf("sizes and significances %s", got)
	}
	cmdtest.Refuse(t, exit.Request, append(args, "--test", "cst"), "--test cst: it is a column of --clusters")
}

// Births and deaths have their unit beside them in JSON, and stabilities theirs.
func TestUnitOfBirths(t *testing.T) {
	in := cmdtest.CSVOf(t, "ra,dec", "359.9,0", "0,0", "0.1,0", "90,0", "90.1,0", "90.2,0", "180,80")
	for unit, args := range map[string][]string{"arcsec": nil, "arcmin": {"--unit", "arcmin"}} {
		r := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append([]string{"hdbscan", in, "--min-cluster-size", "3", "--min-samples", "2", "--json"}, args...)...)).Result
		if r["unit"] != unit || r["stability_unit"] != unit+"**-1" {
			t.Errorf("%v: unit %v, stability_unit %v", args, r["unit"], r["stability_unit"])
		}
	}
}
