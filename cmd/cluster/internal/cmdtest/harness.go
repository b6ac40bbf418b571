// Package cmdtest runs commands in tests, in the process of the test or as the
// compiled program. Only tests import it.
package cmdtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/command"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
)

// Version is that of the program that tests run.
const Version = "0.0.0-test"

// commands are those that a test can run.
var commands []command.Entry

// Main is the TestMain of a package whose tests run the commands: its own, and
// those that make its inputs or read its outputs.
func Main(m *testing.M, some ...func(*job.App) *cobra.Command) {
	// Commands that start the program anew, such as submit local, would start
	// this binary, and all tests again.
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		fmt.Fprintf(os.Stderr, "%s is tests, not the command: run Binary(t)\n", os.Args[0])
		os.Exit(2)
	}
	// Runs in this process leave little behind them: collecting it as often as the
	// default would takes half of the time.
	debug.SetGCPercent(400)
	for _, f := range some {
		commands = append(commands, command.Entry{Name: f(&job.App{}).Name(), New: f})
	}
	status := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(status)
}

// RunBinary runs the compiled command with stderr in a file, as batch systems
// do.
func RunBinary(t *testing.T, env []string, args ...string) Result {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var stdout bytes.Buffer
	cmd := exec.Command(Binary(t), args...)
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
	return Result{status, stdout.String(), string(text)}
}

// A Result is what one run of the command left behind.
type Result struct {
	Status         int
	Stdout, Stderr string
}

// Cluster runs a command line in this process.
func Cluster(t testing.TB, args ...string) Result {
	t.Helper()
	return Piped(t, "", args...)
}

// Piped is Cluster with a text on standard input.
func Piped(t testing.TB, stdin string, args ...string) Result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := command.Run(context.Background(), &job.App{Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr, Version: Version}, args, command.Needed(commands, args)...)
	return Result{status, stdout.String(), stderr.String()}
}

// Succeed runs a command line that must end with status 0.
func Succeed(t testing.TB, args ...string) Result {
	t.Helper()
	r := Cluster(t, args...)
	if r.Status != exit.Done {
		t.Fatalf("cluster %s: status %d, stderr: %s", strings.Join(args, " "), r.Status, r.Stderr)
	}
	return r
}

// Refuse runs a command line that must end with the status and a message of
// one or two lines that holds every one of parts. With --json it is on stdout, too.
func Refuse(t *testing.T, status int, args []string, parts ...string) {
	t.Helper()
	r := Cluster(t, args...)
	line := "cluster " + strings.Join(args, " ")
	if r.Status != status {
		t.Errorf("%s: status %d, want %d; stderr: %s", line, r.Status, status, r.Stderr)
	}
	asJSON := slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
	if asJSON != strings.Contains(r.Stdout, `"error":{"kind":`) || !asJSON && r.Stdout != "" {
		t.Errorf("%s: wrote to stdout: %q", line, r.Stdout)
	}
	begin := "cluster: "
	if slices.Contains(args, "--log-format") && slices.Contains(args, "json") {
		begin = `{"time":`
	}
	if n := strings.Count(r.Stderr, "\n"); n < 1 || n > 2 || !strings.HasPrefix(r.Stderr, begin) {
		t.Errorf("%s: the message is not one or two lines that begin with %q: %q", line, begin, r.Stderr)
	}
	for _, part := range parts {
		if !strings.Contains(r.Stderr, part) {
			t.Errorf("%s: %q does not say %q", line, r.Stderr, part)
		}
	}
}

var built struct {
	once sync.Once
	dir  string
	err  error
}

// Binary returns the compiled command, built once for all tests.
func Binary(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "cluster-test-"); built.err != nil {
			return
		}
		if out, err := exec.Command("go", "build", "-tags", buildTags, "-o", built.dir, "skyjoin/cmd/cluster").CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if built.err != nil {
		t.Fatalf("building the command: %v", built.err)
	}
	return filepath.Join(built.dir, "cluster")
}

// Write makes a file in a temporary folder and returns its path.
func Write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// CSVOf makes a CSV file of lines.
func CSVOf(t *testing.T, lines ...string) string {
	t.Helper()
	return Write(t, "in.csv", strings.Join(lines, "\n")+"\n")
}

// TestData returns a file of the folder of real catalogs, or skips the test.
func TestData(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("SKYJOIN_TESTDATA")
	if dir == "" {
		t.Skip("SKYJOIN_TESTDATA, the folder of real catalogs, is not set")
	}
	return filepath.Join(dir, name)
}

// Names returns the names of all files in a folder, hidden ones too.
func Names(t *testing.T, dir string) []string {
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

// Rounded rounds a number given as text to decimals.
func Rounded(t *testing.T, text string, decimals int) string {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
