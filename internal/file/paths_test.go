package file

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll("sub/deep", 0o777); err != nil {
		t.Fatal(err)
	}
	in := put(t, "in.csv", "in", 0o644)
	put(t, "sub/old.csv", "old", 0o644)
	for link, to := range map[string]string{"link.csv": "in.csv", "same": "sub", "away.csv": "sub/old.csv"} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	if err := os.Link(in, "hard.csv"); err != nil {
		t.Fatal(err)
	}
	const input, twice = "is the input in.csv, and inputs are never overwritten", "is named twice"
	for _, c := range []struct {
		outputs string
		want    string
	}{
		{"new.csv sub/new.csv same/other.csv", ""},
		{"in.csv", "output in.csv " + input},
		{"./sub/../in.csv", input},
		{dir + "/in.csv", input},
		{"link.csv", input},
		{"hard.csv", input},
		{"new.csv ./new.csv", "output ./new.csv " + twice},
		{"sub/new.csv same/new.csv", twice},
		{"sub/old.csv same/old.csv", twice},
		{"sub/old.csv away.csv", ""}, // the link is replaced itself
		{"sub", "it is a directory"},
		{"nowhere/new.csv", "cannot write nowhere/new.csv: no such file"},
	} {
		for _, late := range []bool{false, true} { // the input is declared after the outputs
			var p Paths
			var err error
			if !late {
				err = p.Read(in)
			}
			for _, out := range strings.Fields(c.outputs) {
				if err == nil {
					err = p.Write("output", out, true)
				}
			}
			if err == nil && late {
				err = p.Read(in)
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s (late %t): %v, want %q", c.outputs, late, err, c.want)
			}
		}
	}
	var p Paths
	if err := p.Write("output", "sub/old.csv", false); !errors.Is(err, ErrRefused) {
		t.Errorf("an old file without force: %v", err)
	}
	if err := p.Read(in, "sub/old.csv"); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{"new": "", "sub/deep": "", "sub": "folder sub holds the input sub/old.csv", "same": "sub/old.csv", ".": "in.csv"} {
		err := p.WriteFolder(folder)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("folder %s: %v, want %q", folder, err, want)
		}
	}
	for out, want := range map[string]string{"sub/deep/new.csv": "would lie in same", "sub/new.csv": "would lie in same", "new.csv": ""} {
		for _, late := range []bool{false, true} {
			var p Paths
			var err error
			if !late {
				err = p.ReadFolder("same")
			}
			if err == nil {
				err = p.Write("output", out, false)
			}
			if err == nil && late {
				err = p.ReadFolder("same")
			}
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("output %s of a folder that is read: %v, want %q", out, err, want)
			}
		}
	}
	holds(t, ".", "away.csv", "hard.csv", "in.csv", "link.csv", "same", "sub")
	says(t, in, "in")
	// What a killed process has left is swept, and told of.
	put(t, ".new.csv.1-0123abcd.tmp", "left", 0o600)
	if err := p.Write("output", "new.csv", false); err != nil || len(p.Swept) != 1 || p.Swept[0] != ".new.csv.1-0123abcd.tmp" {
		t.Errorf("swept %q, error %v", p.Swept, err)
	}
}
