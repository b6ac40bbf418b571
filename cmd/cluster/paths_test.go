package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

// No command overwrites what it reads, whatever it reads it for, nor one output
// with another.
func TestNoInputIsOverwritten(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	files := map[string]string{
		"edges.csv": "1\n2\n3\n", "rr.csv": "old", "old.csv": "old",
		"box.csv": "x,y,z,label\n1,1,1,a\n2,2,2,b\n3,3,3,a\n4,4,4,b\n",
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("sub", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("sub", "same"); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	cmdtest.Succeed(t, "gen", "sky", "-n", "300", "-o", "sub/sky.parquet", "-q")
	cmdtest.Succeed(t, strings.Fields("plan dbscan sub/sky.parquet -c ra,dec --eps 1arcmin --min-points 5 --tiles 2 -o p -q")...)
	for _, i := range []string{"0", "1"} {
		cmdtest.Succeed(t, "tile", "p", "--index", i, "-q")
	}
	cmdtest.Succeed(t, "relabel", "p", "-q")
	cmdtest.Succeed(t, strings.Fields("plan dbscan sub -c ra,dec --eps 2arcmin --min-points 5 --tiles 2 -o q -q")...)
	for _, i := range []string{"0", "1"} {
		cmdtest.Succeed(t, "tile", "q", "--index", i, "-q")
	}
	cmdtest.Succeed(t, "convert", "sub/sky.parquet", "-o", "sky.fits", "-q")
	cmdtest.Succeed(t, strings.Fields("plan dbscan sky.fits[1] -c ra,dec --eps 1arcmin --min-points 5 --tiles 1 -o f -q")...)
	cmdtest.Succeed(t, "tile", "f", "--index", "0", "-q")
	labelled, err := os.ReadFile("sub/sky.labelled.parquet")
	if err != nil {
		t.Fatal(err)
	}
	const input, twice = "and inputs are never overwritten", "named twice"
	for _, c := range []struct{ line, want string }{
		{"hist box.csv -c x,y,z --bins @edges.csv -o edges.csv", input},
		{"stat box.csv -c x,y,z --expr r --reduce hist --bins @./edges.csv -o edges.csv", input},
		{"stat box.csv -c x,y,z --expr r --reduce sum --emit-cuda same/../box.csv", input},
		{"corr box.csv --random box.csv -c x,y,z --bins lin:0:3:3 --rr rr.csv -o rr.csv", input},
		{"corr box.csv --random box.csv -c x,y,z --bins lin:0:3:3 --compare old.csv -o old.csv", input},
		{"corr box.csv --random box.csv -c x,y,z --bins lin:0:3:3 --save-rr box.csv", input},
		{"classify --train box.csv --label label --features x,y -k 1 box.csv -o box.csv", input},
		{"gen randoms -n 10 --footprint sub/sky.parquet -o same/sky.parquet", input},
		{"merge p -o same/sky.parquet", input},
		{"merge f -o sky.fits", input},
		{"merge p -o p/tiles.parquet", "would lie in p, which is read"},
		{"relabel p -o p/tiles", "would lie in p, which is read"},
		{"relabel q", "output " + dir + "/sub/sky.labelled.parquet is the input"},
		{"plan dbscan sub/sky.parquet -c ra,dec --eps 1arcmin --min-points 5 --tiles 2 -o same", "same is a link, which is not followed"},
		{"plan dbscan sub/sky.parquet -c ra,dec --eps 1arcmin --min-points 5 --tiles 2 -o sub", "sub is a folder that holds no plan"},
		{"dbscan box.csv -c x,y --eps 1 --min-points 1 -o sub/a.csv --clusters same/a.csv", twice},
	} {
		cmdtest.Refuse(t, exit.Request, append(strings.Fields(c.line), "--force"), c.want)
	}
	// A folder of another program, though it has a file of the name, or a plan with
	// other files in it, is not removed.
	const again = "plan dbscan sub/sky.parquet -c ra,dec --eps 1arcmin --min-points 5 --tiles 2 --force -o "
	if err := os.WriteFile("sub/plan.json", []byte(`{"tool":"other"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	cmdtest.Refuse(t, exit.Request, strings.Fields(again+"sub"), "sub is a folder that holds no plan")
	cmdtest.Succeed(t, strings.Fields(again+"p -q")...) // with all that its tiles have computed
	if err := os.WriteFile("p/thesis.txt", []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmdtest.Refuse(t, exit.Request, strings.Fields(again+"p"), "p holds thesis.txt")
	for name, text := range files {
		if b, err := os.ReadFile(name); err != nil || string(b) != text {
			t.Errorf("%s holds %q (error %v) now", name, b, err)
		}
	}
	if b, err := os.ReadFile("sub/sky.labelled.parquet"); err != nil || string(b) != string(labelled) {
		t.Errorf("an input of the plan was replaced (error %v)", err)
	}
}

// A scan of a folder leaves out plans, and says which outputs of this program it
// takes.
func TestScansAndOwnOutputs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll("cat", 0o777); err != nil {
		t.Fatal(err)
	}
	cmdtest.Succeed(t, "gen", "sky", "-n", "300", "-o", "cat/a.parquet", "-q")
	cmdtest.Succeed(t, strings.Fields("plan dbscan cat -c ra,dec --eps 1arcmin --min-points 5 --tiles 1 -o cat/plan -q")...)
	const run = "dbscan -c ra,dec --eps 1arcmin --min-points 5 "
	if r := cmdtest.Succeed(t, strings.Fields(run+"cat --json")...); !strings.Contains(r.Stdout, `"files":["cat/a.parquet"],"rows":300,`) {
		t.Errorf("a folder with a plan: %s", r.Stdout)
	}
	cmdtest.Refuse(t, exit.Failed, strings.Fields(run+"cat/plan"), "cat/plan is a plan of 'cluster plan', not a catalog")
	cmdtest.Succeed(t, "tile", "cat/plan", "--index", "0", "-q")
	cmdtest.Succeed(t, "relabel", "cat/plan", "-q")
	const note = "cat/a.labelled.parquet, an output of 'cluster dbscan', is read with the others"
	for _, in := range []string{"cat", "cat/*.parquet"} {
		if r := cmdtest.Succeed(t, strings.Fields(run+in)...); !strings.Contains(r.Stderr, note) {
			t.Errorf("%s: %s", in, r.Stderr)
		}
	}
	for _, in := range []string{"cat/a.parquet cat/a.labelled.parquet", "cat/*labelled*"} {
		if r := cmdtest.Succeed(t, strings.Fields(run+in)...); strings.Contains(r.Stderr, "an output of") {
			t.Errorf("%s, which the user has named: %s", in, r.Stderr)
		}
	}
}

// Nothing is written through a link below the folder of -o.
func TestRelabelFollowsNoLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"cat/sub", "out", "away"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	cmdtest.Succeed(t, "gen", "sky", "-n", "30", "-o", "cat/sub/a.parquet", "-q")
	cmdtest.Succeed(t, "gen", "sky", "-n", "30", "-o", "cat/b.parquet", "-q")
	cmdtest.Succeed(t, strings.Fields("plan dbscan cat -c ra,dec --eps 1arcmin --min-points 5 --tiles 1 -o p -q")...)
	cmdtest.Succeed(t, "tile", "p", "--index", "0", "-q")
	if err := os.Symlink("../away", "out/sub"); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	cmdtest.Refuse(t, exit.Request, strings.Fields("relabel p -o out/"), "out/sub is a link")
	if names := append(cmdtest.Names(t, "away"), cmdtest.Names(t, "out")...); len(names) != 1 {
		t.Errorf("%q were made", names)
	}
	cmdtest.Succeed(t, strings.Fields("relabel p -o new/place -q")...)
	if _, err := os.Stat("new/place/sub/a.parquet"); err != nil {
		t.Error(err)
	}
	if err := os.Rename("p/tiles", "there"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../there", "p/tiles"); err != nil {
		t.Fatal(err)
	}
	cmdtest.Refuse(t, exit.Failed, strings.Fields("tile p --index 0 --force"), "p/tiles is not a folder; links are not followed")
}

// Replaced files keep their modes.
func TestModesOfOutputs(t *testing.T) {
	dir := t.TempDir()
	in := cmdtest.CSVOf(t, "x,y", "0,0", "1,1", "3,3")
	out, figure, source := filepath.Join(dir, "out.csv"), filepath.Join(dir, "map.png"), filepath.Join(dir, "k.cu")
	for _, path := range []string{out, figure, source} {
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmdtest.Succeed(t, "dbscan", in, "-c", "x,y", "--eps", "5", "--min-points", "3", "-o", out, "-p", figure, "--force", "-q")
	cmdtest.Succeed(t, "stat", in, "-c", "x,y", "--expr", "r", "--reduce", "sum", "--emit-cuda", source, "--force", "-q")
	for _, path := range []string{out, figure, source} {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 || st.Size() < 10 {
			t.Errorf("%s: mode %v, %d bytes, error %v; want new bytes of mode 0600", path, st.Mode(), st.Size(), err)
		}
	}
}

// What a killed run has left beside an output goes, and the summary says so.
func TestSweptIsMentioned(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,y", "0,0", "1,1", "3,3")
	out := filepath.Join(t.TempDir(), "out.csv")
	left := filepath.Join(filepath.Dir(out), ".out.csv.1-0123abcd.tmp")
	if err := os.WriteFile(left, []byte("x,y\n0,"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := cmdtest.Succeed(t, "dbscan", in, "-c", "x,y", "--eps", "5", "--min-points", "3", "-o", out)
	if !strings.Contains(r.Stderr, left+", left behind by a killed run, was removed") {
		t.Errorf("stderr: %s", r.Stderr)
	}
	if _, err := os.Lstat(left); !os.IsNotExist(err) {
		t.Errorf("%s is there still (error %v)", left, err)
	}
}
