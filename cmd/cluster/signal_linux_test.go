package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

// started is a run of the compiled command.
type started struct {
	cmd    *exec.Cmd
	stderr *bytes.Buffer
	done   chan error
}

func start(t *testing.T, args ...string) *started {
	t.Helper()
	s := &started{cmd: exec.Command(cmdtest.Binary(t), args...), stderr: &bytes.Buffer{}, done: make(chan error, 1)}
	s.cmd.Stderr = s.stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.done <- s.cmd.Wait() }()
	t.Cleanup(func() { s.cmd.Process.Kill() })
	return s
}

// status waits for the end and returns the exit status. Far more time is
// given than a stop takes, for machines that are busy.
func (s *started) status(t *testing.T) int {
	t.Helper()
	select {
	case err := <-s.done:
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			return exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		return 0
	case <-time.After(20 * time.Second):
		t.Fatal("the run did not stop")
		return -1
	}
}

// waitFor polls until ok, as long as the run goes on.
func (s *started) waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for !ok() {
		select {
		case err := <-s.done:
			t.Fatalf("the run ended before %s: %v, %s", what, err, s.stderr)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func temporary(t *testing.T, dir string) bool {
	for _, name := range cmdtest.Names(t, dir) {
		if strings.HasPrefix(name, ".") {
			return true
		}
	}
	return false
}

// An interrupted run ends with 130, says so in a line and leaves no file.
func TestInterruptedWhileWriting(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		dir := t.TempDir()
		s := start(t, "gen", "uniform", "-n", "2000000000", "-q", "-o", filepath.Join(dir, "u.parquet"))
		s.waitFor(t, "its temporary file was there", func() bool { return temporary(t, dir) })
		s.cmd.Process.Signal(sig)
		if status := s.status(t); status != exit.Interrupted || s.stderr.String() != "cluster: interrupted\n" {
			t.Errorf("%v: status %d, stderr %q", sig, status, s.stderr)
		}
		if left := cmdtest.Names(t, dir); len(left) > 0 {
			t.Errorf("%v: left %v", sig, left)
		}
	}
}

func TestInterruptedWhileJoining(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.parquet")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "300000", "--dim", "6", "-q", "-o", in)
	s := start(t, "kdist", in, "-c", "x0,x1,x2,x3,x4,x5", "-k", "500", "-q", "-o", filepath.Join(dir, "out.parquet"))
	time.Sleep(500 * time.Millisecond) // past reading, far from done
	s.cmd.Process.Signal(os.Interrupt)
	if status := s.status(t); status != exit.Interrupted || s.stderr.String() != "cluster: interrupted\n" {
		t.Errorf("status %d, stderr %q", status, s.stderr)
	}
	if left := cmdtest.Names(t, dir); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}

// atOnce are commands that end by themselves at once; get and run have tests of their own.
var atOnce = []string{"get", "run", "status", "devices", "config", "again", "man"}

// A pipeline that is interrupted ends with its steps, and goes on with what is left.
func TestInterruptedPipeline(t *testing.T) {
	cmdtest.Binary(t) // before the folder changes
	t.Chdir(t.TempDir())
	write := func(rows string) {
		text := "[small]\ncommand = \"gen\"\ninputs = \"clumps\"\nrows = 100\noutput = \"small.parquet\"\n" +
			"[large]\ncommand = \"gen\"\ninputs = \"uniform\"\nrows = " + rows + "\noutput = \"large.parquet\"\n"
		if err := os.WriteFile("p.toml", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("2000000000")
	s := start(t, "run", "p.toml", "-q", "--at-once", "1")
	s.waitFor(t, "the second step was writing", func() bool { return temporary(t, ".") && slices.Contains(cmdtest.Names(t, "."), "small.parquet") })
	s.cmd.Process.Signal(os.Interrupt)
	if status := s.status(t); status != exit.Interrupted || s.stderr.String() != "cluster: interrupted\n" {
		t.Errorf("status %d, stderr %q", status, s.stderr)
	}
	for end := time.Now().Add(20 * time.Second); temporary(t, "."); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("left %v", cmdtest.Names(t, "."))
		}
	}
	write("200")
	r := cmdtest.RunBinary(t, nil, "run", "p.toml", "--json")
	if r.Status != exit.Done || !strings.Contains(r.Stdout, `"name":"small","state":"up to date"`) || !strings.Contains(r.Stdout, `"name":"large","state":"done"`) {
		t.Errorf("%+v", r)
	}
}

// Every command ends when it is told, by SIGTERM as by Ctrl-C, at any time, and leaves
// nothing behind that is not whole. The log says how long the slowest took.
func TestInterruptedAnywhere(t *testing.T) {
	cmdtest.Binary(t) // before the folder changes
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	cmdtest.Succeed(t, "gen", "sky", "-n", "100000", "-o", "sky.parquet", "-q")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "100000", "--dim", "3", "-o", "u.parquet", "-q")
	cmdtest.Succeed(t, "convert", "sky.parquet", "-o", "sky.csv", "-q")
	cmdtest.Succeed(t, strings.Fields("dbscan sky.parquet --eps 10arcsec --min-points 5 -o labelled.parquet -q")...)
	for _, plan := range []string{"plan", "merged"} {
		cmdtest.Succeed(t, strings.Fields("plan dbscan sky.parquet --eps 10arcsec --min-points 5 --tiles 2 -q -o "+plan)...)
	}
	for _, i := range []string{"0", "1"} {
		cmdtest.Succeed(t, "tile", "merged", "--index", i, "-q")
	}
	before := len(cmdtest.Names(t, "."))
	rng := rand.New(rand.NewPCG(19, 6))
	lines := strings.Split(`info sky.csv
convert sky.csv -o out/x.vot
dbscan sky.parquet --eps 30arcsec --min-points 5 -o out/x.csv -p out/m.pdf --clusters out/c.csv
hdbscan sky.parquet -c ra,dec --min-cluster-size 10 -o out/x.parquet
optics sky.parquet -c ra,dec --min-samples 10 -o out/x.parquet
outliers sky.parquet -c ra,dec -k 30 -o out/x.parquet
validity labelled.parquet -c ra,dec --labels cluster
predict labelled.parquet sky.csv -o out/x.parquet
kdist u.parquet -c x,y,z -k 100 -p out/k.png
scan sky.parquet -c ra,dec --min-points 5 -p out/s.png
join sky.parquet -c ra,dec --eps 1arcmin -o out/x.csv
knn u.parquet -c x,y,z -k 30 -o out/x.csv
match sky.parquet sky.csv --radius 30arcsec -o out/x.parquet
classify --train sky.parquet --label true_cluster --features pmra,pmdec,parallax -k 50 sky.csv -o out/x.csv
hist sky.parquet --bins log:1arcsec:3deg:30 -o out/x.csv
corr sky.parquet --random sky.csv --bins log:1arcsec:3deg:30 -o out/x.csv
rdf u.parquet -c x,y,z --box 100 --bins lin:0:30:30 -o out/x.csv
stat u.parquet -c x,y,z --expr r --reduce hist --bins lin:0:10:10 -o out/x.csv
plan dbscan sky.csv --eps 10arcsec --min-points 5 --tiles 64 --stage yes -o out/plan
tile plan --index 0 --force
merge merged -o out/x.csv
relabel merged -o out
submit local plan --processes 2
gen sky -n 3000000 -o out/x.csv
calibrate sky.parquet -c ra,dec --eps 30arcsec
plot labelled.parquet -p out/m.pdf --plot-data out/d.csv
reproduce 003 table3 --scale 0.02 -q`, "\n")
	for _, c := range table {
		if !slices.Contains(atOnce, c.Name) && !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, c.Name+" ") }) {
			t.Errorf("%s is not tried", c.Name)
		}
	}
	slowest, interrupted := time.Duration(0), 0
	for i, line := range slices.Concat(lines, lines) {
		sig := syscall.SIGTERM
		if i >= len(lines) {
			sig = syscall.SIGINT
		}
		delay := time.Duration(rng.IntN(150)) * time.Millisecond
		if testing.Short() && i%4 != 2 {
			continue
		}
		if err := errors.Join(os.RemoveAll("out"), os.Mkdir("out", 0o777)); err != nil {
			t.Fatal(err)
		}
		s := start(t, strings.Fields(line)...)
		time.Sleep(delay)
		s.cmd.Process.Signal(sig)
		told := time.Now()
		status := s.status(t)
		if took := time.Since(told); status == exit.Interrupted {
			slowest, interrupted = max(slowest, took), interrupted+1
		}
		switch {
		case status == exit.Interrupted && s.stderr.Len() > 0 && !strings.HasSuffix(s.stderr.String(), "cluster: interrupted\n"):
			t.Errorf("%s after %v: stderr %q", line, delay, s.stderr)
		case status != exit.Interrupted && status != exit.Done && status != -1: // -1: before the signal was caught
			t.Errorf("%s after %v: status %d, stderr %q", line, delay, status, s.stderr)
		case status != exit.Done && len(cmdtest.Names(t, "out")) > 0:
			t.Errorf("%s after %v: left %q", line, delay, cmdtest.Names(t, "out"))
		}
		for _, dir := range []string{".", "out", "plan", "plan/tiles"} {
			if _, err := os.Stat(dir); err == nil && temporary(t, dir) {
				t.Errorf("%s after %v: left a temporary file in %s: %q", line, delay, dir, cmdtest.Names(t, dir))
			}
		}
	}
	t.Logf("%d runs were interrupted, the slowest ended after %v", interrupted, slowest)
	if now := len(cmdtest.Names(t, ".")); now != before+1 {
		t.Errorf("%d names are here, %d were: %q", now, before, cmdtest.Names(t, "."))
	}
}

// Under a limit of the address space the answer is the same, and signals arrive.
func TestConfined(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	run := func(line string) (string, error) {
		out, err := exec.Command("sh", "-c", "ulimit -v 8000000; exec "+cmdtest.Binary(t)+" "+line).CombinedOutput()
		return string(out), err
	}
	if out, err := run("gen uniform -n 100 -q -o " + in); err != nil || out != "" {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := run("convert " + in + " -o - -q"); err != nil || !strings.HasPrefix(out, "x,y") {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := run("info nowhere.csv"); err == nil || out != "cluster: nowhere.csv: no such file or directory\n" {
		t.Errorf("%v: %s", err, out)
	}
	// The runtime of Go itself takes some 1.5 GB of addresses, most of which it never uses.
	for _, kib := range []string{"2000000", "2500000", "4000000"} {
		text, err := exec.Command("sh", "-c", "ulimit -v "+kib+"; exec "+cmdtest.Binary(t)+" gen sky -n 50000 -q --force -o "+filepath.Join(dir, "s.parquet")).CombinedOutput()
		if out := string(text); err == nil && out != "" || err != nil && (!strings.HasPrefix(out, "cluster: ") || strings.Count(out, "\n") != 1) {
			t.Errorf("within %s KiB: %v: %s", kib, err, out)
		}
	}
	var stderr bytes.Buffer
	cmd := exec.Command("sh", "-c", "ulimit -v 8000000; exec "+cmdtest.Binary(t)+" gen uniform -n 2000000000 -q -o "+filepath.Join(dir, "u.parquet"))
	cmd.Stderr = &stderr
	s := &started{cmd: cmd, stderr: &stderr, done: make(chan error, 1)}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.cmd.Process.Kill() })
	go func() { s.done <- s.cmd.Wait() }()
	s.waitFor(t, "its temporary file was there", func() bool { return temporary(t, dir) })
	s.cmd.Process.Signal(os.Interrupt)
	if status := s.status(t); status != exit.Interrupted || stderr.String() != "cluster: interrupted\n" || temporary(t, dir) {
		t.Errorf("status %d, stderr %q, left %q", status, &stderr, cmdtest.Names(t, dir))
	}
}

// A full disk is one line, status 1, and no half file.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("%s stays mounted: %v", dir, err)
		}
	})
	cmdtest.Refuse(t, exit.Failed, []string{"gen", "uniform", "-n", "1000000", "-q", "-o", filepath.Join(dir, "u.parquet")}, "u.parquet", "no space left")
	cmdtest.Refuse(t, exit.Failed, []string{"gen", "uniform", "-n", "1000000", "-q", "-o", filepath.Join(dir, "u.csv")}, "u.csv", "no space left")
	if left := cmdtest.Names(t, dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	// Of several outputs none is left when one does not fit.
	in := filepath.Join(t.TempDir(), "in.parquet")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "1000", "-q", "-o", in)
	cmdtest.Refuse(t, exit.Failed, []string{"dbscan", in, "-c", "x,y", "--eps", "1", "--min-points", "3", "-q",
		"-o", filepath.Join(dir, "out.parquet"), "-p", filepath.Join(dir, "map.png")}, "map.png", "no space left")
	if left := cmdtest.Names(t, dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}
