package file

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestSweep(t *testing.T) {
	const env = "FILE_TEST_KILLED"
	if path := os.Getenv(env); path != "" { // the process that is killed
		o, err := Create(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer o.Abort()
		if err := Folder(path, every, func(temporary string) error {
			os.WriteFile(filepath.Join(temporary, "inside"), nil, 0o666)
			os.Stdout.WriteString("made\n")
			time.Sleep(time.Hour)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	cmd := exec.Command(os.Args[0], "-test.run=^TestSweep$")
	cmd.Env = append(os.Environ(), env+"="+path)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "made\n" {
		t.Fatalf("%q, %v", line, err)
	}
	other, err := Create(filepath.Join(dir, "other.csv"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Abort()
	mine, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Abort()
	for _, name := range []string{".out.csv.0123abcd.tmp", ".out.csv.1-0123abcd.unlocked.tmp", ".out.csv.1-0123abcd", "out.csv.1-0123abcd.tmp"} {
		put(t, filepath.Join(dir, name), "not ours, or nobody knows whose", 0o666)
	}
	before, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil {
		t.Fatal(err)
	}
	if swept := Sweep(path); len(swept) != 0 {
		t.Errorf("swept %q of running processes", swept)
	}
	cmd.Process.Kill()
	_ = cmd.Wait() // killed
	if swept := Sweep(path); len(swept) != 2 {
		t.Errorf("swept %q, want the file and the folder of the killed process", swept)
	}
	after, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(after) != len(before)-2 || !slices.Contains(after, mine.path) || !slices.Contains(after, other.path) {
		t.Errorf("%q are there, of %q", after, before)
	}
	if swept := Sweep(filepath.Join(dir, "no", "folder")); swept != nil {
		t.Errorf("swept %q", swept)
	}
}
