package submit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/cmd/cluster/internal/tiled"
)

// Names that a shell, Slurm or xargs would read as more than names are quoted, or
// refused.
func TestScriptsQuoteNames(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	cmdtest.Succeed(t, "gen", "sky", "-n", "300", "-o", "a.parquet", "-q")
	plan := func(name string) string {
		path := filepath.Join(dir, name)
		cmdtest.Succeed(t, "plan", "dbscan", "a.parquet", "-c", "ra,dec", "--eps", "1arcmin", "--min-points", "5", "--tiles", "1", "-o", path, "-q")
		return path
	}
	path := plan("p '\"$(touch PWNED)`touch PWNED`;touch PWNED;{}%j#")
	o := &Options{self: "true", dir: path}
	var err error
	if o.plan, err = tiled.OpenPlan(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	o.engine.Value = "local"
	scripts := []string{o.scripts([]int{0})}
	o.engine.Value, o.passed = "slurm", []string{"--comment", "$(touch PWNED)\"'"}
	scripts = append(scripts, o.scripts([]int{0}), o.arrayScript([]int{0}), o.mergeScript())
	for _, script := range scripts {
		cmd := exec.Command("sh", "-c", "set -x\n"+script)
		cmd.Env = append(os.Environ(), "SLURM_ARRAY_TASK_ID=0")
		trace, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, trace)
		}
	}
	words, err := exec.Command("sh", "-c", "printf '%s\n' "+o.command("7", "1")).Output()
	if err != nil || string(words) != "true\ntile\n"+path+"\n--threads\n1\n--quiet\n--index\n7\n" {
		t.Errorf("the words of the command: %s (error %v)", words, err)
	}
	if _, err := os.Stat("PWNED"); err == nil {
		t.Error("a name was run as a command")
	}
	if script := o.arrayScript([]int{0}); !strings.Contains(script, `{}%%j#/logs/tiles-%A_%a.log"`) {
		t.Errorf("the name of the log: %s", script)
	}
	cmdtest.Refuse(t, exit.Request, []string{"submit", "slurm", plan(`back\slash`)}, "has a backslash")
	path = plan("pl\ntouch PWNED\n#")
	for _, line := range [][]string{{"submit", "slurm", path, "--print"}, {"submit", "local", path, "--print"}, {"submit", "slurm", path}} {
		cmdtest.Refuse(t, exit.Request, line, "the folder of the plan", "control character")
	}
	cmdtest.Refuse(t, exit.Request, []string{"submit", "slurm", plan("plain"), "--print", "--", "--comment", "a\nb"}, "the flags of sbatch", "control character")
}

// All tiles in processes of this machine, one of which had failed.
func TestSubmitLocal(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	cmdtest.Succeed(t, "gen", "clumps", "-n", "3000", "-o", in("in.parquet"), "-q")
	cmdtest.Succeed(t, "plan", "dbscan", in("in.parquet"), "-c", "x,y", "--eps", "0.5", "--min-points", "5", "--tiles", "3", "-o", in("plan"), "-q")
	print := cmdtest.Succeed(t, "submit", "slurm", in("plan"), "--print", "--", "--partition", "long").Stdout
	for _, part := range []string{"#SBATCH --array=0-2", "--partition long tiles-0.sh", "--dependency=afterok:$id0", `--index "$SLURM_ARRAY_TASK_ID"`} {
		if !strings.Contains(print, part) {
			t.Errorf("the scripts for Slurm do not have %q:\n%s", part, print)
		}
	}
	if print := cmdtest.Succeed(t, "submit", "local", in("plan"), "--print").Stdout; !strings.Contains(print, "0 1 2 | xargs") {
		t.Errorf("the script: %s", print)
	}
	if err := os.MkdirAll(in("plan/tiles"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in("plan/tiles/00001.failed"), []byte("a disk was full\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if s := cmdtest.Succeed(t, "status", in("plan"), "--json").Stdout; !strings.Contains(s, `"failed":[1]`) || !strings.Contains(s, "a disk was full") {
		t.Errorf("status: %s", s)
	}
	o := &Options{engine: flags.Choice{Value: "local", Values: nil}, retries: flags.Integer{Value: 1}}
	o.self = cmdtest.Binary(t)
	var err error
	if o.plan, err = tiled.OpenPlan(t.Context(), in("plan")); err != nil {
		t.Fatal(err)
	}
	o.dir = o.plan.Dir()
	r := report.NewReporter(&strings.Builder{}, "always", false, false)
	if err := o.local(t.Context(), []int{0, 1, 2}, r.Counting("tiles", "tiles", 3)); err != nil {
		t.Fatal(err)
	}
	cmdtest.Succeed(t, "merge", in("plan"), "-q")
	o.retries.Value = 0
	o.self = filepath.Join(dir, "nothing")
	if err := os.RemoveAll(in("plan/tiles/00001")); err != nil {
		t.Fatal(err)
	}
	if err := o.local(t.Context(), []int{1}, r.Counting("tiles", "tiles", 3)); err == nil || !strings.Contains(err.Error(), "1 of 3 tiles are not done after 1 tries: 1") {
		t.Errorf("a tile whose process cannot be started: %v", err)
	}
}

// What sbatch complains of is said in one line.
func TestComplaintsOfSlurm(t *testing.T) {
	for _, c := range [][2]string{
		{"sbatch: error: invalid partition specified: long\nsbatch: error: Batch job submission failed: Invalid partition name specified\n", "invalid partition specified: long; Batch job submission failed: Invalid partition name specified"},
		{"sbatch: unrecognized option '--nothing'\nTry \"sbatch --help\" for more information\n", "unrecognized option '--nothing'"},
		{"sbatch: lua: hello\nsbatch: error: a\nsbatch: error: b\nsbatch: error: c\n", "a; b"},
		{"sbatch: fatal: " + strings.Repeat("é", 1000), strings.Repeat("é", 299) + "…"},
		{"", ""},
	} {
		if got := complaint("sbatch", c[0]); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
	dir := t.TempDir()
	stub := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "sbatch"), []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	o := &Options{dir: dir, passed: []string{"--partition", "long"}}
	for _, c := range []struct{ stub, id, message string }{
		{"echo '17;cluster'", "17", ""},
		{"echo 'sbatch: error: no' >&2; exit 1", "", "sbatch refused --partition long " + filepath.Join(dir, "a.sh") + ": no"},
		{"echo welcome", "", `sbatch printed "welcome" for`},
	} {
		stub(c.stub)
		id, err := o.sbatch(t.Context(), "a.sh", "#!/bin/sh\n")
		if id != c.id || (err == nil) != (c.message == "") || err != nil && !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %q, %v", c.stub, id, err)
		}
	}
}
