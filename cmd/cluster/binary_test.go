package main

import (
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// Case C43 on the program itself: stdout holds data only, a log takes at most
// a line for each tenth of a phase, and --quiet nothing.
func TestLogsStayClean(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.parquet")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "50000", "-q", "-o", in)
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
		r := cmdtest.RunBinary(t, c.env, append(args, c.flags...)...)
		if r.Status != 0 {
			t.Fatalf("%v: status %d, %s", c.flags, r.Status, r.Stderr)
		}
		if strings.ContainsAny(r.Stderr, "\r\x1b") {
			t.Errorf("%v: control bytes in the log: %q", c.flags, r.Stderr)
		}
		if c.silent && r.Stderr != "" {
			t.Errorf("%v: not quiet: %q", c.flags, r.Stderr)
		}
		lines := map[string]int{}
		for line := range strings.Lines(r.Stderr) {
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
			want = r.Stdout
		}
		if r.Stdout != want || !strings.HasPrefix(want, "x,y,cluster,core\n") || strings.Count(want, "\n") != 50001 {
			t.Errorf("%v: stdout is not the table alone", c.flags)
		}
	}
}

// The exit status and the message of the program itself.
func TestBinaryExits(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,y", "1,2")
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
		r := cmdtest.RunBinary(t, nil, strings.Fields(c.args)...)
		if r.Status != c.status {
			t.Errorf("cluster %s: status %d, want %d", c.args, r.Status, c.status)
		}
		if c.status == 0 && (r.Stderr != "" || r.Stdout == "") {
			t.Errorf("cluster %s: stdout %q, stderr %q", c.args, r.Stdout, r.Stderr)
		}
		if c.status != 0 && (r.Stdout != "" || strings.Count(r.Stderr, "\n") != 1) {
			t.Errorf("cluster %s: stdout %q, stderr %q", c.args, r.Stdout, r.Stderr)
		}
	}
}
