package file

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Replaceable reports why a folder must not be replaced: it is none, or a link,
// or holds a file that owns, which is given its path in the folder with slashes,
// does not know. Temporaries of what owns knows may go too. That there is nothing
// of the name is no error.
func Replaceable(folder string, owns func(file string) bool) error {
	st, err := os.Lstat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return cannotWrite(folder, err)
	case st.Mode()&fs.ModeSymlink != 0:
		return refusef("%s is a link, which is not followed; name the folder that it leads to", folder)
	case !st.IsDir():
		return refusef("%s is a file, not a folder", folder)
	}
	return eachFile(folder, func(name string) error {
		if !ownsEntry(owns, name) {
			return refusef("%s holds %s, which is not of this program's making; it is not replaced", folder, name)
		}
		return nil
	})
}

// removeOwned removes the files of a folder that owns knows, and the folder if
// nothing else is in it.
func removeOwned(folder string, owns func(file string) bool) error {
	err := eachFile(folder, func(name string) error {
		if !ownsEntry(owns, name) {
			return nil
		}
		return os.Remove(filepath.Join(folder, filepath.FromSlash(name)))
	})
	if err != nil {
		return err
	}
	var folders []string
	if err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		folders = append(folders, path)
		return err
	}); err != nil {
		return err
	}
	slices.Reverse(folders)
	for _, path := range folders {
		if os.Remove(path) != nil {
			return refusef("%s is left: it holds a file that is not of this program's making", path)
		}
	}
	return nil
}

// eachFile calls do with the path in the folder of every file, at any depth.
// Links count as files, and are not followed.
func eachFile(folder string, do func(name string) error) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		return do(filepath.ToSlash(name))
	})
}

// ownsEntry reports whether owns knows a file, or the target that it is a
// temporary of; it may lie in the temporary of a folder.
func ownsEntry(owns func(file string) bool, name string) bool {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if base, _, is := temporaryOf(part); is {
			parts[i] = base
		}
	}
	return owns(path.Join(parts...))
}
