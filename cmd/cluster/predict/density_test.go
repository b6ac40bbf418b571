package predict

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// The rows of a tree get their labels, probabilities and scores back, whatever
// the metric and the selection; others join what they reach first.
func TestPredictByATree(t *testing.T) {
	dir := t.TempDir()
	sky, plane := filepath.Join(dir, "sky.parquet"), filepath.Join(dir, "plane.parquet")
	cmdtest.Succeed(t, "gen", "sky", "-n", "4000", "-q", "-o", sky)
	cmdtest.Succeed(t, "gen", "clumps", "-n", "3000", "--clusters", "5", "-q", "-o", plane)
	for name, c := range map[string]struct{ in, args, suffix string }{
		"sky":      {sky, "-c ra,dec --min-cluster-size 20 --min-samples 5", ""},
		"scaled":   {sky, "-c ra,dec,pmra,parallax --scale 0.5deg,standard,minmax --min-cluster-size 15 --select leaf", ""},
		"distance": {sky, "-c ra,dec --distance parallax --min-cluster-size 20 --epsilon 0.01", ""},
		"several":  {plane, "-c x,y --min-cluster-size 30,10 --min-samples 6 --alpha 1.5", "_30"},
		"periodic": {plane, "-c x,y --box 100 --min-cluster-size 20 --max-cluster-size 900", ""},
	} {
		labelled, out := filepath.Join(dir, name+"-labelled.parquet"), filepath.Join(dir, name+"-out.csv")
		cmdtest.Succeed(t, append([]string{"hdbscan", c.in, "-q", "-o", labelled}, strings.Fields(c.args)...)...)
		cmdtest.Succeed(t, "predict", labelled, c.in, "-q", "-o", out)
		want := filepath.Join(dir, name+"-want.csv")
		cmdtest.Succeed(t, append([]string{"hdbscan", c.in, "-q", "-o", want}, strings.Fields(c.args)...)...)
		for _, column := range []string{"cluster", "probability", "outlier"} {
			if !slices.Equal(cmdtest.Column(t, out, column+c.suffix), cmdtest.Column(t, want, column+c.suffix)) {
				t.Errorf("%s: the rows of the tree do not get their %s back", name, column)
			}
		}
		if n := len(cmdtest.Sizes(cmdtest.Column(t, want, "cluster"+c.suffix))); n < 2 {
			t.Errorf("%s: %d clusters are too few to tell anything", name, n)
		}
	}
	labelled, tree, again := filepath.Join(dir, "plane-labelled.parquet"), filepath.Join(dir, "tree.parquet"), filepath.Join(dir, "again.parquet")
	cmdtest.Succeed(t, "hdbscan", plane, "-c", "x,y", "--min-cluster-size", "20", "-q", "-o", labelled, "--tree", tree)
	out := filepath.Join(dir, "far.csv")
	cmdtest.Succeed(t, "predict", labelled, cmdtest.CSVOf(t, "x,y", "1e6,1e6"), "-q", "-o", out)
	if got := cmdtest.Column(t, out, "cluster"); got[0] != "-1" {
		t.Errorf("a row far away is in cluster %s", got[0])
	}
	// A selection of a stored tree says how the tree was built; CSV has no place for that.
	cmdtest.Succeed(t, "hdbscan", plane, "-c", "x,y", "--from-tree", tree, "--select", "leaf", "-q", "-o", again)
	labels := filepath.Join(dir, "again.csv")
	cmdtest.Succeed(t, "predict", again, plane, "-q", "-o", labels)
	want := filepath.Join(dir, "leaf.csv")
	cmdtest.Succeed(t, "hdbscan", plane, "-c", "x,y", "--min-cluster-size", "20", "--select", "leaf", "-q", "-o", want)
	if !slices.Equal(cmdtest.Column(t, labels, "cluster"), cmdtest.Column(t, want, "cluster")) {
		t.Error("the rows of a stored tree do not get their labels back")
	}
	text := filepath.Join(dir, "tree.csv")
	cmdtest.Succeed(t, "hdbscan", plane, "-c", "x,y", "--min-cluster-size", "20", "-q", "--tree", text)
	cmdtest.Succeed(t, "hdbscan", plane, "-c", "x,y", "--from-tree", text, "-q", "-o", again, "--force")
	cmdtest.Refuse(t, 2, []string{"predict", again, plane}, "--from-tree")
}
