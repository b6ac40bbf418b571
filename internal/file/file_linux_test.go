package file

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A file system that is full leaves nothing but what was there.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16k"); err != nil {
		t.Skip("cannot mount a small file system: ", err)
	}
	defer syscall.Unmount(dir, 0)
	old := put(t, filepath.Join(dir, "old"), "old", 0o644)
	for path, opt := range map[string]Options{old: {Force: true}, filepath.Join(dir, "new"): {}} {
		err := Write(t.Context(), path, opt, func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Repeat("x", 1<<16))
			return err
		})
		if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%v", err)
		}
		holds(t, dir, "old")
		says(t, old, "old")
	}
}

// The owner of a replaced file keeps the new one, if the process may give it away.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	path := put(t, filepath.Join(t.TempDir(), "old"), "old", 0o640)
	if err := os.Chown(path, 12345, 23456); err != nil {
		t.Fatal(err)
	}
	if err := write(t, path, Options{Force: true}, "new"); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if s := st.Sys().(*syscall.Stat_t); s.Uid != 12345 || s.Gid != 23456 || st.Mode().Perm() != 0o640 {
		t.Errorf("owner %d, group %d, mode %v", s.Uid, s.Gid, st.Mode())
	}
}
