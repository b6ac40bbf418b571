package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

// twoTables writes a FITS file with the tables of two catalogs.
func twoTables(t *testing.T, dir, name, first, second string) string {
	t.Helper()
	var file []byte
	for i, text := range []string{first, second} {
		one := filepath.Join(dir, "one.fits")
		cmdtest.Succeed(t, "convert", cmdtest.CSVOf(t, strings.Fields(text)...), "-o", one, "-q", "--force")
		b, err := os.ReadFile(one)
		if err != nil {
			t.Fatal(err)
		}
		file = append(file, b[i*2880:]...) // behind the one primary header
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Both catalogs of a join are read as the flags say: here from the second table
// of either file, where the one row of A and that of B are at the same place.
func TestReadingFlagsHoldForBothSides(t *testing.T) {
	dir := t.TempDir()
	a := twoTables(t, dir, "a.fits", "x,y,c 0,0,1", "x,y,c 100,100,2")
	b := twoTables(t, dir, "b.fits", "x,y,c 0,50,3", "x,y,c 100,100,4")
	farA, farB := cmdtest.CSVOf(t, "x,y,c", "100,100,2"), cmdtest.CSVOf(t, "x,y,c", "100,100,4")
	out := filepath.Join(dir, "out.csv")
	for _, c := range []struct {
		line string
		want []string
	}{
		{"join A B -c x,y --eps 1", []string{"row,neighbor,distance", "0,0,0"}},
		{"knn A B -c x,y -k 1", []string{"row,neighbor,distance", "0,0,0"}},
		{"match A B -c x,y --metric euclidean --radius 1 --keep c", []string{"row,neighbor,distance,c_1,c_2", "0,0,0,2,4"}},
		{"hist A --with B -c x,y --bins 0,1", []string{"lo,hi,count", "0,1,1"}},
		{"rdf A B -c x,y --box 1000 --bins 0,1", []string{"lo,hi,count", "0,1,1"}},
		{"corr A --random B -c x,y --estimator dp --bins 0,1", []string{"lo,hi,dd", "0,1,0"}},
		{"stat A B --expr a.c+b.c --reduce sum", []string{"sum", "6"}},
		{"classify --train A --label c --features x,y -k 1 B", []string{"x,y,c,predicted", "100,100,4,2"}},
	} {
		for _, names := range [][2]string{{a, b}, {a + "[2]", b + "[2]"}, {a, farB}, {farA, b}} {
			var args []string
			for _, word := range strings.Fields(c.line) {
				switch word {
				case "A":
					word = names[0]
				case "B":
					word = names[1]
				}
				args = append(args, word)
			}
			if !strings.HasSuffix(names[0], "]") {
				args = append(args, "--hdu", "2")
			}
			cmdtest.Succeed(t, append(args, "-q", "--force", "-o", out)...)
			got := cmdtest.Lines(t, out)
			for i, want := range c.want {
				if i >= len(got) || !strings.HasPrefix(got[i], want) {
					t.Errorf("cluster %s: line %d of %q, want %s", strings.Join(args, " "), i, got, want)
				}
			}
		}
	}
	// A table that no side has is an error of the side.
	cmdtest.Refuse(t, exit.Request, []string{"join", a, b, "-c", "x,y", "--eps", "1", "--hdu", "7"}, "a.fits")
	cmdtest.Refuse(t, exit.Request, []string{"join", farA, farB, "-c", "x,y", "--eps", "1", "--hdu", "2"}, "no file is FITS")
	// The tiles of a match read what the plan read.
	plan, one, merged := filepath.Join(dir, "plan"), filepath.Join(dir, "one.csv"), filepath.Join(dir, "merged.csv")
	what := []string{a, b, "-c", "x,y", "--metric", "euclidean", "--radius", "1", "--hdu", "2", "-q"}
	cmdtest.Succeed(t, append([]string{"match", "-o", one}, what...)...)
	cmdtest.Succeed(t, append([]string{"plan", "match", "--tiles", "1", "-o", plan}, what...)...)
	cmdtest.Succeed(t, "tile", plan, "--index", "0", "-q")
	cmdtest.Succeed(t, "merge", plan, "-o", merged, "-q")
	cmdtest.SameFiles(t, merged, one)
	cmdtest.Same(t, one, "row,neighbor,distance,x_1,y_1,c_1,x_2,y_2,c_2", "0,0,0,100,100,2,100,100,4")
}

// A message about unusable rows says which of the catalogs has them.
func TestUnusableRowsNameTheirFile(t *testing.T) {
	good, bad := cmdtest.CSVOf(t, "x,y", "1,1", "2,2"), cmdtest.CSVOf(t, "x,y", "1,1", "-99,2")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{good, bad, "--strict"}, bad + ": 1 of 2 rows cannot be used"},
		{[]string{bad, good, "--strict"}, bad + ": 1 of 2 rows cannot be used"},
		{[]string{good, bad, "--where-b", "x > 5"}, bad + ": the filter drops all 2 rows"},
	} {
		cmdtest.Refuse(t, exit.Failed, append([]string{"join", "-c", "x,y", "--eps", "1", "--null", "-99"}, c.args...), c.want)
	}
}

// What the second catalog is read by may differ: its table of a FITS file, its
// nulls, and its derived columns.
func TestReadingFlagsOfTheSecondCatalog(t *testing.T) {
	dir := t.TempDir()
	a := twoTables(t, dir, "a.fits", "x,y,c 0,0,1", "x,y,c 100,100,2")
	b := twoTables(t, dir, "b.fits", "x,y,c 100,100,3", "x,y,c 0,50,4")
	out := filepath.Join(dir, "out.csv")
	values := cmdtest.CSVOf(t, "x,y,c", "0,0,1", "100,100,2") // of which A has -1 and 100 for nulls, B has 0
	for line, want := range map[string][]string{
		"join A B -c x,y --eps 1 --hdu 2 --hdu-b 1":                                         {"row,neighbor,distance", "0,0,0"},
		"join A B -c x,y --eps 60 --hdu-b 2":                                                {"row,neighbor,distance", "0,0,50"},
		"knn A B -c x,y -k 1 --hdu 2 --hdu-b 1":                                             {"row,neighbor,distance", "0,0,0"},
		"match A B -c x,y --metric euclidean --radius 1 --hdu 2 --hdu-b 1 --keep c":         {"row,neighbor,distance,c_1,c_2", "0,0,0,2,3"},
		"hist A --with B -c x,y --bins 0,1 --hdu 2 --hdu-b 1":                               {"lo,hi,count", "0,1,1"},
		"rdf A B -c x,y --box 1000 --bins 0,1 --hdu 2 --hdu-b 1":                            {"lo,hi,count", "0,1,1"},
		"stat A B --expr a.c+b.c --reduce sum --hdu 2 --hdu-b 1":                            {"sum", "5"},
		"join V V -c x,y --eps 1 --null -1,100 --null-b 0":                                  {"row,neighbor,distance"},
		"join V V -c x,y --eps 1 --null 0":                                                  {"row,neighbor,distance", "1,1,0"},
		"join V V -c x,y --eps 1 --null-b 0":                                                {"row,neighbor,distance", "1,1,0"},
		"stat V V --expr a.c+b.c --reduce sum --null-b 1":                                   {"sum", "7"}, // 1 + 2 and 2 + 2
		"join V V -c x,y --columns-b u,y --let-b u=100-x --eps 100 --where-b c<2":           {"row,neighbor,distance", "0,0,100", "1,0,100"},
		"join V V -c u,y --let u=x+1 --let-b u=x+2 --eps 1":                                 {"row,neighbor,distance", "0,0,1", "1,1,1"},
		"match V V -c u,y --let u=x+1 --let-b u=x+2 --metric euclidean --radius 1 --keep u": {"row,neighbor,distance,u_1,u_2", "0,0,1,1,2", "1,1,1,101,102"},
		"hist V --with V -c u,y --let u=x+1 --let-b u=x+2 --bins 0,2 --where-b u<50":        {"lo,hi,count", "0,2,1"},
		"stat V V --expr a.u+b.u --let u=x+1 --let-b u=x+2 --reduce sum --where-b u<50":     {"sum", "106"}, // 1 + 2 and 101 + 2
		"match V V -c x,y --metric euclidean --radius 1 --null-b 0 --find all --keep c":     {"row,neighbor,distance,c_1,c_2", "1,1,0,2,2"},
	} {
		args := strings.Fields(line)
		for i, word := range args {
			if path, ok := map[string]string{"A": a, "B": b, "V": values}[word]; ok {
				args[i] = path
			}
		}
		cmdtest.Succeed(t, append(args, "-q", "--force", "-o", out)...)
		got := cmdtest.Lines(t, out)
		if len(got) != len(want) {
			t.Errorf("cluster %s: %q, want %q", line, got, want)
			continue
		}
		for i := range want {
			if !strings.HasPrefix(got[i], want[i]) {
				t.Errorf("cluster %s: line %d of %q, want %s", line, i, got, want[i])
			}
		}
	}
	for _, flag := range []string{"--hdu-b 1", "--null-b 0", "--let-b u=x"} {
		cmdtest.Refuse(t, exit.Request, append([]string{"join", a, "-c", "x,y", "--eps", "1"}, strings.Fields(flag)...), "there is no second catalog")
	}
	cmdtest.Refuse(t, exit.Request, []string{"join", a, values, "-c", "x,y", "--eps", "1", "--hdu-b", "1"}, "no file is FITS")
	// The tiles of a match read what the plan read, nulls and tables too.
	for i, more := range []string{"--hdu 2 --hdu-b 1", "--null-b 100 --find all --radius 200 --allow-empty", "-c u,y --let u=x+1 --let-b u=x+2 --find all"} {
		plan, one, merged := filepath.Join(dir, fmt.Sprint("plan", i)), filepath.Join(dir, fmt.Sprint("one", i, ".csv")), filepath.Join(dir, fmt.Sprint("merged", i, ".csv"))
		what := []string{a, b, "--metric", "euclidean", "-q"}
		for flag, value := range map[string]string{"-c": "x,y", "--radius": "150"} {
			if !strings.Contains(more, flag) {
				what = append(what, flag, value)
			}
		}
		what = append(what, strings.Fields(more)...)
		cmdtest.Succeed(t, append([]string{"match", "-o", one}, what...)...)
		cmdtest.Succeed(t, append([]string{"plan", "match", "--tiles", "1", "-o", plan}, what...)...)
		cmdtest.Succeed(t, "tile", plan, "--index", "0", "-q")
		cmdtest.Succeed(t, "merge", plan, "-o", merged, "-q")
		cmdtest.SameFiles(t, merged, one)
	}
}
