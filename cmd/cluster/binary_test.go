package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runBinary runs the compiled command with stderr in a file, as batch systems
// do.
func runBinary(t *testing.T, env []string, args ...string) result {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var stdout bytes.Buffer
	cmd := exec.Command(binary(t), args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &stdout, log
	status := 0
	if err := cmd.Run(); err != nil {
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) {
			t.Fatal(err)
		}
		status = exit.ExitCode()
	}
	text, err := os.ReadFile(log.Name())
	if err != nil {
		t.Fatal(err)
	}
	return result{status, stdout.String(), string(text)}
}

// Case C43 on the program itself: stdout holds data only, a log takes at most
// a line for each tenth of a phase, and --quiet nothing.
func TestLogsStayClean(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.parquet")
	succeed(t, "gen", "uniform", "-n", "50000", "-q", "-o", in)
	args := []string{"dbscan", in, "-c", "x,y", "--eps", "0.3", "--min-points", "4", "-o", "-"}
	var want string
	for _, c := range []struct {
		env, flags []string
		progress   bool // lines are certain
		silent     bool
	}{
		{flags: []string{"--quiet"}, silent: true},
		{flags: []string{"--quiet", "--progress", "always"}, silent: true},
		{flags: []string{"--progress", "never"}},
		{},
		{flags: []string{"--progress", "always"}, progress: true},
		{env: []string{"TERM=dumb"}, flags: []string{"--progress", "always"}, progress: true},
	} {
		r := runBinary(t, c.env, append(args, c.flags...)...)
		if r.status != 0 {
			t.Fatalf("%v: status %d, %s", c.flags, r.status, r.stderr)
		}
		if strings.ContainsAny(r.stderr, "\r\x1b") {
			t.Errorf("%v: control bytes in the log: %q", c.flags, r.stderr)
		}
		if c.silent && r.stderr != "" {
			t.Errorf("%v: not quiet: %q", c.flags, r.stderr)
		}
		lines := map[string]int{}
		for line := range strings.Lines(r.stderr) {
			if phase, _, ok := strings.Cut(line, "%, "); ok {
				lines[strings.Fields(phase)[0]]++
			}
		}
		if c.progress && len(lines) < 3 {
			t.Errorf("%v: phases reported: %v", c.flags, lines)
		}
		for phase, n := range lines {
			if n > 11 {
				t.Errorf("%v: %d lines for %s", c.flags, n, phase)
			}
		}
		if want == "" {
			want = r.stdout
		}
		if r.stdout != want || !strings.HasPrefix(want, "x,y,cluster,core\n") || strings.Count(want, "\n") != 50001 {
			t.Errorf("%v: stdout is not the table alone", c.flags)
		}
	}
}

// The exit status and the message of the program itself.
func TestBinaryExits(t *testing.T) {
	in := csvOf(t, "x,y", "1,2")
	for _, c := range []struct {
		status int
		args   string
	}{
		{0, "--version"},
		{0, "--help"},
		{0, "info " + in},
		{1, "info " + in + ".none"},
		{2, "info"},
		{2, "dbscan " + in + " --eps 0 --min-points 1"},
		{2, "nonsense"},
	} {
		r := runBinary(t, nil, strings.Fields(c.args)...)
		if r.status != c.status {
			t.Errorf("cluster %s: status %d, want %d", c.args, r.status, c.status)
		}
		if c.status == 0 && (r.stderr != "" || r.stdout == "") {
			t.Errorf("cluster %s: stdout %q, stderr %q", c.args, r.stdout, r.stderr)
		}
		if c.status != 0 && (r.stdout != "" || strings.Count(r.stderr, "\n") != 1) {
			t.Errorf("cluster %s: stdout %q, stderr %q", c.args, r.stdout, r.stderr)
		}
	}
}
