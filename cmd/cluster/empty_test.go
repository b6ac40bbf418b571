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

// emptyRuns are command lines in which the catalog {e} has no usable row, and what the
// summary says then; IN is a catalog with rows.
var emptyRuns = []struct{ line, result string }{
	{"dbscan {e} -c x,y --eps 1 --min-points 2 -o {out}", "clusters 0 noise 0 core 0 border 0 pairs 0 largest 0"},
	{"dbscan {e} -c x,y --eps 1 --min-points 2 --clusters {out}", "clusters 0"},
	{"dbscan {e} -c x,y --scale standard --eps 1 --min-points 2 -o {out}", "clusters 0"},
	{"hdbscan {e} -c x,y --min-cluster-size 2 --cut 1 -o {out}", "clusters 0 noise 0 largest 0"},
	{"hdbscan {e} -c x,y --min-cluster-size 2 --tree {out}", "clusters 0"},
	{"optics {e} -c x,y --min-samples 2 --extract dbscan:1 -o {out}", "rows 0 starts 0 clusters 0 noise 0 largest 0"},
	{"outliers {e} -c x,y --method lof -k 2 --top 3 -o {out}", "rows 0 median <nil> max <nil>"},
	{"outliers {e} -c x,y --method glosh -k 2 --flag-above 1 -o {out}", "rows 0 outliers 0"},
	{"outliers {e} -c x,y --method kdist -k 2 -o {out}", "rows 0"},
	{"validity {e} -c x,y --labels p --clusters {out}", "dbcv <nil> clusters 0 noise 0"},
	{"kdist {e} -c x,y -k 2 -o {out}", "rows 0 min <nil> median <nil> max <nil> knee <nil>"},
	{"scan {e} -c x,y --min-points 2 -o {out}", ""},
	{"join {e} -c x,y --eps 1 -o {out}", "pairs 0"},
	{"join IN {e} -c x,y --eps 1 --keep name -o {out}", "pairs 0 selectivity 0"},
	{"join {e} IN -c x,y --eps 1 -o {out}", "pairs 0"},
	{"knn {e} -c x,y -k 1 -o {out}", "rows 0"},
	{"knn IN {e} -c x,y -k 1 -o {out}", "rows 0"},
	{"knn {e} IN -c x,y -k 1 -o {out}", "rows 0"},
	{"match {e} IN -c x,y --metric euclidean --radius 1 -o {out}", "matches 0"},
	{"hist {e} -c x,y --bins 0,1,2 --mean-separation -o {out}", "pairs 0"},
	{"hist IN --with {e} -c x,y --bins 0,1,2 -o {out}", "pairs 0"},
	{"rdf {e} -c x,y --box 20 --bins 0,1,2 -o {out}", "pairs 0"},
	{"corr {e} --random IN -c x,y --bins 0,1,2 -o {out}", "data 0"},
	{"corr IN --random {e} -c x,y --bins 0,1,2 -o {out}", "randoms 0"},
	{"stat {e} -c x,y --expr r --reduce sum -o {out}", ""},
	{"classify --train IN --label name --features x,y -k 1 --probabilities {e} -o {out}", "rows 0"},
	{"classify --train {e} --label name --features x,y -k 1 IN -o {out}", "classes 0"},
	{"predict {labelled} {e} -o {out}", "clusters 0 members 0 noise 0"},
}

// Under --allow-empty a catalog without a usable row gives an empty result: a table
// with the columns of other runs, counts of 0, and null where nothing is defined.
// Without the flag, the error names it.
func TestAllowEmpty(t *testing.T) {
	dir := t.TempDir()
	in := cmdtest.CSVOf(t, "x,y,p,name", "0,0,1,a", "1,0,1,a", "1,1,0,b", "4,4,0,b", "5,5,0,b")
	labelled := filepath.Join(dir, "labelled.parquet")
	cmdtest.Succeed(t, "dbscan", in, "-c", "x,y", "--eps", "1", "--min-points", "2", "-o", labelled, "-q")
	headers := cmdtest.CSVOf(t, "x,y,p,name")
	nulls := cmdtest.CSVOf(t, "x,y,p,name", "nan,1,1,a", ",1,1,b")
	for i, c := range emptyRuns {
		run := func(empty, out string, flags ...string) []string {
			return append(strings.Fields(strings.NewReplacer("{e}", empty, "IN", in, "{out}", out, "{labelled}", labelled).Replace(c.line)), flags...)
		}
		full := filepath.Join(dir, fmt.Sprintf("full%d.csv", i))
		cmdtest.Succeed(t, run(in, full, "-q")...)
		for _, empty := range []string{headers, nulls} {
			out := filepath.Join(dir, fmt.Sprintf("%d%s.csv", i, filepath.Base(filepath.Dir(empty))))
			r := cmdtest.Succeed(t, run(empty, out, "--allow-empty", "--json")...)
			words := strings.Fields(c.result)
			result := cmdtest.SummaryOf(t, r).Result
			for k := 0; k < len(words); k += 2 {
				if got := fmt.Sprint(result[words[k]]); got != words[k+1] {
					t.Errorf("%s: %s is %s, want %s", c.line, words[k], got, words[k+1])
				}
			}
			got, want := cmdtest.Lines(t, out), cmdtest.Lines(t, full)
			if probable := strings.Contains(c.line, "--train {e}"); got[0] != want[0] && !probable {
				t.Errorf("%s: columns %s, want %s", c.line, got[0], want[0])
			}
			os.Remove(out)
			cmdtest.Refuse(t, exit.Failed, run(empty, out), "; with --allow-empty the result is empty")
		}
	}
}
