package file

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// three returns a Set of an output that replaces a file, of a new one beside it, and
// of one in another folder, none of which has its name.
func three(t *testing.T, dir string) *Set {
	t.Helper()
	ctx, set := Together(t.Context())
	for _, path := range []string{put(t, filepath.Join(dir, "x", "a"), "old", 0o640), filepath.Join(dir, "x", "b"), put(t, filepath.Join(dir, "y", "c"), "old", 0o644)} {
		o, err := Create(path, Options{Force: filepath.Base(path) != "b"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.Write([]byte("new")); err != nil {
			t.Fatal(err)
		}
		if err := o.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	return set
}

// begun names so many outputs of a Set, with lists of as many folders, and leaves all
// as a killed process does. alive ends the locks.
func begun(t *testing.T, s *Set, listed, named int) (killed func()) {
	t.Helper()
	to := make([]target, len(s.outs))
	for i, o := range s.outs {
		var err error
		if to[i], err = find(o.name, o.opt.Force); err != nil {
			t.Fatal(err)
		}
		if err := o.resemble(to[i]); err != nil {
			t.Fatal(err)
		}
	}
	lists, err := list(s.outs, to)
	if err != nil || len(lists) != 2 {
		t.Fatal(lists, err)
	}
	if err := publish(lists[:listed]); err != nil {
		t.Fatal(err)
	}
	for i, o := range s.outs[:named] {
		if err := o.rename(to[i]); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		for _, l := range lists {
			living.all.Delete(l)
			l.f.Close()
		}
		for _, o := range s.outs {
			living.all.Delete(o.temporary)
			o.f.Close()
		}
	}
}

// A process that is killed while it names its outputs leaves all old if the lists
// were not there yet, and else the next to touch one of their folders names all.
func TestKilledBetweenNames(t *testing.T) {
	for _, first := range []string{"x", "y"} { // the folder that is touched first
		for step := range 6 {
			listed, named, want := min(step, 2), max(0, step-2), "new"
			if listed < 2 {
				want = "old"
			}
			dir := t.TempDir()
			for _, name := range []string{"x", "y"} {
				if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			killed := begun(t, three(t, dir), listed, named)
			if names := Finish(filepath.Join(dir, first)); names != nil {
				t.Errorf("%q were taken from a living process", names)
			}
			killed()
			if swept := Sweep(filepath.Join(dir, first, "b")); listed == 2 && swept != nil {
				t.Errorf("%q were swept before they had their names", swept)
			}
			names := Finish(filepath.Join(dir, first))
			if got := strings.Join(names, " "); want == "new" && got != "a b c" || want == "old" && got != "" {
				t.Errorf("step %d: %q have their names", step, got)
			}
			for _, name := range []string{"x/a", "x/b", "y/c"} { // what comes after that
				Finish(filepath.Join(dir, filepath.Dir(name)))
				Sweep(filepath.Join(dir, name))
			}
			says(t, filepath.Join(dir, "x/a"), want)
			says(t, filepath.Join(dir, "y/c"), want)
			if want == "new" {
				says(t, filepath.Join(dir, "x/b"), want)
				holds(t, filepath.Join(dir, "x"), "a", "b")
				if m := mode(t, filepath.Join(dir, "x/a")).Perm(); m != 0o640 {
					t.Errorf("the mode of a replaced file is %v", m)
				}
			} else {
				holds(t, filepath.Join(dir, "x"), "a")
			}
			holds(t, filepath.Join(dir, "y"), "c")
		}
	}
}

// What was written in place of an old output after the kill is not replaced.
func TestFinishKeepsWhatCameLater(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"x", "y"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	begun(t, three(t, dir), 2, 0)()
	put(t, filepath.Join(dir, "x", "a"), "later", 0o644)
	put(t, filepath.Join(dir, "x", "b"), "later", 0o644)
	Finish(filepath.Join(dir, "x"))
	says(t, filepath.Join(dir, "x/a"), "later")
	says(t, filepath.Join(dir, "x/b"), "later")
	says(t, filepath.Join(dir, "y/c"), "new")
	holds(t, filepath.Join(dir, "x"), "a", "b")
}

// A list of outputs is waited for as long as its process lives, and what it names
// stays in its folder.
func TestPendingLists(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"x", "y"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	killed := begun(t, three(t, dir), 2, 1)
	other, set := Together(t.Context())
	for _, name := range []string{"d", "e"} {
		o, err := Create(filepath.Join(dir, "x", name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Commit(other); err != nil {
			t.Fatal(err)
		}
	}
	time.AfterFunc(30*time.Millisecond, killed)
	if err := set.Commit(other); err != nil {
		t.Error(err)
	}
	says(t, filepath.Join(dir, "y/c"), "new")
	holds(t, filepath.Join(dir, "x"), "a", "b", "d", "e")
	holds(t, filepath.Join(dir, "y"), "c")

	// Lists of another hand name nothing that is no temporary of their folder.
	put(t, filepath.Join(dir, "x", ".a.1-0123abcd.tmp"), "planted", 0o600)
	old := stateOf(filepath.Join(dir, "x", "b"))
	for _, n := range []naming{
		{filepath.Join(dir, "x"), ".a.1-0123abcd.tmp", "../y/c", old}, {filepath.Join(dir, "x"), ".a.1-0123abcd.tmp", "b", old},
		{filepath.Join(dir, "x"), "../x/.a.1-0123abcd.tmp", "a", old}, {filepath.Join(dir, "x"), "b", "a", old},
	} {
		text := fmt.Sprintf(`{"ID":"i","In":%q,"Outputs":[{"Folder":%q,"Temporary":%q,"Name":%q,"Old":%q}]}`, n.Folder, n.Folder, n.Temporary, n.Name, n.Old)
		put(t, pendingPath(filepath.Join(dir, "x")), text, 0o600)
		Finish(filepath.Join(dir, "x"))
		for _, name := range []string{"x/a", "x/b", "y/c"} {
			says(t, filepath.Join(dir, name), "new")
		}
	}
	put(t, pendingPath(filepath.Join(dir, "x")), `{"Outputs":[`, 0o600)
	if names := Finish(filepath.Join(dir, "x")); names != nil || isPending(filepath.Join(dir, "x")) {
		t.Errorf("a damaged list names %q, or is left", names)
	}
}
