package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// faults are what can go wrong with the calls of a kind: an error, and what is
// tried of it.
var faults = []struct{ calls, fault string }{
	{"openat", "error=EACCES"},
	{"openat", "error=EMFILE"},
	{"pread64", "error=EIO"},
	{"write", "error=ENOSPC"},
	{"fsync", "error=EIO"},
	{"renameat,renameat2,linkat", "error=EIO"},
	{"flock", "error=ENOLCK"},
	{"fchmod,fchown", "error=EPERM"},
	{"openat", "signal=KILL"},
	{"pread64", "signal=KILL"},
	{"write", "signal=KILL"},
	{"fsync", "signal=KILL"},
	{"renameat,renameat2", "signal=KILL"}, // between the names of two outputs, too
	{"linkat", "signal=KILL"},
	{"unlinkat", "signal=KILL"},
}

// faulty are command lines and their outputs, which lie in out.
var faulty = []string{
	"convert in.parquet -o out/x.csv",
	"dbscan in.parquet --eps 15arcmin --min-points 3 -o out/x.parquet --clusters out/c.csv -p out/m.svg",
	"hdbscan in.parquet -c ra,dec --min-cluster-size 5 -o out/x.csv",
	"join in.parquet -c ra,dec --eps 1arcmin -o out/x.parquet",
	"knn in.parquet -c ra,dec -k 3 -o out/x.csv",
	"kdist in.parquet -c ra,dec -k 4 -o out/x.csv -p out/k.svg",
	"optics in.parquet -c ra,dec --min-samples 5 -o out/x.parquet",
	"outliers in.parquet -c ra,dec -k 5 -o out/x.parquet",
	"validity labelled.parquet -c ra,dec --labels cluster --clusters out/c.csv",
	"match in.parquet in.csv --radius 1arcsec -o out/x.vot",
	"classify --train in.parquet --label true_cluster --features pmra,pmdec -k 3 in.csv -o out/x.parquet",
	"hist in.csv --bins log:1arcsec:1deg:5 -o out/x.csv -p out/h.svg",
	"corr in.parquet --random in.csv --bins log:1arcsec:1deg:5 -o out/x.csv --save-rr out/rr.parquet",
	"rdf box.parquet -c x,y,z --box 100 --bins lin:0:30:5 -o out/x.csv",
	"stat in.csv -c ra,dec --expr r --reduce sum --emit-cuda out/k.cu",
	"predict labelled.parquet in.csv -o out/x.fits",
	"merge plan -o out/x.parquet",
	"relabel plan -o out",
	"gen sky -n 300 -o out/x.parquet",
	"scan in.parquet -c ra,dec --min-points 3 -o out/x.csv",
	"plot labelled.parquet -p out/m.svg --plot-data out/d.csv",
	"plan dbscan in.csv --eps 15arcmin --min-points 3 --tiles 2 --stage yes -o out/plan",
	"plan hist in.csv --bins log:1arcsec:1deg:5 --tiles 2 -o out/plan",
}

// The Nth call that opens, reads, writes, syncs, locks or renames a file fails, or
// the process is killed there: the outputs are the old or the new ones, whole, the
// message is a line or two, and the next run leaves nothing beside its outputs.
// strace makes the calls fail; -short tries a seeded sample.
func TestNthCallFails(t *testing.T) {
	binary := traceable(t)
	rng := rand.New(rand.NewPCG(19, 7))
	tried, failed, killed, whole := 0, 0, 0, 0
	for _, line := range faulty {
		args := append(strings.Fields(line), "--force", "-q", "--threads", "2")
		if strings.HasPrefix(line, "gen") {
			args = args[:len(args)-2]
		}
		fresh(t)
		if out, err := exec.Command(binary, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", line, err, out)
		}
		want := contents(t, "out")
		for _, f := range faults {
			if testing.Short() && rng.IntN(16) > 0 {
				continue
			}
			most := calls(t, binary, args, f.calls)
			for n := 1; n <= most; n++ {
				if testing.Short() && rng.IntN(6) > 0 || most > 40 && rng.IntN(most) > 40 {
					continue
				}
				what := fmt.Sprintf("%s: %s, %s of call %d", line, f.calls, f.fault, n)
				fresh(t)
				old := !strings.HasPrefix(line, "plan") && n%2 == 0
				if old {
					for name := range want {
						if err := os.WriteFile("out/"+name, []byte("old"), 0o600); err != nil {
							t.Fatal(err)
						}
					}
				}
				stderr, err := injected(binary, args, f.calls, f.fault, n)
				tried++
				if f.fault == "signal=KILL" && len(want) > 0 { // all are old or new to whoever reads one of them
					exec.Command(binary, "info", "out/"+slices.Sorted(maps.Keys(want))[0]).Run()
				}
				got := contents(t, "out")
				isNew, isOld := 0, 0
				for name, text := range got {
					switch {
					case strings.HasPrefix(name, "."):
					case text == want[name]:
						isNew++
					case old && text == "old":
						isOld++
					default:
						t.Errorf("%s: %s is neither old nor new", what, name)
					}
				}
				if old && isNew+isOld < len(want) {
					t.Errorf("%s: %d of %d files are left", what, isNew+isOld, len(want))
				}
				if f.fault == "signal=KILL" && isNew > 0 && isNew < len(want) {
					t.Errorf("%s: %d of %d files are new", what, isNew, len(want))
				}
				switch {
				case err == nil:
					if whole++; isNew != len(want) {
						t.Errorf("%s: it succeeded with %d of %d files", what, isNew, len(want))
					}
					continue
				case f.fault == "signal=KILL":
					killed++
				default:
					if failed++; !complains(f.calls, stderr) {
						t.Errorf("%s: stderr %q", what, stderr)
					}
					for name := range got {
						if strings.HasPrefix(name, ".") && !strings.Contains(f.calls, "unlinkat") && f.calls != "flock" {
							t.Errorf("%s: it left %s", what, name)
						}
					}
				}
				if out, err := exec.Command(binary, args...).CombinedOutput(); err != nil {
					t.Errorf("%s: the next run: %v %s", what, err, out)
				}
				for name, text := range contents(t, "out") {
					if text != want[name] {
						t.Errorf("%s: after the next run there is %s", what, name)
					}
				}
			}
		}
	}
	t.Logf("%d calls failed: %d runs ended with an error, %d were killed, %d went on", tried, failed, killed, whole)
}

// The same for what computes plans and writes calibrations: whatever call of a tile,
// of a submit, of its processes or of a calibration fails, the next run goes on and
// gives the answer of one that nothing has disturbed.
func TestNthCallOfPlansFails(t *testing.T) {
	binary := traceable(t)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", dir+"/out/cache")
	cmdtest.Succeed(t, strings.Fields("plan dbscan in.parquet --eps 15arcmin --min-points 3 --tiles 2 -o todo -q")...)
	cmdtest.Succeed(t, strings.Fields("merge plan -o want.parquet -q")...)
	want, err := os.ReadFile("want.parquet")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(19, 8))
	run := func(what, line string) {
		if out, err := exec.Command(binary, append(strings.Fields(line), "-q")...).CombinedOutput(); err != nil {
			t.Errorf("%s: then %s: %v %s", what, line, err, out)
		}
	}
	begin := func() {
		fresh(t)
		if err := os.CopyFS("out/plan", os.DirFS("todo")); err != nil {
			t.Fatal(err)
		}
	}
	tried, failed, killed, whole := 0, 0, 0, 0
	for _, line := range []string{"tile out/plan --index 0 --threads 2 --force", "submit local out/plan --processes 2", "calibrate in.parquet -c ra,dec --eps 15arcmin --threads 2"} {
		args := append(strings.Fields(line), "-q")
		for _, f := range faults {
			if testing.Short() && rng.IntN(8) > 0 {
				continue
			}
			begin()
			most := calls(t, binary, args, f.calls)
			for n := 1; n <= most; n++ {
				if testing.Short() && rng.IntN(12) > 0 || most > 40 && rng.IntN(most) > 40 {
					continue
				}
				what := fmt.Sprintf("%s: %s, %s of call %d", line, f.calls, f.fault, n)
				begin()
				stderr, err := injected(binary, args, f.calls, f.fault, n)
				switch tried++; {
				case err == nil:
					whole++
				case f.fault == "signal=KILL":
					killed++
				default:
					if failed++; !complains(f.calls, stderr) && !strings.Contains(line, "submit") { // which tells of each tile
						t.Errorf("%s: stderr %q", what, stderr)
					}
				}
				run(what, line)
				run(what, "submit local out/plan")
				run(what, "kdist in.parquet -c ra,dec -k 4 --device auto")
				run(what, "merge out/plan -o out/x.parquet")
				if got, err := os.ReadFile("out/x.parquet"); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s: the next run gives another answer (error %v)", what, err)
				}
				err = filepath.WalkDir("out", func(path string, d fs.DirEntry, err error) error {
					if strings.HasPrefix(d.Name(), ".") {
						t.Errorf("%s: the next run leaves %s", what, path)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Logf("%d calls failed: %d runs ended with an error, %d were killed, %d went on", tried, failed, killed, whole)
}

// traceable returns the compiled command, in a folder with inputs of it, where strace
// can make calls fail.
func traceable(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("there is no strace")
	}
	binary := cmdtest.Binary(t)
	t.Chdir(t.TempDir())
	if out, err := exec.Command("strace", "-f", "-qq", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		t.Skipf("strace cannot trace here: %v %s", err, out)
	}
	cmdtest.Succeed(t, "gen", "sky", "-n", "300", "-o", "in.parquet", "-q")
	cmdtest.Succeed(t, "convert", "in.parquet", "-o", "in.csv", "-q")
	cmdtest.Succeed(t, strings.Fields("dbscan in.parquet --eps 15arcmin --min-points 3 -o labelled.parquet -q")...)
	cmdtest.Succeed(t, strings.Fields("plan dbscan in.parquet --eps 15arcmin --min-points 3 --tiles 1 -o plan -q")...)
	cmdtest.Succeed(t, "tile", "plan", "--index", "0", "-q")
	cmdtest.Succeed(t, "merge", "plan", "-q")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "300", "--dim", "3", "-o", "box.parquet", "-q")
	return binary
}

// injected runs a command of which the nth call of each thread fails.
func injected(binary string, args []string, calls, fault string, n int) (stderr string, err error) {
	var said bytes.Buffer
	cmd := exec.Command("strace", append([]string{"-f", "-qq", "-o", "/dev/null", "-e", "trace=" + calls, "-e", fmt.Sprintf("inject=%s:%s:when=%d", calls, fault, n), binary}, args...)...)
	cmd.Stderr = &said
	err = cmd.Run()
	return said.String(), err
}

// complains reports whether a run of which a call has failed says so in a line or two.
func complains(calls, stderr string) bool {
	switch {
	case strings.Contains(stderr, "loading shared libraries"): // before the program began
		return true
	case calls == "write" && stderr == "": // the message could not be written either
		return true
	}
	return strings.Count(stderr, "\n") <= 2 && strings.HasPrefix(stderr, "cluster: ")
}

// fresh makes out an empty folder.
func fresh(t *testing.T) {
	t.Helper()
	if err := errors.Join(os.RemoveAll("out"), os.Mkdir("out", 0o777)); err != nil {
		t.Fatal(err)
	}
}

// contents returns the files of a folder; folders in it are left out.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range cmdtest.Names(t, dir) {
		if text, err := os.ReadFile(dir + "/" + name); err == nil {
			all[name] = string(text)
		} else if strings.HasPrefix(name, ".") {
			all[name] = "" // a temporary folder
		}
	}
	return all
}

// calls returns the largest number of calls that a thread of a run makes: strace
// counts those of each.
func calls(t *testing.T, binary string, args []string, kinds string) int {
	t.Helper()
	if err := exec.Command("strace", append([]string{"-f", "-qq", "-o", "trace", "-e", "trace=" + kinds, binary}, args...)...).Run(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("trace")
	if err != nil {
		t.Fatal(err)
	}
	byThread, most := map[string]int{}, 0
	for line := range strings.Lines(string(text)) {
		thread, rest, _ := strings.Cut(line, " ")
		if strings.Contains(rest, "(") && !strings.Contains(rest, "resumed") {
			byThread[thread]++
			most = max(most, byThread[thread])
		}
	}
	return most
}
