package file

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "plan")
	fill := func(text string) func(string) error {
		return func(temporary string) error {
			if err := Append(filepath.Join(temporary, text), []byte(text)); err != nil {
				return err
			}
			return Append(filepath.Join(temporary, text), []byte("!"))
		}
	}
	for _, c := range []struct {
		text string
		owns func(string) bool
		want string
	}{{"first", nil, "first"}, {"second", nil, "first"}, {"third", every, "third"}} {
		if err := Folder(path, c.owns, fill(c.text)); err != nil {
			t.Fatal(err)
		}
		holds(t, path, c.want)
		says(t, filepath.Join(path, c.want), c.want+"!")
	}
	plain := filepath.Join(dir, "plain")
	if err := os.Mkdir(plain, 0o777); err != nil {
		t.Fatal(err)
	}
	if mode(t, path) != mode(t, plain) {
		t.Errorf("mode %v, want that of any folder, %v", mode(t, path), mode(t, plain))
	}
	// Files that are written into it are whole, with their modes.
	other := filepath.Join(dir, "other")
	if err := Folder(other, every, func(temporary string) error {
		for _, name := range []string{"a", "b"} {
			if err := write(t, filepath.Join(temporary, name), Options{}, name); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	holds(t, other, "a", "b")
	says(t, filepath.Join(other, "b"), "b")
	if err := Folder(other, every, func(temporary string) error {
		if err := write(t, filepath.Join(temporary, "c"), Options{}, "c"); err != nil {
			return err
		}
		return os.Remove(filepath.Join(temporary, "c")) // so that it cannot be synced
	}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	holds(t, other, "a", "b")
	full := errors.New("no space")
	if err := Folder(path, every, func(string) error { return full }); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	if err := Folder(filepath.Join(dir, "no", "where"), every, fill("x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	holds(t, path, "third")
	holds(t, dir, "other", "plain", "plan")
}

// every knows every file.
func every(string) bool { return true }

// Nothing but what the owner knows is removed, whenever it appears.
func TestFolderOfOthers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "plan")
	ours := func(name string) bool { return name == "ours" || name == "sub/ours" }
	fill := func(text string) func(string) error {
		return func(temporary string) error { return write(t, filepath.Join(temporary, "ours"), Options{}, text) }
	}
	if err := Folder(path, ours, fill("1")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(path, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sub/ours", "sub/.ours.1-0123abcd.tmp", ".ours.1-0123abcd.unlocked.tmp"} {
		put(t, filepath.Join(path, name), "x", 0o666)
	}
	if err := Folder(path, ours, fill("2")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "ours")
	says(t, filepath.Join(path, "ours"), "2")
	for _, name := range []string{"thesis", ".thesis.1-0123abcd.tmp", "sub/thesis", ".ours.tmp"} {
		if err := os.MkdirAll(filepath.Join(path, "sub"), 0o777); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(path, name), "precious", 0o666)
		if err := Folder(path, ours, fill("3")); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		says(t, filepath.Join(path, name), "precious")
		os.Remove(filepath.Join(path, name))
	}
	late := filepath.Join(path, "late")
	if err := Folder(path, ours, func(temporary string) error { put(t, late, "precious", 0o666); return fill("4")(temporary) }); !errors.Is(err, ErrRefused) {
		t.Errorf("a file that appeared: %v", err)
	}
	says(t, late, "precious")
	says(t, filepath.Join(path, "ours"), "2")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := Folder(link, every, fill("5")); !errors.Is(err, ErrRefused) {
		t.Errorf("a link: %v", err)
	}
	holds(t, dir, "link", "plan")
}

func TestScratch(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".out.csv.1-0123abcd.tmp"), 0o777); err != nil { // of a killed process
		t.Fatal(err)
	}
	folder, remove, err := Scratch(filepath.Join(dir, "out.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if m := mode(t, folder).Perm(); m != 0o700 {
		t.Errorf("mode %v, want that only the owner reads it", m)
	}
	holds(t, dir, filepath.Base(folder))
	f, drop, err := ScratchFile(folder)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, folder)
	if _, err := f.WriteString("rows"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(f); err != nil || string(b) != "rows" {
		t.Errorf("%q, %v", b, err)
	}
	drop()
	remove()
	holds(t, dir)
}
