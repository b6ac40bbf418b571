package join

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

func TestJoinSelf(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,id", "0,9223372036854775807", "1,7", ",8", "1.5,18", "10,3")
	algorithms := []string{"auto", "grid", "kdtree", "superego", "newsuperego", "rtree", "brute"}
	for _, a := range algorithms {
		out := filepath.Join(t.TempDir(), "out.csv")
		s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "join", in, "-c", "x", "--eps", "1", "--keep", "id", "--algorithm", a, "-o", out, "--json"))
		cmdtest.Same(t, out, "row,neighbor,distance,id_1,id_2", "0,1,1,9223372036854775807,7", "1,3,0.5,7,18")
		for key, want := range map[string]string{"pairs": "2", "selectivity": "1"} {
			if got := fmt.Sprint(s.Result[key]); got != want {
				t.Errorf("%s: %s is %s, want %s", a, key, got, want)
			}
		}
	}
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "join", in, "-c", "x", "--eps", "1", "--json"))
	if fmt.Sprint(s.Result["pairs"]) != "2" {
		t.Errorf("without -o: %v", s.Result)
	}
}

func TestJoinTwo(t *testing.T) {
	a := cmdtest.CSVOf(t, "ra,dec,name", "359.9999,0,west", "10,80,far")
	b := cmdtest.CSVOf(t, "RAJ2000,DEJ2000,mag", "0.0001,0,1.5", "180,0,2", "10,80,3")
	out := filepath.Join(t.TempDir(), "out.csv")
	r := cmdtest.Succeed(t, "join", a, b, "--eps", "0.001deg", "--unit", "arcsec", "--keep", "name,mag", "-o", out, "--json")
	got := cmdtest.Lines(t, out)
	if len(got) != 3 || !strings.HasPrefix(got[1], "0,0,0.7") || !strings.HasSuffix(got[1], ",west,1.5") || got[2] != "1,2,0,far,3" {
		t.Errorf("wrote %q", got)
	}
	if !strings.Contains(r.Stdout, `"input_b":{"files":["`+b) || !strings.Contains(r.Stdout, `"selectivity":1}`) {
		t.Errorf("summary %s", r.Stdout)
	}
	table := cmdtest.Succeed(t, "join", a, b, "--eps", "0.001deg").Stderr
	if !strings.Contains(table, "second input") {
		t.Errorf("no second input in\n%s", table)
	}
}

// The order of rows and the bytes do not depend on memory or threads.
func TestJoinUnderMemory(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.parquet")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "3000", "--dim", "2", "-q", "-o", in)
	var first []byte
	for _, flags := range [][]string{{"-t", "1"}, {"-t", "3"}, {"-t", "2", "--memory", "4MiB"}, {"--algorithm", "rtree"}} {
		out := filepath.Join(dir, strings.Join(flags, "")+".csv")
		cmdtest.Succeed(t, append([]string{"join", in, "-c", "x,y", "--eps", "8", "-q", "-o", out}, flags...)...)
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b
		}
		if !slices.Equal(b, first) || len(b) < 1000 {
			t.Errorf("%v: %d bytes, differ from the first %d", flags, len(b), len(first))
		}
	}
	cmdtest.Refuse(t, 2, []string{"join", in, "-c", "x,y", "--eps", "8", "-t", "2", "--memory", "20kB", "-o", filepath.Join(dir, "no.csv")}, "--memory")
}

func TestJoinRefuses(t *testing.T) {
	a := cmdtest.CSVOf(t, "ra,dec", "1,2")
	b := cmdtest.CSVOf(t, "u,v", "1,2")
	for _, c := range []struct {
		args  []string
		parts []string
	}{
		{[]string{a, b}, []string{"--eps is needed"}},
		{[]string{a, a, a, "--eps", "1deg"}, []string{"one or two", "quoted pattern"}},
		{[]string{a, b, "--eps", "1deg"}, []string{"--columns-b"}},
		{[]string{a, "--eps", "1"}, []string{"unit"}},
		{[]string{a, "--eps", "1deg", "--keep", "nam"}, []string{"nam"}},
		{[]string{a, "--eps", "1deg", "--algorithm", "tree"}, []string{"--algorithm tree"}},
		{[]string{a, "-c", "ra", "--eps", "1", "--unit", "deg"}, []string{"--unit deg"}},
	} {
		args := append([]string{"join"}, c.args...)
		if strings.Contains(strings.Join(args, " "), "--keep") {
			args = append(args, "-o", filepath.Join(t.TempDir(), "o.csv"))
		}
		cmdtest.Refuse(t, 2, args, c.parts...)
	}
}

// Case C19: K counts what is there.
func TestKNN(t *testing.T) {
	in := cmdtest.CSVOf(t, cmdtest.Values("x", 0, 1, 3)...)
	out := filepath.Join(t.TempDir(), "out.csv")
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "knn", in, "-c", "x", "-k", "2", "-o", out, "--json"))
	cmdtest.Same(t, out, "row,neighbor,distance", "0,1,1", "0,2,3", "1,0,1", "1,2,2", "2,1,2", "2,0,3")
	if fmt.Sprint(s.Result["rows"]) != "3" || fmt.Sprint(s.Result["k"]) != "2" {
		t.Errorf("summary %v", s.Result)
	}
	cmdtest.Refuse(t, 2, []string{"knn", in, "-c", "x", "-k", "3", "-o", out, "--force"}, "k=3, which is more than the number of other rows, 2")
	cmdtest.Succeed(t, "knn", in, "-c", "x", "-k", "3", "--pad", "--keep", "x", "-q", "-o", out, "--force")
	if got := cmdtest.Lines(t, out); got[3] != "0,-1,inf,0," && got[3] != "0,-1,inf,0.0," {
		t.Errorf("padded %q", got[3])
	}
	two := filepath.Join(t.TempDir(), "two.csv")
	cmdtest.Succeed(t, "knn", in, in, "-c", "x", "-k", "3", "-q", "-o", two)
	if got := cmdtest.Lines(t, two); len(got) != 10 || got[1] != "0,0,0" {
		t.Errorf("of two catalogs: %q", got)
	}
	cmdtest.Refuse(t, 2, []string{"knn", in, "-c", "x", "-k", "1"}, "-o is needed")
	cmdtest.Refuse(t, 2, []string{"knn", in, "-c", "x", "-o", two, "--force"}, "-k is needed")
	cmdtest.Refuse(t, 2, []string{"knn", in, "-c", "x", "-k", "999999999999", "--pad", "-o", two, "--force"}, "--pad")
}

// What --let derives for one catalog is there in the second, too, where it is
// needed and missing; a column of that name is taken as it is.
func TestLetHoldsForBothCatalogs(t *testing.T) {
	a := cmdtest.CSVOf(t, "x,kind", "0,p", "1,p", "5,q", "6,q")
	b := cmdtest.CSVOf(t, "x,pm,kind", "0,1,p", "3,1,q")
	own := cmdtest.CSVOf(t, "x,y", "7,0")
	for _, c := range []struct{ args, key, want string }{
		{"join A B --let {y=x*2} -c y --eps .5", "pairs", "1"},               // 0-0 of 0, 2, 10, 12 and 0, 6
		{"join A OWN --let {y=x*2} -c y --eps .5", "pairs", "1"},             // y is 0 there, not 14
		{"join A B --let {u=x*2} -c x --columns-b u --eps .5", "pairs", "2"}, // 0, 1, 5, 6 and 0, 6
		{"knn A B --let {y=x*2} -c y -k 1 -o OUT", "rows", "4"},
		{"match A B --let {y=x*2} -c y --radius 5", "matches", "2"},
		{"match A B --let {e=x*0+1} -c x --error-b e --radius 5", "matches", "1"}, // 5 is 2 from 3, the error is 1
		{"stat A B --let {y=x*2} --expr a.y+b.y --reduce sum", "sum", "72"},
		{"hist A --with B --let {w=x+1} -c x --weights w --bins 0,0.5", "total_weight", "80"},    // (1+2+6+7)(1+4)
		{"classify B --train A --label kind --let {y=x*2} --features y -k 1", "accuracy", "0.5"}, // 6 is as far from 2, p, as from 10
		{"classify --train A --label kind --let {y=x*2} --features y -k 1 --cv loo", "accuracy", "1"},
	} {
		args := strings.Fields(strings.NewReplacer("{", "", "}", "").Replace(c.args))
		for i, arg := range args {
			if file := map[string]string{"A": a, "B": b, "OWN": own, "OUT": filepath.Join(t.TempDir(), "o.csv")}[arg]; file != "" {
				args[i] = file
			}
		}
		if got := fmt.Sprint(cmdtest.SummaryOf(t, cmdtest.Succeed(t, append(args, "--json")...)).Result[c.key]); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.args, c.key, got, c.want)
		}
	}
}

// Radii in milliarcseconds and microarcseconds, and distances in their unit.
func TestSmallAngles(t *testing.T) {
	in := cmdtest.CSVOf(t, "ra,dec", "10,0", "10.0000005,0", "10.0001,0") // 1.8 mas
	for eps, want := range map[string]string{"2mas": "1", "1.7mas": "0", "1900uas": "1", "1700\u00b5as": "0", "1900 \u03bcas": "1"} {
		s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "join", in, "--eps", eps, "--json"))
		if got := fmt.Sprint(s.Result["pairs"]); got != want {
			t.Errorf("--eps %s: %s pairs, want %s", eps, got, want)
		}
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	cmdtest.Succeed(t, "join", in, "--eps", "2mas", "-o", out, "-q")
	if got := cmdtest.Rounded(t, cmdtest.Column(t, out, "distance")[0], 6); got != "1.800000" {
		t.Errorf("distance %s mas, want 1.8", got)
	}
}

// --eps 0 finds the rows that are in the same place, and no others.
func TestDuplicates(t *testing.T) {
	plane := cmdtest.CSVOf(t, "x,y", "0,0", "1,1", "1,1", "1,1.0000000000000002", "0,1e-140", "0,-0")
	sky := cmdtest.CSVOf(t, "ra,dec", "0,20", "10,20", "10,20", "10.00000000001,20", "360,20")
	for _, c := range []struct{ args, want string }{
		{plane + " -c x,y --eps 0", "0,5,0 1,2,0"},
		{plane + " -c x,y --eps 0.0 --algorithm brute", "0,5,0 1,2,0"},
		{plane + " -c x,y --eps 0 --algorithm kdtree", "0,5,0 1,2,0"},
		{plane + " -c x,y --eps 0 --algorithm superego", "0,5,0 1,2,0"},
		{plane + " -c x,y --eps 0 --scale 1e3,1e-3", "0,5,0 1,2,0"},
		{plane + " -c x,y --eps 0 --box 5", "0,5,0 1,2,0"},
		{sky + " --eps 0", "0,4,0 1,2,0"},
		{sky + " --eps 0mas", "0,4,0 1,2,0"},
	} {
		out := filepath.Join(t.TempDir(), "out.csv")
		cmdtest.Succeed(t, append([]string{"join", "-q", "-o", out}, strings.Fields(c.args)...)...)
		cmdtest.Same(t, out, append([]string{"row,neighbor,distance"}, strings.Fields(c.want)...)...)
	}
	cmdtest.Refuse(t, 2, []string{"join", plane, "-c", "x,y", "--eps", "0arcsec"}, "--eps 0arcsec", "plain number")
	cmdtest.Refuse(t, 2, []string{"join", plane, "-c", "x,y", "--eps", "-1"}, "positive")
}
