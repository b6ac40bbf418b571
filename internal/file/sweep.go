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
// lock them, stay, and so do those of other users and those that [Finish] is to
// name.
func Sweep(target string) (swept []string) {
	base, list := shortBase(target), filepath.Base(pendingPath(""))
	return SweepFolder(filepath.Dir(target), func(b string) bool { return b == base || b == list })
}

// SweepFolder is Sweep for all targets of a folder of which is says so, by their
// names.
func SweepFolder(folder string, is func(base string) bool) (swept []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		base, locks, _ := temporaryOf(e.Name())
		if path := filepath.Join(folder, e.Name()); locks && is(base) && (e.Type().IsRegular() || e.IsDir()) && sweep(path, e.IsDir()) {
			swept = append(swept, path)
		}
	}
	return swept
}

// temporaryOf returns the target that a file or folder is a temporary of by its
// name, and whether it can be locked.
func temporaryOf(name string) (base string, locks, is bool) {
	rest, dot := strings.CutPrefix(name, ".")
	rest, unlocked := strings.CutSuffix(rest, unlockedEnd)
	rest, locked := strings.CutSuffix(rest, temporaryEnd)
	last := strings.LastIndexByte(rest, '.')
	if !dot || unlocked == locked || last < 1 {
		return "", false, false
	}
	pid, random, both := strings.Cut(rest[last+1:], "-")
	is = both && pid != "" && len(random) == 8 && strings.Trim(pid, "0123456789") == "" && strings.Trim(random, "0123456789abcdef") == ""
	return rest[:last], is && locked, is
}

// sweep removes a temporary of this user that nobody locks, and that has no name to
// get: a list of those would be there by now, as the process has ended.
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
	if lock(f) != nil || !t.there() || !ours(f) || isPending(filepath.Dir(path)) {
		f.Close()
		return false
	}
	t.drop()
	_, err = os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
