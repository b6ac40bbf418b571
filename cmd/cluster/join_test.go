package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestJoinPairs(t *testing.T) {
	a := csvOf(t, "x,y,name", "0,0,a", "1,0,b", ",0,c", "0.5,0,d", "9,9,e", "0,0,f")
	b := csvOf(t, "u,v,mag,name", "0,0.25,1.5,p", "9,9,,q")
	for _, c := range []struct{ args, want string }{
		{a + " -c x,y --eps 0.5", "row,neighbor,distance\n0,3,0.5\n0,5,0\n1,3,0.5\n3,5,0.5\n"},
		{a + " -c x,y --eps 0.4", "row,neighbor,distance\n0,5,0\n"},
		{a + " -c x,y --eps 1e-9 --keep name", "row,neighbor,distance,name_1,name_2\n0,5,0,a,f\n"},
		{a + " " + b + " -c x,y --columns-b u,v --eps 0.3", "row,neighbor,distance\n0,0,0.25\n4,1,0\n5,0,0.25\n"},
		{a + " " + b + " -c x,y --columns-b u,v --eps 0.3 --keep mag,name,x", "row,neighbor,distance,mag,name_1,name_2,x\n" +
			"0,0,0.25,1.5,a,p,0\n4,1,0,,e,q,9\n5,0,0.25,1.5,f,p,0\n"},
		{b + " " + a + " -c u,v --columns-b x,y --eps 0.3", "row,neighbor,distance\n0,0,0.25\n0,5,0.25\n1,4,0\n"},
		{a + " " + a + " -c x,y --eps 0.1", "row,neighbor,distance\n0,0,0\n0,5,0\n1,1,0\n3,3,0\n4,4,0\n5,0,0\n5,5,0\n"},
		{a + " -c x,y --box 9.5 --eps 1", "row,neighbor,distance\n0,1,1\n0,3,0.5\n0,4,0.7071067811865476\n0,5,0\n1,3,0.5\n1,5,1\n3,5,0.5\n4,5,0.7071067811865476\n"},
	} {
		for _, more := range [][]string{nil, {"-t", "3"}, {"--algorithm", "kdtree"}, {"--algorithm", "brute"}, {"--algorithm", "newsuperego"}, {"--device", "cpu"}} {
			args := append(append([]string{"join"}, strings.Fields(c.args)...), append(more, "-o", "-", "-q")...)
			if strings.Contains(c.args, "--box") && slices.Contains(more, "newsuperego") {
				continue // not for periodic metrics
			}
			out := filepath.Join(t.TempDir(), "out.csv")
			args[len(args)-2] = out
			succeed(t, args...)
			got, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("%s: got\n%swant\n%s", strings.Join(args, " "), got, c.want)
			}
		}
	}
}

// With little memory the same bytes are written in more batches.
func TestJoinStreams(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.parquet")
	succeed(t, "gen", "clumps", "-n", "20000", "-q", "-o", in)
	pairs := func(flags ...string) (string, int64) {
		out := filepath.Join(t.TempDir(), "out.csv")
		r := succeed(t, append([]string{"join", in, "-c", "x,y", "--eps", "0.5", "-o", out, "--json"}, flags...)...)
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			Result struct {
				Pairs       int64
				Selectivity float64
			}
			Input struct{ Used int64 }
		}
		if err := json.Unmarshal([]byte(r.stdout), &s); err != nil {
			t.Fatal(err)
		}
		if lines := int64(strings.Count(string(text), "\n")) - 1; s.Result.Pairs != lines || s.Result.Selectivity != 2*float64(lines)/20000 {
			t.Errorf("%v: %d lines, summary %+v", flags, lines, s.Result)
		}
		return string(text), s.Result.Pairs
	}
	want, n := pairs()
	if n < 100_000 {
		t.Fatalf("%d pairs are too few to stream", n)
	}
	for _, flags := range []string{"-t 1", "-t 7", "--memory 3MB -t 2"} {
		if got, _ := pairs(strings.Fields(flags)...); got != want {
			t.Errorf("%s: other bytes", flags)
		}
	}
	refuse(t, statusRequest, []string{"join", in, "-c", "x,y", "--eps", "0.5", "--memory", "100kB", "-q"}, "100000", "--memory")
}

func TestJoinRefusals(t *testing.T) {
	a := csvOf(t, "x,y,ra,dec", "0,0,1,1")
	b := csvOf(t, "u,v,ra,dec", "0,0,1,1")
	for _, c := range []struct {
		status int
		args   string
		parts  string
	}{
		{2, a, "--eps is needed"},
		{2, "--eps 1", "no input file"},
		{2, a + " " + b + " " + b + " --eps 1", "one catalog or two, 3 were given"},
		{2, a + " -c x,y --eps 1 --columns-b u,v", "no second catalog"},
		{2, a + " " + b + " -c x,y --eps 1", "second catalog|x"},
		{2, a + " " + b + " -c x,y --columns-b u --eps 1", "A has 2 coordinate columns (x,y), B has 1 (u)"},
		{2, a + " -c ra,dec --eps 1", "needs a unit"},
		{2, a + " -c x,y --eps 1 --unit deg", "--unit deg"},
		{2, a + " -c x,y --eps 1 --keep nothing -o out.csv", "--keep|nothing"},
		{2, a + " -c x,y --eps 1 --keep x,x -o out.csv", "twice"},
		{2, a + " -c x,y --eps 1 --algorithm magic", "auto, grid, superego, newsuperego, rtree, kdtree, brute"},
		{1, a + " " + b + ".none -c x,y --eps 1", ".none"},
		{2, a + " " + b + " -c x,y --columns-b u,v --eps 1 --force -o " + b, "never overwritten"},
		{2, a + " " + b + " -c x,y --columns-b u,v --eps 1 --force -o " + a, "never overwritten"},
	} {
		refuse(t, c.status, append([]string{"join", "-q"}, strings.Fields(c.args)...), strings.Split(c.parts, "|")...)
	}
}

// The published counts of the Shapley concentration, and the unit of --eps.
func TestJoinShapley(t *testing.T) {
	in := testData(t, "shapley_galaxies.csv")
	for _, algorithm := range []string{"grid", "superego", "newsuperego", "kdtree", "rtree", "brute"} {
		r := succeed(t, "join", in, "-c", "RA,Dec", "--eps", ".1deg", "--json", "--algorithm", algorithm)
		if !strings.Contains(r.stdout, `"pairs":12588,`) {
			t.Errorf("%s: %s", algorithm, r.stdout)
		}
	}
	for eps, want := range map[string]int64{".01deg": 4865, "6arcmin": 29391, "1deg": 901055} {
		r := succeed(t, "join", in, "-c", "RA,Dec", "--eps", eps, "--json")
		if pairs := strconv.FormatInt((want-4215)/2, 10); !strings.Contains(r.stdout, `"pairs":`+pairs+",") {
			t.Errorf("%s: %s, want %s pairs", eps, r.stdout, pairs)
		}
	}
	out := filepath.Join(t.TempDir(), "pairs.csv")
	for unit, scale := range map[string]float64{"": 1, "arcsec": 3600, "rad": 3.141592653589793 / 180} {
		args := []string{"join", in, "-c", "RA,Dec", "--eps", "0.01deg", "-o", out, "--force", "-q"}
		if unit != "" {
			args = append(args, "--unit", unit)
		}
		succeed(t, args...)
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		largest := 0.0
		for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
			v, err := strconv.ParseFloat(line[strings.LastIndex(line, ",")+1:], 64)
			if err != nil {
				t.Fatal(err)
			}
			largest = max(largest, v/scale)
		}
		if largest > 0.01000001 || largest < 0.009 {
			t.Errorf("--unit %s: the largest distance is %v deg", unit, largest)
		}
	}
}
