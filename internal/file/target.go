package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A target is where an output goes.
type target struct {
	path string      // the name to give: that of the request, or of the file a link names
	old  fs.FileInfo // of the regular file that is replaced, nil if there is none
	link bool        // a link to another folder is replaced, by its own name
}

// find looks up the target of a name, and refuses what must not be replaced.
func find(name string, force bool) (target, error) {
	t := target{path: name}
	st, err := os.Lstat(name)
	if err == nil && st.Mode()&fs.ModeSymlink != 0 {
		to, broken := filepath.EvalSymlinks(name)
		if broken != nil {
			return t, cannotWrite(name, errors.New("it is a link to a file that is not there"))
		}
		if t.link = !sameFolder(name, to); !t.link {
			t.path = to
		}
		st, err = os.Stat(to)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err != nil:
		return t, cannotWrite(name, err)
	case st.IsDir():
		return t, refusef("cannot write %s: it is a directory; name a file in it", name)
	case !st.Mode().IsRegular():
		return t, refusef("cannot write %s: it is not a regular file", name)
	case !force:
		return t, exists(name)
	}
	if !t.link {
		t.old = st
	}
	return t, nil
}

// sameFolder reports whether two paths lie in one folder.
func sameFolder(a, b string) bool {
	x, errX := os.Stat(filepath.Dir(a))
	y, errY := os.Stat(filepath.Dir(b))
	return errX == nil && errY == nil && os.SameFile(x, y)
}
