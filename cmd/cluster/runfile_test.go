package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/command"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/runfile"
)

// The file of every command has all its flags, and is read again when all are taken in.
func TestConfigOfEveryCommand(t *testing.T) {
	var leaves func(c *cobra.Command) []*cobra.Command
	leaves = func(c *cobra.Command) (all []*cobra.Command) {
		for _, below := range c.Commands() {
			all = append(all, leaves(below)...)
		}
		if !c.HasSubCommands() && c.Flags().Lookup("config") != nil {
			all = append(all, c)
		}
		return all
	}
	commented := regexp.MustCompile(`(?m)^#([a-z0-9-]+ = )`)
	all := leaves(command.Root(&job.App{}, commands...))
	if len(all) < 30 {
		t.Errorf("only %d commands take --config", len(all))
	}
	for _, c := range all {
		words := strings.Fields(c.CommandPath())[1:]
		text := cmdtest.Succeed(t, append([]string{"config"}, words...)...).Stdout
		sections, err := runfile.Parse("run.toml", []byte(commented.ReplaceAllString(text, "$1")))
		if err != nil {
			t.Errorf("%s: %v", c.CommandPath(), err)
			continue
		}
		args, err := sections[0].Args(c)
		if err != nil {
			t.Errorf("%s: %v", c.CommandPath(), err)
		}
		for line := range strings.Lines(c.Flags().FlagUsages()) {
			if m := regexp.MustCompile(`--([a-z0-9-]+)`).FindStringSubmatch(line[:min(len(line), 30)]); m != nil && !runfile.IsNoKey(m[1]) &&
				!slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--"+m[1]+"=") }) {
				t.Errorf("%s: the file does not have --%s", c.CommandPath(), m[1])
			}
		}
	}
	cmdtest.Refuse(t, exit.Request, []string{"config"}, "needs the name of a command")
	cmdtest.Refuse(t, exit.Request, []string{"config", "dbscn"}, `did you mean "dbscan"?`)
}

// Of every flag that names files it is known whether they are read or written.
func TestFilesAreReadOrWritten(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			walk(below)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if flags.NamesFiles(f) && !flags.Writes(f) && flags.GroupOf(f) != flags.Input && !runfile.IsNoKey(f.Name) {
				t.Errorf("%s --%s: put it among the flags that are written, or in the group of the input", c.CommandPath(), f.Name)
			}
		})
	}
	walk(command.Root(&job.App{}, commands...))
}

// Flags of a file are those of the command line, which overrides them.
func TestConfig(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile("run.toml", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmdtest.Succeed(t, "gen", "clumps", "-n", "200", "--seed", "3", "-o", "c.csv", "-q")
	const usual = "command = \"dbscan\"\ninputs = [\"c.csv\"] # the catalog\ncolumns = ['x', 'y']\neps = 2.5\nmin-points = 4\nstar = true\nwhere = [\"x > 1\", \"y > 1\"]\njson = true\n"
	write(usual)
	line := strings.Fields("dbscan c.csv -c x,y --min-points 4 --star --json --eps")
	where := []string{"--where", "x > 1", "--where", "y > 1"}
	for _, eps := range []string{"2.5", "1.5"} {
		want := cmdtest.SummaryOf(t, cmdtest.Succeed(t, slices.Concat(line, []string{eps}, where)...))
		args := []string{"dbscan", "--config", "run.toml"}
		if eps != "2.5" {
			args = append(args, "--eps", eps, "c.csv")
		}
		got := cmdtest.SummaryOf(t, cmdtest.Succeed(t, args...))
		a, _ := json.Marshal([]any{got.Parameters, got.Result, got.Input})
		b, _ := json.Marshal([]any{want.Parameters, want.Result, want.Input})
		if string(a) != string(b) {
			t.Errorf("--eps %s: %s, want %s", eps, a, b)
		}
	}
	for text, want := range map[string]string{
		usual + "min_samples = 3\n":               "run.toml:9: unknown key min_samples, did you mean min-points?",
		"eps = 1\n\ngalaxies = 3\n":               "run.toml:3: unknown key galaxies: 'cluster dbscan' has no such flag",
		"config = \"run.toml\"\n":                 "run.toml:1: unknown key config",
		"inputs = \"c.csv\"\neps = \"1parsec\"\n": `run.toml:2: eps = 1parsec: unknown unit "parsec"`,
		"command = \"knn\"\n":                     "run.toml:1: it is for 'cluster knn', not for 'cluster dbscan'",
		"eps = 1\n[more]\neps = 2\n":              "run.toml:2: [more]: a file of --config has no tables",
		"eps.min = 1\n":                           "run.toml:1: eps.min: a table in a table",
		"eps = 1\neps = 2\n":                      "run.toml:2: it is no TOML",
		"eps = = 1\n":                             "run.toml:1: it is no TOML",
		"eps = 1979-05-27\n":                      "run.toml:1: eps: it is neither a text",
		"columns = [[\"x\"]]\n":                   "run.toml:1: columns: a list in a list",
		"eps = \"\"\n":                            "eps",
	} {
		write(text)
		cmdtest.Refuse(t, exit.Request, []string{"dbscan", "c.csv", "--config", "run.toml"}, want)
	}
	cmdtest.Refuse(t, exit.Failed, []string{"dbscan", "--config", "none.toml"}, "none.toml: no such file")
	write("eps = 1\n") // what does nothing is refused in a file, too
	cmdtest.Refuse(t, exit.Request, []string{"join", "c.csv", "-c", "x,y", "--eps", "1", "--config", "run.toml", "--null-b", "3"}, "--null-b")
}

// Tables record the run that made them, which makes them again.
func TestAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	cmdtest.Succeed(t, "gen", "clumps", "-n", "200", "--seed", "3", "-o", "it's.csv", "-q")
	for _, out := range []string{"a.parquet", "a.fits", "a.vot", "a.ecsv"} {
		cmdtest.Succeed(t, "dbscan", "it's.csv", "-c", "x,y", "--eps", "2", "--min-points", "4", "--where", "x > 1", "--where", "y>1", "--star", "--counts", "-o", out, "-t", "1", "-q", "-p", out+".svg", "--clusters", "clusters."+out)
		line := `cluster dbscan 'it'\''s.csv' --eps=2 --min-points=4 --star --columns=x,y '--where=x > 1' '--where=y>1' --counts `
		for _, c := range []struct{ path, want string }{{out, strings.Replace(line, "--columns", "--columns", 1) + "--output=" + out}, {"clusters." + out, line + "--clusters=clusters." + out}} {
			got := strings.Fields(cmdtest.Succeed(t, "again", c.path).Stdout)
			want := strings.Fields(c.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s, want %s", c.path, got, want)
			}
		}
		again := strings.Replace(out, "a.", "b.", 1)
		cmdtest.Succeed(t, "again", out, "--run", "-o", again, "--json")
		cmdtest.SameFiles(t, out, again)
		cmdtest.Refuse(t, exit.Request, []string{"again", out, "--run"}, out+" exists; --force replaces it")
		cmdtest.Succeed(t, "again", out, "--run", "--force")
		cmdtest.SameFiles(t, out, again)
	}
	// A plan that was merged is repeated as one run.
	cmdtest.Succeed(t, strings.Fields("plan dbscan it's.csv -c x,y --eps 2 --min-points 4 --tiles 2 -o plan -q")...)
	cmdtest.Succeed(t, "tile", "plan", "--index", "0", "-q")
	cmdtest.Succeed(t, "tile", "plan", "--index", "1", "-q")
	cmdtest.Succeed(t, "merge", "plan", "-o", "merged.parquet", "-q")
	cmdtest.Succeed(t, "again", "merged.parquet", "--run", "-o", "one.parquet")
	cmdtest.SameFiles(t, "merged.parquet", "one.parquet")
	// Figures of every format record theirs, with how they look.
	for _, ext := range []string{".png", ".svg", ".pdf"} {
		cmdtest.Succeed(t, "dbscan", "it's.csv", "-c", "x,y", "--eps", "2", "--min-points", "4", "--style", "talk", "--serif", "-p", "map"+ext, "-o", "with"+ext+".csv", "-t", "1", "-q")
		want := `cluster dbscan 'it'\''s.csv' --eps=2 --min-points=4 --columns=x,y --style=talk --serif --plot=map` + ext + "\n"
		if got := cmdtest.Succeed(t, "again", "map"+ext).Stdout; got != want {
			t.Errorf("map%s: %s, want %s", ext, got, want)
		}
		cmdtest.Succeed(t, "again", "map"+ext, "--run", "-o", "map.again"+ext)
		cmdtest.SameFiles(t, "map"+ext, "map.again"+ext)
	}
	if err := os.WriteFile("other.png", []byte("of another program"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmdtest.Refuse(t, exit.Failed, []string{"again", "other.png"}, "other.png does not record the run that made it")
	cmdtest.Refuse(t, exit.Failed, []string{"again", "missing.pdf"}, "missing.pdf", "no such file")
	cmdtest.Refuse(t, exit.Failed, []string{"again", "it's.csv"}, "it's.csv does not record the run that made it")
	cmdtest.Refuse(t, exit.Request, []string{"again"}, "needs one table")
}

const pipeline = `memory = "1GiB"
threads = 2

[catalog]
command = "convert"
inputs = "archive.vot"
output = "catalog.parquet"

[label]
command = "dbscan"
inputs = ["catalog.parquet"]
columns = ["x", "y"]
eps = 2
min-points = 4
output = "labelled.parquet"
clusters = "clusters.csv"
plot = ["map.svg"]

[radii]
command = "kdist"
inputs = "cat*.parquet"
columns = "x,y"
k = 3
output = "radii.csv"
`

// A pipeline takes a VOTable to a labelled catalog, a figure and a list of clusters, and
// goes on where it stopped.
func TestRun(t *testing.T) {
	cmdtest.Binary(t) // before the folder changes
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	states := func(want string, args ...string) {
		t.Helper()
		r := cmdtest.RunBinary(t, nil, append([]string{"run", "p.toml", "--json"}, args...)...)
		conforms(t, []string{"run", "--json"}, r.Status, []byte(r.Stdout))
		var got []string
		var said struct {
			Steps []struct{ Name, State, Why string }
		}
		if err := json.Unmarshal([]byte(r.Stdout), &said); err != nil {
			t.Fatalf("%v: %+v", err, r)
		}
		for _, s := range said.Steps {
			got = append(got, strings.TrimSuffix(s.Name+" "+s.State+": "+s.Why, ": "))
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%v: %s, want %s; %s", args, text, want, r.Stderr)
		}
	}
	cmdtest.Succeed(t, "gen", "clumps", "-n", "200", "--seed", "3", "-o", "archive.vot", "-q")
	const new = "it was not carried out before"
	write("p.toml", strings.Replace(pipeline, "k = 3", "k = 900", 1))
	states("catalog to do: "+new+"; label to do: "+new+"; radii to do: "+new, "--dry-run")
	if found, _ := filepath.Glob("*.parquet"); found != nil {
		t.Errorf("--dry-run has written %v", found)
	}
	r := cmdtest.RunBinary(t, nil, "run", "p.toml", "--at-once", "1")
	if r.Status != exit.Request || !strings.Contains(r.Stderr, "cluster: step radii: k=900, which is more than") {
		t.Errorf("%+v", r)
	}
	write("p.toml", pipeline)
	states("catalog up to date; label up to date; radii done: its flags have changed", "--memory", "2GiB")
	for _, name := range []string{"labelled.parquet", "clusters.csv", "map.svg", "radii.csv"} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	const still = "catalog up to date; label up to date; radii up to date"
	states(still)
	if err := os.Chtimes("archive.vot", time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil { // the content counts
		t.Fatal(err)
	}
	states(still)
	for name, why := range map[string]string{"clusters.csv": "is not there", "map.svg": "is not as it was written"} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if name == "map.svg" {
			write(name, "no figure")
		}
		states("catalog up to date; label done: " + name + " " + why + "; radii up to date")
	}
	old, err := os.ReadFile("archive.vot")
	if err != nil {
		t.Fatal(err)
	}
	write("archive.vot", string(old)+"\n") // the same table
	states("catalog done: archive.vot has changed; label up to date; radii up to date")
	cmdtest.Succeed(t, "gen", "clumps", "-n", "100", "--seed", "4", "-o", "archive.vot", "-q", "--force")
	states("catalog done: archive.vot has changed; label done: catalog.parquet has changed; radii done: cat*.parquet has changed")
	// Half done, as a kill would leave it.
	b, err := os.ReadFile("p.toml.manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	write("p.toml.manifest.json", regexp.MustCompile(`("radii.csv": ")[0-9a-f]+`).ReplaceAllString(string(b), "$1"))
	states("catalog up to date; label up to date; radii done: it was interrupted, or has failed")
	// A file of somebody else is not replaced.
	write("p.toml", strings.Replace(pipeline, `"radii.csv"`, `"other.csv"`, 1))
	write("other.csv", "precious")
	r = cmdtest.RunBinary(t, nil, "run", "p.toml", "-q")
	if r.Status != exit.Request || r.Stderr != "cluster: step radii: other.csv exists; --force replaces it\n" {
		t.Errorf("%+v", r)
	}
}

// Steps that may run at the same time share memory and threads.
func TestRunShares(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := func(text string, args ...string) string {
		t.Helper()
		if err := os.WriteFile("p.toml", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return cmdtest.Succeed(t, append([]string{"run", "p.toml", "--dry-run"}, args...)...).Stdout
	}
	text := lines(pipeline)
	if strings.Count(text, "--memory=536870912B --threads=1") != 3 {
		t.Errorf("two steps at the same time get\n%s", text)
	}
	text = lines(strings.Replace(pipeline, "k = 3", "k = 3\nmemory = \"100MiB\"\nthreads = 7", 1), "--at-once", "1")
	if strings.Count(text, "--memory=1073741824B --threads=2") != 2 || !strings.Contains(text, "--memory=100MiB --threads=7") {
		t.Errorf("one step at a time gets\n%s", text)
	}
	changed := func(change string) string {
		if strings.HasPrefix(change, "[") {
			return pipeline + change
		}
		return strings.Replace(pipeline, "k = 3", change, 1)
	}
	for change, want := range map[string]string{
		"k = 3\nmemory = \"3GiB\"":                        `p.toml:24: memory = 3GiB: all steps together may take 1GiB`,
		"k = 3\nmin_points = 2":                           `p.toml:24: unknown key min_points`,
		"[late]\ncommand = \"knn\"\ninputs = \"x.csv\"":   `p.toml:25: [late] writes nothing`,
		"[late]\ninputs = \"x.csv\"":                      `p.toml:25: [late] has no command`,
		"[late]\ncommand = \"kn\"":                        `p.toml:26: [late] command "kn": there is none`,
		"[late]\ncommand = \"tile\"":                      `p.toml:26: [late] 'cluster tile' writes no file`,
		"[late]\ncommand = \"knn\"\noutput = \"-\"":       `p.toml:27: [late] output = "-": a step writes to files`,
		"[late]\ncommand = \"knn\"\noutput = \"map.svg\"": `[label] and [late] both write map.svg`,
	} {
		if err := os.WriteFile("p.toml", []byte(changed(change)), 0o666); err != nil {
			t.Fatal(err)
		}
		cmdtest.Refuse(t, exit.Request, []string{"run", "p.toml"}, want)
	}
	for text, want := range map[string]string{
		"memory = \"1GiB\"\n":  "has no steps",
		"k = 1\n":              "p.toml:1: unknown key k",
		"inputs = \"a.csv\"\n": "p.toml:1: inputs are of a step",
		"[a]\ncommand = \"convert\"\ninputs = \"b.csv\"\noutput = \"a.csv\"\n[b]\ncommand = \"convert\"\ninputs = \"a.csv\"\noutput = \"b.csv\"\n": "steps wait for each other: a, b",
	} {
		if err := os.WriteFile("p.toml", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		cmdtest.Refuse(t, exit.Request, []string{"run", "p.toml"}, want)
	}
}
