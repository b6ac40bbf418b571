package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Sweep removes the temporary files and folders that killed processes have left
// beside a target, and returns their paths. Those of running processes, which
// lock them, stay.
func Sweep(target string) (swept []string) {
	folder := filepath.Dir(target)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if path := filepath.Join(folder, e.Name()); isTemporary(e, hidden(target)) && sweep(path, e.IsDir()) {
			swept = append(swept, path)
		}
	}
	return swept
}

// isTemporary reports whether an entry of a folder has the name of a temporary,
// one that can be locked, and the kind.
func isTemporary(e fs.DirEntry, hidden string) bool {
	rest, is := strings.CutPrefix(e.Name(), hidden)
	if !is || !e.Type().IsRegular() && !e.IsDir() {
		return false
	}
	rest, is = strings.CutSuffix(rest, temporaryEnd)
	pid, random, both := strings.Cut(rest, "-")
	return is && both && pid != "" && len(random) == 8 && strings.Trim(pid, "0123456789") == "" && strings.Trim(random, "0123456789abcdef") == ""
}

// sweep removes a temporary that nobody locks.
func sweep(path string, folder bool) bool {
	mode := os.O_RDWR // what NFS wants before it locks
	if folder {
		mode = os.O_RDONLY
	}
	f, err := os.OpenFile(path, mode|noFollow|noWait, 0)
	if err != nil {
		return false
	}
	t := temporary{path, f}
	if lock(f) != nil || !t.there() {
		f.Close()
		return false
	}
	t.drop()
	_, err = os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
