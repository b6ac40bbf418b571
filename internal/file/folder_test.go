package file

import (
	"errors"
	"io"
	"os"
	"path/filepath"
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
		keep bool
		want string
	}{{"first", true, "first"}, {"second", true, "first"}, {"third", false, "third"}} {
		if err := Folder(path, c.keep, fill(c.text)); err != nil {
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
	if err := Folder(other, false, func(temporary string) error {
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
	if err := Folder(other, false, func(temporary string) error {
		if err := write(t, filepath.Join(temporary, "c"), Options{}, "c"); err != nil {
			return err
		}
		return os.Remove(filepath.Join(temporary, "c")) // so that it cannot be synced
	}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	holds(t, other, "a", "b")
	full := errors.New("no space")
	if err := Folder(path, false, func(string) error { return full }); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	if err := Folder(filepath.Join(dir, "no", "where"), false, fill("x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	holds(t, path, "third")
	holds(t, dir, "other", "plain", "plan")
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
