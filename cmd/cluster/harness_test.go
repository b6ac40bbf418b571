package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A result is what one run of the command left behind.
type result struct {
	status         int
	stdout, stderr string
}

// cluster runs a command line in this process.
func cluster(t *testing.T, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(context.Background(), &app{stdout: &stdout, stderr: &stderr, version: version}, args, commands...)
	return result{status, stdout.String(), stderr.String()}
}

// succeed runs a command line that must end with status 0.
func succeed(t *testing.T, args ...string) result {
	t.Helper()
	r := cluster(t, args...)
	if r.status != statusDone {
		t.Fatalf("cluster %s: status %d, stderr: %s", strings.Join(args, " "), r.status, r.stderr)
	}
	return r
}

// refuse runs a command line that must end with the status and a message of
// one or two lines that holds every one of parts.
func refuse(t *testing.T, status int, args []string, parts ...string) {
	t.Helper()
	r := cluster(t, args...)
	line := "cluster " + strings.Join(args, " ")
	if r.status != status {
		t.Errorf("%s: status %d, want %d; stderr: %s", line, r.status, status, r.stderr)
	}
	if r.stdout != "" {
		t.Errorf("%s: wrote to stdout: %q", line, r.stdout)
	}
	if n := strings.Count(r.stderr, "\n"); n < 1 || n > 2 || !strings.HasPrefix(r.stderr, "cluster: ") {
		t.Errorf("%s: the message is not one or two lines that begin with \"cluster: \": %q", line, r.stderr)
	}
	for _, part := range parts {
		if !strings.Contains(r.stderr, part) {
			t.Errorf("%s: %q does not say %q", line, r.stderr, part)
		}
	}
}

var built struct {
	once sync.Once
	dir  string
	err  error
}

// binary returns the compiled command, built once for all tests.
func binary(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "cluster-test-"); built.err != nil {
			return
		}
		if out, err := exec.Command("go", "build", "-tags", buildTags, "-o", built.dir, ".").CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if built.err != nil {
		t.Fatalf("building the command: %v", built.err)
	}
	return filepath.Join(built.dir, "cluster")
}

func TestMain(m *testing.M) {
	status := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(status)
}

// write makes a file in a temporary folder and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// csvOf makes a CSV file of lines.
func csvOf(t *testing.T, lines ...string) string {
	t.Helper()
	return write(t, "in.csv", strings.Join(lines, "\n")+"\n")
}

// testData returns a file of the folder of real catalogs, or skips the test.
func testData(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("SKYJOIN_TESTDATA")
	if dir == "" {
		t.Skip("SKYJOIN_TESTDATA, the folder of real catalogs, is not set")
	}
	return filepath.Join(dir, name)
}

// names returns the names of all files in a folder, hidden ones too.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// rounded rounds a number given as text to decimals.
func rounded(t *testing.T, text string, decimals int) string {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
