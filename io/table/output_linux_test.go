package table

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"skyjoin/io/catalog"
)

// TestFullDisk writes to a file system that is too small.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skip("cannot mount a small file system: ", err)
	}
	defer syscall.Unmount(dir, 0)
	check := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%s: %v", what, err)
		}
		if list := names(t, dir); len(list) != 0 {
			t.Errorf("%s left behind: %q", what, list)
		}
	}
	for _, name := range []string{"t.csv", "t.parquet"} {
		x := numbersFrom("x", 0, 400_000)
		for i := range x.Int64 {
			x.Int64[i] *= x.Int64[i] * 6364136223846793005 // nothing to compress, nor are differences
		}
		check(name, Write(ctx, filepath.Join(dir, name), []catalog.Column{x}, Options{}))
	}
	squares := numbersFrom("x", 0, 500_000)
	for i := range squares.Int64 {
		squares.Int64[i] *= squares.Int64[i] * 6364136223846793005
	}
	in := writeTable(t, Options{}, squares)
	cat, err := catalog.Open(ctx, []string{in}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Append(ctx, filepath.Join(dir, "t.parquet"), cat, nil, Options{})
	check("append", err)
}

// TestKilled kills a program in the middle of writing and looks for a file
// under the final name.
func TestKilled(t *testing.T) {
	const env = "TABLE_TEST_KILLED"
	if out := os.Getenv(env); out != "" {
		w, err := NewWriter(out, []catalog.Field{{Name: "x", Type: catalog.Int64}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for {
			if err := w.WriteRows(ctx, []catalog.Column{numbersFrom("x", 0, 1<<20)}); err != nil {
				t.Fatal(err)
			}
			os.Stdout.WriteString("written\n")
		}
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "t.parquet")
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), env+"="+out)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "written\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	for _, name := range names(t, dir) {
		if !strings.HasPrefix(name, ".t.parquet.") {
			t.Errorf("a killed run left %s", name)
		}
	}
	if err := Check(out, nil, false); err != nil {
		t.Errorf("after a killed run: %v", err)
	}
}
