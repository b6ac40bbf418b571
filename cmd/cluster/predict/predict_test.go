package predict

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/report"
)

// The training rows get their labels back, whatever the metric and the border
// rule.
func TestPredictGivesLabelsBack(t *testing.T) {
	dir := t.TempDir()
	sky := filepath.Join(dir, "sky.parquet")
	cmdtest.Succeed(t, "gen", "sky", "-n", "4000", "-q", "-o", sky)
	plane := filepath.Join(dir, "plane.csv")
	cmdtest.Succeed(t, "gen", "clumps", "-n", "3000", "--clusters", "5", "-q", "-o", plane)
	for name, c := range map[string]struct{ in, args string }{
		"sky":      {sky, "-c ra,dec --eps 2arcmin --min-points 5"},
		"scaled":   {sky, "-c ra,dec,pmra,parallax --scale 0.5deg,standard,minmax --eps 0.1 --min-points 4 --border nearest"},
		"distance": {sky, "-c ra,dec --distance parallax --eps 0.05 --min-points 4"},
		"plane":    {plane, "-c x,y --eps 0.7 --min-points 6"},
		"periodic": {plane, "-c x,y --box 100 --eps 0.7 --min-points 6 --where x>1"},
		"weights":  {plane, "-c x --weights y --eps 0.01 --min-points 200"},
	} {
		labelled, out := filepath.Join(dir, name+"-labelled.parquet"), filepath.Join(dir, name+"-out.csv")
		cmdtest.Succeed(t, append([]string{"dbscan", c.in, "-q", "-o", labelled}, strings.Fields(c.args)...)...)
		args := []string{"predict", labelled, c.in, "-q", "-o", out}
		if i := strings.Index(c.args, "--where "); i >= 0 {
			args = append(args, strings.Fields(c.args[i:])...)
		}
		cmdtest.Succeed(t, args...)
		want := filepath.Join(dir, name+"-want.csv")
		cmdtest.Succeed(t, append([]string{"dbscan", c.in, "-q", "-o", want}, strings.Fields(c.args)...)...)
		expected := cmdtest.Column(t, want, "cluster")
		if !slices.Equal(cmdtest.Column(t, out, "cluster"), expected) {
			t.Errorf("%s: the training rows do not get their labels back", name)
		}
		if n := len(cmdtest.Sizes(expected)); n < 2 {
			t.Errorf("%s: %d clusters are too few to tell anything", name, n)
		}
	}
}

// What an earlier run was told, its filter and weights here, does not stay in
// the metadata of a later one, in no format, and predict uses all core rows.
func TestPredictAfterTwoRuns(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	in := cmdtest.CSVOf(t, "x,w", "0,1", "0.5,1", "5,1", "5.5,1")
	cmdtest.Succeed(t, "dbscan", in, "-c", "x", "--eps", "1", "--min-points", "2", "--where", "x > 3", "--weights", "w", "--null", "-9", "-q", "-o", file("first.parquet"))
	for _, second := range []string{"second.parquet", "second.fits", "second.vot", "second.ecsv"} {
		cmdtest.Succeed(t, "dbscan", file("first.parquet"), "-c", "x", "--eps", "0.75", "--min-points", "2", "-q", "-o", file(second))
		info := cmdtest.Succeed(t, "info", file(second)).Stdout
		for key, times := range map[string]int{"weights": 0, "where": 0, "null": 0, "command": 1, "eps": 1} {
			if n := strings.Count(info, report.MetadataPrefix+key); n != times {
				t.Errorf("%s: %s%s stands %d times in the metadata, want %d:\n%s", second, report.MetadataPrefix, key, n, times, info)
			}
		}
	}
	cmdtest.Succeed(t, "predict", file("second.parquet"), in, "-q", "-o", file("out.csv"))
	if got := strings.Join(cmdtest.Column(t, file("out.csv"), "cluster"), " "); got != "0 0 1 1" {
		t.Errorf("labels %q, want those of the second run, 0 0 1 1", got)
	}
}

// New rows attach to core rows only: not to border rows, nor to each other.
func TestPredictNewRows(t *testing.T) {
	dir := t.TempDir()
	in := cmdtest.CSVOf(t, "x,cluster", "0,9", "1,9", "2,9", "10,9", "10,9", "10,9")
	labelled, out := filepath.Join(dir, "labelled.parquet"), filepath.Join(dir, "out.csv")
	cmdtest.Succeed(t, "dbscan", in, "-c", "x", "--eps", "1", "--min-points", "3", "-q", "-o", labelled)
	newRows := cmdtest.CSVOf(t, "y,n", "1.5,1", "2.5,2", "3,3", "3.4,4", "10.9,5", ",6", "-5,7")
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "predict", labelled, newRows, "-c", "y", "-o", out, "--json"))
	if got := strings.Join(cmdtest.Column(t, out, "cluster"), " "); got != "0 -1 -1 -1 1  -1" {
		t.Errorf("labels %q", got)
	}
	cmdtest.Expect(t, s.Result, map[string]int64{"clusters": 2, "members": 2, "noise": 4})
	if s.Input.Skipped != 1 {
		t.Errorf("%d rows left out, want 1", s.Input.Skipped)
	}
}

func TestPredictRefuses(t *testing.T) {
	dir := t.TempDir()
	in := cmdtest.CSVOf(t, "x,y", "0,0", "1,0", "5,5")
	labelled, noise := filepath.Join(dir, "labelled.parquet"), filepath.Join(dir, "noise.parquet")
	cmdtest.Succeed(t, "dbscan", in, "-c", "x,y", "--eps", "1", "--min-points", "2", "-q", "-o", labelled)
	cmdtest.Succeed(t, "dbscan", in, "-c", "x,y", "--eps", "1", "--min-points", "3", "-q", "-o", noise)
	cmdtest.Refuse(t, 2, []string{"predict", labelled}, "a labelled catalog and a new one")
	cmdtest.Refuse(t, 2, []string{"predict", in, in}, "does not record how it was clustered", ".parquet")
	cmdtest.Refuse(t, 2, []string{"predict", labelled, cmdtest.CSVOf(t, "x,z", "1,2")}, `"y"`)
	cmdtest.Refuse(t, 2, []string{"predict", labelled, in, "-c", "x"}, "1 columns", "x,y")
	cmdtest.Refuse(t, 1, []string{"predict", noise, in}, "no core row")
	cmdtest.Refuse(t, 1, []string{"predict", labelled + ".none", in}, "labelled.parquet.none")
	cmdtest.Refuse(t, 2, []string{"predict", labelled, in, "-o", in, "--force"}, "never overwritten")
	cmdtest.Refuse(t, 2, []string{"predict", labelled, in, "-o", labelled, "--force"}, "never overwritten")
}

// The columns that the clusters were found in are derived for new rows as they
// were for the others, unless they are there.
func TestPredictDerives(t *testing.T) {
	labelled := filepath.Join(t.TempDir(), "labelled.parquet")
	cmdtest.Succeed(t, "dbscan", cmdtest.CSVOf(t, "bp,rp", "1,1", "1,1", "9,1"), "--let", "colour = bp - rp", "--let", "red = 2 * colour", "--let", "unused = bp",
		"-c", "red", "--eps", "1", "--min-points", "2", "-q", "-o", labelled)
	out := filepath.Join(t.TempDir(), "new.csv")
	cmdtest.Succeed(t, "predict", labelled, cmdtest.CSVOf(t, "rp,bp", "3,3.25", "1,9"), "-q", "-o", out)
	cmdtest.Same(t, out, "rp,bp,colour,red,cluster", "3,3.25,0.25,0.5,0", "1,9,8,16,-1")
	cmdtest.Succeed(t, "predict", labelled, cmdtest.CSVOf(t, "red", "0.5"), "-q", "--force", "-o", out)
	cmdtest.Same(t, out, "red,cluster", "0.5,0")
	cmdtest.Refuse(t, 2, []string{"predict", labelled, cmdtest.CSVOf(t, "bp,x", "3,3.25"), "-o", filepath.Join(t.TempDir(), "o.csv")}, "rp", "as "+labelled)
}
