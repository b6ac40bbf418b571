package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
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
